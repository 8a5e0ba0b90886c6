//! The type parameters of a declaration.

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::{GenericParam, Generics, Ident, Type};

use crate::{report::Report, text, types};

/// The type parameters of the kernel `kernel`; whatever else is generic about it is reported.
pub(in crate::kernel) fn type_parameters(
    generics: &Generics,
    kernel: &Ident,
    report: &mut Report,
) -> Vec<Ident> {
    let mut parameters: Vec<Ident> = Vec::new();
    for parameter in &generics.params {
        match parameter {
            GenericParam::Lifetime(lifetime) => report.error(
                lifetime,
                format!("kernel `{kernel}` has the lifetime `{}`", lifetime.lifetime),
                "device memory is borrowed for the call alone",
                "remove it",
            ),
            GenericParam::Const(constant) => report.error(
                constant,
                format!("kernel `{kernel}` is generic over `{}`", constant.ident),
                "the instances of a family differ in types alone",
                format!(
                    "write the number into the C++ name of each instance: `#[instance(\"{kernel}<float, 4>\", T = f32)]`"
                ),
            ),
            GenericParam::Type(ty) => {
                if !ty.attrs.is_empty() || !ty.bounds.is_empty() || ty.default.is_some() {
                    report.error(
                        ty,
                        format!("kernel `{kernel}` is generic over `{}`", text::of(ty)),
                        "its types are those that the instances name",
                        format!("write `{}` alone", ty.ident),
                    );
                }
                parameters.push(ty.ident.clone());
            }
        }
    }
    parameters
}

/// Whether tokens of a type or a path name one of these parameters.
pub(in crate::kernel) fn mentions(tokens: impl ToTokens, parameters: &[Ident]) -> bool {
    fn walk(tokens: TokenStream, parameters: &[Ident]) -> bool {
        let mut after_colon = false;
        tokens.into_iter().any(|token| {
            let is_path = std::mem::replace(&mut after_colon, is_colon(&token));
            match token {
                TokenTree::Ident(ident) => !is_path && parameters.contains(&ident),
                TokenTree::Group(group) => walk(group.stream(), parameters),
                _ => false,
            }
        })
    }
    !parameters.is_empty() && walk(tokens.into_token_stream(), parameters)
}

/// Whether a type is a parameter itself.
pub(super) fn is_just(ty: &Type, parameter: &Ident) -> bool {
    matches!(types::plain(ty), Type::Path(path) if path.path.is_ident(parameter))
}

/// Whether a name after this token is part of a path.
pub(super) fn is_colon(token: &TokenTree) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == ':')
}
