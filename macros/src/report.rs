//! The errors of one expansion: collected, each under its own tokens, and shown together.

use std::fmt::Display;

use proc_macro2::TokenStream;
use quote::ToTokens;

/// Collects errors, so that a user sees all that is wrong with a declaration at once.
#[derive(Default)]
pub(crate) struct Report {
    errors: Vec<syn::Error>,
}

impl Report {
    /// Reports what was `found` under `tokens`, what is `expected` (read after a "but"), and what to write
    /// `instead`.
    pub(crate) fn error(
        &mut self,
        tokens: impl ToTokens,
        found: impl Display,
        expected: impl Display,
        instead: impl Display,
    ) {
        let message = format!("{found}, but {expected}\nhelp: {instead}");
        self.errors.push(syn::Error::new_spanned(tokens, message));
    }

    /// Reports what the parser could not read, in its words.
    pub(crate) fn syntax(&mut self, error: syn::Error) {
        self.errors.push(error);
    }

    /// Whether nothing is wrong so far.
    pub(crate) fn is_empty(&self) -> bool {
        self.errors.is_empty()
    }

    /// One `compile_error!` for each error.
    pub(crate) fn to_compile_errors(&self) -> TokenStream {
        self.errors.iter().map(syn::Error::to_compile_error).collect()
    }
}
