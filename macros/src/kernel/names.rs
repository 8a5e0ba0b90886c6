//! The names of the generated items and of what they bind.
//!
//! A static, a constant and a unit struct of the user's reach into a pattern of the same name, whatever its hygiene.
//! So what is bound here has a name that nobody gives to one of these.

use proc_macro2::Span;
use quote::format_ident;
use syn::{Ident, ext::IdentExt};

/// `launch_rms_norm` for `rms_norm`.
pub(super) fn launch(kernel: &Ident) -> Ident {
    format_ident!("launch_{}", kernel.unraw(), span = kernel.span())
}

/// `RMS_NORM` for `rms_norm`, `ADD_KERNEL` for `addKernel`.
pub(super) fn item(kernel: &Ident) -> Ident {
    Ident::new(&warpcall_signature::rust::static_name(&kernel.to_string()), kernel.span())
}

/// `RmsNormInstance` for `rms_norm`.
pub(super) fn bound(kernel: &Ident) -> Ident {
    let name = kernel.unraw().to_string();
    let words = name.split('_').filter(|word| !word.is_empty()).map(|word| {
        let mut letters = word.chars();
        letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect::<String>()
    });
    Ident::new(&format!("{}Instance", words.collect::<String>()), kernel.span())
}

/// What the parameter `declared` is bound as: `n` for `n`, but `N_` for `N`, which a constant may be called as well.
pub(super) fn binding(declared: &Ident) -> Ident {
    let name = declared.to_string();
    if name.trim_start_matches('_').starts_with(char::is_uppercase) {
        Ident::new(&format!("{name}_"), declared.span())
    } else {
        declared.clone()
    }
}

/// A parameter that every launch function has, by a name that its documentation shows. A kernel's own parameter of
/// that name does not meet it.
pub(super) fn shown(name: &str, place: Span) -> Ident {
    Ident::new(&format!("{name}_"), Span::mixed_site().located_at(place))
}

/// A name that nobody reads.
pub(super) fn hidden(name: &str, place: Span) -> Ident {
    Ident::new(&format!("warpcall_{name}"), Span::mixed_site().located_at(place))
}

/// A name for the argument of `parameter`: as if the user had written it, so that an error there is one of the
/// declaration and not of its expansion.
pub(super) fn argument(index: usize, parameter: &Ident) -> Ident {
    format_ident!("warpcall_argument_{index}", span = parameter.span())
}

/// Whether the compiler has nothing to say of `name` as the name of a function or a variable.
pub(super) fn is_snake_case(name: &Ident) -> bool {
    let name = name.unraw().to_string();
    !name.trim_matches('_').contains("__") && !name.contains(char::is_uppercase)
}

/// Whether the compiler has nothing to say of `name` as the name of a static.
pub(super) fn is_upper_case(name: &Ident) -> bool {
    !name.to_string().contains(char::is_lowercase)
}
