//! Types in the place of type parameters.

use proc_macro2::{Group, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{Ident, Type, parse::Parse};

use super::generics::is_colon;

/// `place` with each type in the place of its parameter. An error in it stands where the parameter stands.
pub(super) fn in_place<T: Parse + ToTokens + Clone>(place: &T, types: &[(Ident, Type)]) -> T {
    let replaced = walk(place.to_token_stream(), types);
    syn::parse2(replaced).unwrap_or_else(|_| place.clone())
}

fn walk(tokens: TokenStream, types: &[(Ident, Type)]) -> TokenStream {
    let mut replaced = TokenStream::new();
    let mut after_colon = false;
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        let is_path = std::mem::replace(&mut after_colon, is_colon(&token));
        match token {
            TokenTree::Ident(ident) => {
                let ty = types.iter().find(|(parameter, _)| !is_path && *parameter == ident);
                let Some((_, ty)) = ty else {
                    replaced.extend([TokenTree::Ident(ident)]);
                    continue;
                };
                let ty = moved(ty.to_token_stream(), &ident);
                // `T::NAME` of a type that is a path.
                let is_scope = tokens.peek().is_some_and(is_colon);
                replaced.extend(if is_scope { quote!(<#ty>) } else { ty });
            }
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), walk(group.stream(), types));
                inner.set_span(group.span());
                replaced.extend([TokenTree::Group(inner)]);
            }
            token => replaced.extend([token]),
        }
    }
    replaced
}

/// Tokens that mean what they meant, and stand where `place` stands.
fn moved(tokens: TokenStream, place: &Ident) -> TokenStream {
    let moved = tokens.into_iter().map(|token| {
        let mut token = match token {
            TokenTree::Group(group) => {
                TokenTree::Group(Group::new(group.delimiter(), moved(group.stream(), place)))
            }
            token => token,
        };
        token.set_span(token.span().located_at(place.span()));
        token
    });
    moved.collect()
}
