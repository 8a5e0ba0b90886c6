//! What the syntax of a type alone says about it.

use proc_macro2::{Delimiter, Group, Span, TokenStream};
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

/// The spans of the first and of the last token of `place`.
///
/// Stable Rust cannot join two spans; but what begins with one and ends with the other is underlined whole.
pub(crate) fn ends(place: impl ToTokens) -> (Span, Span) {
    let mut places = place.into_token_stream().into_iter();
    let start = places.next().map_or_else(Span::call_site, |first| first.span());
    (start, places.last().map_or(start, |last| last.span()))
}

/// `tokens` in parentheses that have the span `span`.
pub(crate) fn parenthesized(span: Span, tokens: TokenStream) -> Group {
    let mut group = Group::new(Delimiter::Parenthesis, tokens);
    group.set_span(span);
    group
}
