//! A kernel of the file as the function that a person would declare for it.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::LitStr;
use warpcall_signature::{Kernel, rust::Declaration};

use super::{
    not_bound::place,
    types::{self, Spans},
};
use crate::{crate_path::CratePath, kernel::proof::Places};

/// The declaration of one kernel in a block.
pub(super) fn tokens(
    kernel: &Kernel,
    declaration: &Declaration,
    places: &Places<'_>,
    krate: &CratePath,
    spans: Spans,
) -> TokenStream {
    let span = spans.module;
    let name = types::ident(&declaration.name, span);
    let symbol = &declaration.symbol;
    let link_name =
        (declaration.is_cpp_name || declaration.name.trim_start_matches("r#") != symbol).then(|| {
            let symbol = LitStr::new(symbol, span);
            if declaration.is_cpp_name {
                quote_spanned!(span=> #[instance(#symbol)])
            } else {
                quote_spanned!(span=> #[link_name = #symbol])
            }
        });
    let docs = LitStr::new(&docs(kernel, declaration, places).join("\n"), span);
    let parameters = declaration.parameters.iter().map(|parameter| {
        let name = types::ident(&parameter.name, span);
        let ty = types::tokens(&parameter.ty, krate, spans);
        let unchecked = parameter.unchecked.is_some().then(|| quote_spanned!(span=> #[unchecked]));
        let cuda_name = parameter.cuda_name.as_ref().map(|name| {
            let name = LitStr::new(name, span);
            quote_spanned!(span=> #[name = #name])
        });
        quote_spanned!(span=> #unchecked #cuda_name #name: #ty)
    });
    quote! {
        #link_name
        // What is written for C++ may look like code of Rust, and none of it is to be tested.
        #[cfg_attr(not(doctest), doc = #docs)]
        pub unsafe fn #name(#(#parameters),*);
    }
}

/// The comment of the CUDA file, and below it what the kernel is there.
fn docs(kernel: &Kernel, declaration: &Declaration, places: &Places<'_>) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    if let Some(doc) = &kernel.doc {
        lines.extend(as_text(doc).lines().map(|line| format!(" {}", line.trim_end())));
    } else {
        lines.push(format!(" Launches the kernel `{}`.", kernel.expression()));
    }
    lines.push(String::new());
    let signature = places.shorten(&kernel.to_string());
    let parameters = signature.strip_prefix(&kernel.qualified_name()).unwrap_or_default();
    let name = kernel.expression();
    lines.push(format!(" In CUDA it is `{name}{parameters}`{}.", place(kernel, places)));
    let unchecked = declaration.parameters.iter().filter_map(|parameter| {
        let reason = parameter.unchecked.as_ref()?;
        Some(format!(" `{}` is not compared with it, as {reason}.", parameter.name.trim_start_matches("r#")))
    });
    for line in unchecked {
        lines.push(String::new());
        lines.push(line);
    }
    lines
}

/// A comment in which a `<` outside of code is one: rustdoc would take `<T>` for a tag of HTML, and leave it out.
fn as_text(comment: &str) -> String {
    let mut text = String::with_capacity(comment.len());
    let (mut is_fenced, mut is_code) = (false, false);
    for line in comment.lines() {
        let is_fence = line.trim_start().starts_with("```");
        is_fenced ^= is_fence;
        // A code span ends with its paragraph.
        is_code &= !line.trim().is_empty();
        if is_fenced || is_fence || line.starts_with("    ") {
            text += line;
        } else {
            for letter in line.chars() {
                is_code ^= letter == '`';
                if letter == '<' && !is_code {
                    text.push('\\');
                }
                text.push(letter);
            }
        }
        text.push('\n');
    }
    text
}
