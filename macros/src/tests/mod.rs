//! Tests of the macros as functions over tokens, without a compiler around them.

mod errors;
mod expansions;
mod field_errors;
mod instances;
mod mutations;
mod snapshot;
mod texts;

use proc_macro2::TokenStream;

use crate::site::Site;

/// The package whose files the tests name: this one.
fn site() -> Site {
    Site { manifest_dir: Some(env!("CARGO_MANIFEST_DIR").into()), out_dir: None }
}

/// Expands `#[kernel(arguments)] item`.
fn kernel(arguments: &str, item: &str) -> TokenStream {
    crate::kernel::kernel(tokens(arguments), &tokens(item), &site())
}

/// Expands `#[derive(KernelParam)] item`.
fn kernel_param(item: &str) -> TokenStream {
    crate::param::kernel_param(tokens(item))
}

fn tokens(text: &str) -> TokenStream {
    text.parse().expect("the test's text is tokens")
}

/// The messages of all `compile_error!`s in an expansion, in their order.
pub(crate) fn messages(expansion: &TokenStream) -> Vec<String> {
    let file: syn::File = syn::parse2(expansion.clone()).expect("an expansion is items");
    let messages = file.items.iter().filter_map(|item| match item {
        syn::Item::Macro(item) => {
            let literal: syn::LitStr = item.mac.parse_body().expect("`compile_error!` takes a string");
            Some(literal.value())
        }
        _ => None,
    });
    messages.collect()
}

/// The names of the functions and statics in an expansion.
fn items(expansion: &TokenStream) -> Vec<String> {
    let file: syn::File = syn::parse2(expansion.clone()).expect("an expansion is items");
    let names = file.items.iter().filter_map(|item| match item {
        syn::Item::Fn(item) => Some(item.sig.ident.to_string()),
        syn::Item::Static(item) => Some(item.ident.to_string()),
        _ => None,
    });
    names.collect()
}
