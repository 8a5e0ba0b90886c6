//! The errors of one expansion: collected, each under its own tokens, and shown together.

use std::fmt::Display;

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::Attribute;

/// Collects errors, so that a user sees all that is wrong with a declaration at once.
#[derive(Default)]
pub(crate) struct Report {
    errors: Vec<Error>,
}

/// An error, with the `#[cfg]` attributes under which it is one.
struct Error {
    conditions: Vec<Attribute>,
    error: syn::Error,
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
        self.error_if(&[], tokens, found, expected, instead);
    }

    /// As [`error`](Self::error), of an item that exists only under these `#[cfg]` attributes.
    pub(crate) fn error_if(
        &mut self,
        conditions: &[Attribute],
        tokens: impl ToTokens,
        found: impl Display,
        expected: impl Display,
        instead: impl Display,
    ) {
        let message = format!("{found}, but {expected}\nhelp: {instead}");
        let error = syn::Error::new_spanned(tokens, message);
        self.errors.push(Error { conditions: conditions.to_vec(), error });
    }

    /// Reports what the parser could not read, in its words.
    pub(crate) fn syntax(&mut self, error: syn::Error) {
        self.errors.push(Error { conditions: Vec::new(), error });
    }

    /// Whether nothing is wrong so far.
    pub(crate) fn is_empty(&self) -> bool {
        self.errors.is_empty()
    }

    /// One `compile_error!` for each error.
    pub(crate) fn to_compile_errors(&self) -> TokenStream {
        let errors = self.errors.iter().map(|Error { conditions, error }| {
            let error = error.to_compile_error();
            quote!(#(#conditions)* #error)
        });
        errors.collect()
    }
}
