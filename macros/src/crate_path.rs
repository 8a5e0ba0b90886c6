//! The path under which generated code reaches the runtime crate.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::Path;

/// `::warpcall`, or what the user gave in `crate = path`.
pub(crate) struct CratePath(Option<Path>);

impl CratePath {
    /// The path that is given, or else the usual one.
    pub(crate) fn new(given: Option<Path>) -> Self {
        Self(given)
    }

    /// The path as if it stood at `span`, for errors that should point there.
    pub(crate) fn at(&self, span: Span) -> TokenStream {
        let Some(path) = &self.0 else { return quote_spanned!(span=> ::warpcall) };
        // A given path means what it means where it was given, which may be another macro.
        let moved = |mut token: TokenTree| {
            token.set_span(token.span().located_at(span));
            token
        };
        path.to_token_stream().into_iter().map(moved).collect()
    }
}

impl ToTokens for CratePath {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        match &self.0 {
            Some(path) => path.to_tokens(tokens),
            None => tokens.extend(quote!(::warpcall)),
        }
    }
}
