//! The names of the generated items.

use quote::format_ident;
use syn::{Ident, ext::IdentExt};

/// `launch_rms_norm` for `rms_norm`.
pub(super) fn launch(kernel: &Ident) -> Ident {
    format_ident!("launch_{}", kernel.unraw(), span = kernel.span())
}

/// `RMS_NORM` for `rms_norm`, `ADD_KERNEL` for `addKernel`.
pub(super) fn item(kernel: &Ident) -> Ident {
    let name = kernel.unraw().to_string();
    let mut screaming = String::with_capacity(name.len() + 4);
    let mut after_lowercase = false;
    for character in name.chars() {
        if character.is_uppercase() && after_lowercase {
            screaming.push('_');
        }
        after_lowercase = character.is_lowercase() || character.is_ascii_digit();
        screaming.push(character.to_ascii_uppercase());
    }
    Ident::new(&screaming, kernel.span())
}
