//! What the syntax of a type alone says about it.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{GenericArgument, Path, PathArguments, Type};

/// The type itself, without the parentheses and the invisible groups (from `macro_rules!`) around it.
pub(crate) fn plain(ty: &Type) -> &Type {
    match ty {
        Type::Group(group) => plain(&group.elem),
        Type::Paren(paren) => plain(&paren.elem),
        _ => ty,
    }
}

/// The name a type goes by: the last segment of its path.
pub(crate) fn name(ty: &Type) -> Option<String> {
    path(ty)?.segments.last().map(|segment| segment.ident.to_string())
}

/// The only type argument of a path's last segment: the `f32` of `Vec<f32>`.
pub(crate) fn argument(ty: &Type) -> Option<&Type> {
    let PathArguments::AngleBracketed(arguments) = &path(ty)?.segments.last()?.arguments else {
        return None;
    };
    match arguments.args.first()? {
        GenericArgument::Type(argument) if arguments.args.len() == 1 => Some(argument),
        _ => None,
    }
}

fn path(ty: &Type) -> Option<&Path> {
    match plain(ty) {
        Type::Path(path) if path.qself.is_none() => Some(&path.path),
        _ => None,
    }
}

/// `open` under the first token of `place`, and `close` under its last: an error that the compiler finds in
/// the whole of `open`, something and `close` underlines `place` whole.
pub(crate) fn around(
    place: &impl ToTokens,
    open: TokenStream,
    close: TokenStream,
) -> (TokenStream, TokenStream) {
    let mut places = place.to_token_stream().into_iter();
    let Some(first) = places.next() else { return (open, close) };
    let start = first.span();
    let end = places.last().map_or(start, |last| last.span());
    (under(start, open), under(end, close))
}

fn under(span: Span, tokens: TokenStream) -> TokenStream {
    tokens
        .into_iter()
        .map(|mut token: TokenTree| {
            token.set_span(span);
            token
        })
        .collect()
}
