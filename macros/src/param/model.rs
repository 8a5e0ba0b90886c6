//! What a struct that derives `KernelParam` is: own types that keep the user's tokens.

use syn::{Ident, Member, Type};

use crate::crate_path::CratePath;

/// The struct.
pub(super) struct Parameter {
    /// The path of the runtime crate.
    pub(super) krate: CratePath,
    pub(super) ident: Ident,
    pub(super) fields: Vec<Field>,
    /// Whether no field is seen to be an owner, which no `Copy` struct can hold.
    pub(super) may_be_copy: bool,
}

/// One of its fields.
pub(super) struct Field {
    /// Its name, or its index in a tuple struct.
    pub(super) member: Member,
    /// The same as text, without an `r#`.
    pub(super) name: String,
    pub(super) ty: Type,
}
