//! The documentation of the generated items: the user's, and what it leaves out.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{
    Expr, ExprLit, Lit, Meta, Token,
    parse::{ParseStream, Parser},
};

use super::model::{Kernel, Module};

/// What is added to the user's documentation of the launch function.
pub(super) fn of_launch(kernel: &Kernel, module: &Module) -> TokenStream {
    let lines: Vec<String> =
        kernel.forwarded.launch.iter().filter_map(|attribute| line(&attribute.meta)).collect();
    let has = |title: &str| {
        lines.iter().flat_map(|text| text.lines()).any(|line| {
            line.trim_start()
                .strip_prefix('#')
                .is_some_and(|rest| rest.trim_start_matches('#').trim().eq_ignore_ascii_case(title))
        })
    };
    let name = &kernel.name;
    let mut docs = TokenStream::new();
    if lines.is_empty() {
        let sentence = format!(" Launches the kernel `{name}` of the module `{}`.", module.name.value());
        docs.extend(quote!(#[doc = #sentence]));
    }
    if let Some(family) = &kernel.family {
        let sentence = format!(
            " The types of the arguments choose the instance, among those that [`{}`] is implemented for.",
            family.bound
        );
        docs.extend(quote!(#[doc = ""] #[doc = #sentence]));
    }
    if !has("Errors") {
        let sentence = format!(" `{name}` cannot be resolved, or its launch is refused.");
        docs.extend(section(" # Errors", &sentence));
    }
    if !has("Safety") {
        let sentence = format!(
            " `{name}` is CUDA code. It must stay inside the memory it is given, with this configuration and these \
             values, and nothing else may use that memory until the stream has run the launch."
        );
        docs.extend(section(" # Safety", &sentence));
    }
    docs
}

/// The documentation of the static.
pub(super) fn of_item(kernel: &Kernel, module: &Module) -> TokenStream {
    let sentence = format!(
        " The kernel `{}` of the module `{}`, which [`{}`] launches.",
        kernel.name,
        module.name.value(),
        kernel.launch,
    );
    quote!(#[doc = #sentence])
}

fn section(title: &str, text: &str) -> TokenStream {
    quote!(#[doc = ""] #[doc = #title] #[doc = ""] #[doc = #text])
}

/// The text of a `#[doc = "…"]`, which is also what a doc comment is.
fn line(meta: &Meta) -> Option<String> {
    match meta {
        Meta::NameValue(pair) if pair.path.is_ident("doc") => match &pair.value {
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.value()),
            // From `include_str!` or the like: there is documentation, and its text is not known here.
            _ => Some(String::new()),
        },
        // `#[cfg_attr(predicate, doc = "…")]`, one attribute each.
        Meta::List(list) if list.path.is_ident("cfg_attr") => {
            let parser = |input: ParseStream<'_>| {
                input.parse::<Meta>()?;
                input.parse::<Token![,]>()?;
                input.parse::<Meta>()
            };
            line(&parser.parse2(list.tokens.clone()).ok()?)
        }
        _ => None,
    }
}
