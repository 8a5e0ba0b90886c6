//! `#[kernel]` on a module: all kernels of a file, without a declaration.
//!
//! The kernels are read out of the files, and each becomes the function that a person would declare for it. From there on it
//! is a declaration like any other: it is checked, compared with its files and expanded as one. The items stand in the
//! module, behind those of its body.

mod body;
mod collisions;
mod function;
mod inherit;
mod not_bound;
mod selection;
#[cfg(test)]
mod tests;
mod types;

use proc_macro2::TokenStream;
use quote::quote;
use syn::Ident;
use warpcall_signature::{
    Kernel,
    rust::{self, Candidate, Declaration},
};

pub(super) use self::body::is_module;
use self::{
    body::Body,
    not_bound::{Rest, Unbound},
    types::{InScope, Spans},
};
use super::{
    check,
    declaration::{Block, Forwarded, Options},
    expand, fallback, model, parse,
    proof::{self, Contents, Places},
};
use crate::{report::Report, site::Site};

/// Expands `#[kernel(options)]` on a module.
pub(super) fn expand(options: Options, item: &TokenStream, site: &Site, mut report: Report) -> TokenStream {
    let Some(mut body) = body::read(item.clone(), &mut report) else {
        let errors = report.to_compile_errors();
        return quote!(#errors #item);
    };
    inherit::complete(&mut body, &options);
    let Binding { items, mut docs } = bind(options, &body, site, &mut report);
    if docs.is_empty() {
        // So that one mistake is one error where documentation is asked for.
        docs.push(" The kernels of a CUDA file.".to_owned());
    }
    let errors = report.to_compile_errors();
    let Body { attributes, items: own, .. } = &body;
    quote! {
        #(#attributes)*
        #(#[doc = #docs])*
        #body {
            #(#own)*
            #errors
            #items
        }
    }
}

/// What a module is given.
#[derive(Default)]
struct Binding {
    items: TokenStream,
    docs: Vec<String>,
}

fn bind(options: Options, body: &Body, site: &Site, report: &mut Report) -> Binding {
    let has_file = options.source.is_some() || options.image.is_some();
    if !has_file && !options.incomplete {
        report.error(
            &body.ident,
            format!("the module `{}` is bound to no file", body.ident),
            "its kernels are read out of one",
            "write `#[kernel(source = \"…\")]` or `#[kernel(image = \"…\")]`",
        );
    }
    let module = check::module(&options, site, report);
    let (Some(module), true) = (module, report.is_empty()) else { return Binding::default() };
    let mut contents = proof::read(&module, Vec::new(), site, report);
    if !report.is_empty() {
        return Binding::default();
    }
    let names = rust::cpp_names(contents.source.as_ref(), contents.images.as_deref());
    contents.ask(names, &module, site, report);
    if !report.is_empty() {
        return Binding::default();
    }
    let places = Places(site);
    let file = file(&module);
    let mut candidates = rust::candidates(contents.source.as_ref(), contents.images.as_deref());
    if candidates.is_empty() {
        no_kernels(&module, &contents, &file, &places, report);
        return Binding { items: contents.tracking(&module, site), docs: Vec::new() };
    }
    let source = contents.source.as_ref().map(|source| (source, &places));
    let left_out = selection::apply(&mut candidates, &options, &file, source, report);
    // Those that the body declares by hand have their items already.
    candidates.retain(|candidate| !body.scope.declares(&candidate.kernel));
    let (declared, unbound) = declare_all(&candidates, &module, body, &places);
    selection::asks_in_vain(&options, &unbound, report);
    let unread = if options.only.is_empty() { unread(&contents, &places) } else { Vec::new() };
    let rest = Rest { file: &file, unbound, unread, left_out };
    let docs = docs(body, &rest);
    let block = block(options, &declared, &module, body, &places, report);
    let kernels = block.as_ref().map(|block| check::kernels(block, report)).unwrap_or_default();
    if !report.is_empty() {
        let mut items = contents.tracking(&module, site);
        items.extend(block.as_ref().map(fallback::block));
        return Binding { items, docs };
    }
    let mut items = TokenStream::new();
    if kernels.is_empty() {
        // What is generated for a kernel embeds a file, by which the compiler learns of it.
        items.extend(contents.tracking(&module, site));
    } else {
        let mut module = model::Module { kernels, ..module };
        let proof = proof::of(&mut module, &contents, site, report);
        items.extend(expand::module(&module, &contents.headers, site));
        items.extend(proof);
    }
    items.extend(rest.warning(body.ident.span()));
    Binding { items, docs }
}

/// What of the source could not be read, where kernels may be that nobody sees.
fn unread(contents: &Contents, places: &Places<'_>) -> Vec<String> {
    let notes = contents.source.iter().flat_map(|source| proof::hiding(&source.notes));
    notes.map(|note| format!("{}; {}", places.unread(note), note.help())).collect()
}

/// The file that the kernels are read out of, as it is written.
fn file(module: &model::Module) -> String {
    let file = module.source.as_ref().or(module.image.as_ref());
    file.map(|file| file.written.value()).unwrap_or_default()
}

fn no_kernels(
    module: &model::Module,
    contents: &Contents,
    file: &str,
    places: &Places<'_>,
    report: &mut Report,
) {
    let written = module.source.as_ref().or(module.image.as_ref()).map(|file| &file.written);
    let notes = contents.source.as_ref().map(|source| proof::notes(&source.notes, places));
    report.error(
        written,
        format!("{file} has no kernels"),
        "the module is bound to those that it has",
        format!("name another file, or define what it needs in `defines(…)`{}", notes.unwrap_or_default()),
    );
}

/// The kernels that can be declared, and the others.
fn declare_all<'a>(
    candidates: &'a [Candidate],
    module: &model::Module,
    body: &Body,
    places: &Places<'_>,
) -> (Vec<(&'a Candidate, Declaration)>, Vec<Unbound<'a>>) {
    let mut structs = InScope { scope: &body.scope, has_image: module.image.is_some() };
    let (mut declared, mut unbound) = (Vec::new(), Vec::new());
    for candidate in candidates {
        match candidate.declare(&mut structs) {
            Ok(declaration) => declared.push((candidate, declaration)),
            Err(reason) => unbound.push(Unbound::new(candidate, &reason, module, places)),
        }
    }
    (declared, unbound)
}

/// The block that declares all of them. `None` where none is left.
fn block(
    options: Options,
    declared: &[(&Candidate, Declaration)],
    module: &model::Module,
    body: &Body,
    places: &Places<'_>,
    report: &mut Report,
) -> Option<Block> {
    let file = module.source.as_ref().or(module.image.as_ref());
    let span = body.ident.span();
    let spans = Spans { module: span, file: file.map_or(span, |file| file.written.span()) };
    let named: Vec<(Ident, &Kernel)> = declared
        .iter()
        .map(|(candidate, declaration)| (types::ident(&declaration.name, span), &candidate.kernel))
        .collect();
    let fits = collisions::refuse(&named, body, places, report);
    let declared: Vec<_> = declared.iter().zip(fits).filter(|(_, fits)| *fits).map(|(own, _)| own).collect();
    if declared.is_empty() {
        return None;
    }
    let functions = declared.iter().map(|(candidate, declaration)| {
        function::tokens(&candidate.kernel, declaration, places, &module.krate, spans)
    });
    let tokens = quote!(unsafe extern "C" { #(#functions)* });
    let mut block = parse::item(tokens, options, report)?;
    block.forwarded = forwarded();
    for (function, (_, declaration)) in block.functions.iter_mut().zip(declared) {
        for (parameter, own) in function.parameters.iter_mut().zip(&declaration.parameters) {
            // As a person writes it who has imported the names.
            parameter.written = Some(own.ty.to_string());
        }
    }
    Some(block)
}

/// Nobody chose the kernels one by one, so that some may stay unused; and text for C++ is no text for rustdoc.
fn forwarded() -> Forwarded {
    Forwarded {
        both: vec![syn::parse_quote!(#[allow(dead_code, unreachable_pub, rustdoc::all)])],
        ..Forwarded::default()
    }
}

/// The documentation of the module, behind its own.
fn docs(body: &Body, rest: &Rest<'_>) -> Vec<String> {
    let has_docs = body.attributes.iter().any(|attribute| attribute.path().is_ident("doc"));
    let mut docs = Vec::new();
    if has_docs {
        docs.push(String::new());
    }
    docs.push(format!(" The kernels of `{}`.", rest.file));
    docs.extend(rest.docs());
    docs
}
