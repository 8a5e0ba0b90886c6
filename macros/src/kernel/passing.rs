//! How a declared type reaches the kernel: by address, by value, or as a tensor map.

use syn::{Type, TypePtr};

use super::model::{Element, Passing};
use crate::{
    refusal::{self, Place, Refusal},
    types,
};

/// How a parameter of type `ty` is passed, as far as its syntax tells.
///
/// # Errors
///
/// The type is none that a kernel can take.
pub(super) fn of(ty: &Type, nullable: bool) -> Result<Passing, Refusal> {
    match types::plain(ty) {
        Type::Ptr(pointer) => pointer_passing(pointer, nullable),
        ty if types::name(ty).as_deref() == Some("TensorMap") => Ok(Passing::TensorMap),
        ty => match refusal::of_value(ty, Place::Parameter) {
            Some(refusal) => Err(refusal),
            None => Ok(Passing::Value),
        },
    }
}

fn pointer_passing(pointer: &TypePtr, nullable: bool) -> Result<Passing, Refusal> {
    if let Some(refusal) = refusal::of_element(&pointer.elem, &pointer.mutability) {
        return Err(refusal);
    }
    let element = match types::plain(&pointer.elem) {
        Type::Ptr(_) => Element::Address,
        ty if types::name(ty).as_deref() == Some("c_void") => Element::Void(pointer.elem.clone()),
        _ => Element::Typed(pointer.elem.clone()),
    };
    Ok(Passing::Pointer { mutability: pointer.mutability.clone(), element, nullable })
}
