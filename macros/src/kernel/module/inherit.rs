//! A block with a `#[kernel]` of its own in the body of a bound module: it is one of the module's file, unless it names
//! another.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Attribute, Item, LitStr, Meta};

use super::body::{Body, is_declaration};
use crate::{
    crate_path::CratePath,
    kernel::{declaration::Options, options},
    report::Report,
};

/// Completes the attributes of the body's blocks: `kernel` itself, unless the body has brought it in, and the arguments
/// that a block leaves out.
pub(super) fn complete(body: &mut Body, own: &Options) {
    let is_imported = body.scope.has("kernel");
    for item in &mut body.items {
        let Item::ForeignMod(block) = item else { continue };
        for attribute in block.attrs.iter_mut().filter(|attribute| is_declaration(attribute)) {
            let path = attribute.path();
            let path = match path.get_ident() {
                Some(word) if !is_imported => {
                    let krate = CratePath::new(own.crate_path.clone());
                    let krate = krate.at(word.span());
                    quote!(#krate::#word)
                }
                _ => path.to_token_stream(),
            };
            let given = match &attribute.meta {
                Meta::List(list) => list.tokens.clone(),
                _ => TokenStream::new(),
            };
            // What cannot be read there is reported when the block is expanded.
            let options = options::read(given.clone(), &mut Report::default());
            if options.incomplete {
                continue;
            }
            let comma = (!given.is_empty() && !ends_with_comma(&given)).then(|| quote!(,));
            let inherited = inherited(own, &options);
            let completed: Attribute = syn::parse_quote!(#[#path(#given #comma #inherited)]);
            *attribute = completed;
        }
    }
}

fn ends_with_comma(tokens: &TokenStream) -> bool {
    tokens.clone().into_iter().last().is_some_and(|last| last.to_string() == ",")
}

/// The arguments of the module that a block has not.
fn inherited(module: &Options, block: &Options) -> TokenStream {
    let krate =
        module.crate_path.as_ref().filter(|_| block.crate_path.is_none()).map(|path| quote!(crate = #path,));
    if block.module.is_some() || block.source.is_some() || block.image.is_some() {
        return quote!(#krate);
    }
    let value = |key: TokenStream, value: &Option<LitStr>| value.as_ref().map(|value| quote!(#key = #value,));
    let list = |key: TokenStream, module: &[LitStr], block: &[LitStr]| {
        (block.is_empty() && !module.is_empty()).then(|| quote!(#key(#(#module),*),))
    };
    let files = [
        value(quote!(module), &module.module),
        value(quote!(source), &module.source),
        value(quote!(image), &module.image),
    ];
    let embed =
        module.embed_source.as_ref().filter(|_| block.embed_source.is_none()).map(|word| quote!(#word,));
    let defines = list(quote!(defines), &module.defines, &block.defines);
    let include = list(quote!(include), &module.include, &block.include);
    quote!(#(#files)* #embed #defines #include #krate)
}
