//! `#[derive(KernelParam)]`: parse and check -> model -> expand.

mod check;
mod expand;
mod model;

use proc_macro2::TokenStream;
use syn::DeriveInput;

use crate::report::Report;

/// Expands `#[derive(KernelParam)]` on `item`.
pub(crate) fn kernel_param(item: TokenStream) -> TokenStream {
    let input: DeriveInput = match syn::parse2(item) {
        Ok(input) => input,
        Err(error) => return error.to_compile_error(),
    };
    let mut report = Report::default();
    let parameter = check::input(&input, &mut report);
    if report.is_empty() {
        return expand::parameter(&parameter);
    }
    let mut expansion = report.to_compile_errors();
    // Without an implementation where one would be refused in its turn.
    if parameter.may_be_copy {
        expansion.extend(expand::fallback(&parameter, input.generics));
    }
    expansion
}
