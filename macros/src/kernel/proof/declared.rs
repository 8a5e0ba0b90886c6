//! The declared types, as far as their names tell what they are.

use syn::{Expr, ExprLit, Lit, PathArguments, PointerMutability, Type};
use warpcall_signature::{
    Scalar, Vector,
    rust::{scalar_named, vector_named},
};

use crate::types;

/// What a declared type is.
pub(super) enum Declared {
    Scalar(Scalar),
    Vector {
        vector: Vector,
        ty: Box<Type>,
    },
    TensorMap,
    /// `c_void`.
    Void,
    /// `DevicePtr`: a pointer to anything.
    Address,
    Pointer {
        mutable: bool,
        to: Box<Declared>,
    },
    Array {
        ty: Box<Type>,
        element: Box<Declared>,
        /// `None` where it is no literal.
        length: Option<u64>,
    },
    /// A name of the user's: a struct, or another name for something else.
    Named(Box<Type>),
}

/// What `ty` is.
pub(super) fn of(ty: &Type) -> Declared {
    match types::plain(ty) {
        Type::Ptr(pointer) => Declared::Pointer {
            mutable: matches!(pointer.mutability, PointerMutability::Mut(_)),
            to: Box::new(of(&pointer.elem)),
        },
        Type::Array(array) => Declared::Array {
            ty: Box::new(ty.clone()),
            element: Box::new(of(&array.elem)),
            length: length(&array.len),
        },
        Type::Path(path)
            if path
                .path
                .segments
                .last()
                .is_some_and(|last| matches!(last.arguments, PathArguments::None)) =>
        {
            let name = types::name(ty).unwrap_or_default();
            named(&name, ty).unwrap_or_else(|| Declared::Named(Box::new(ty.clone())))
        }
        _ => Declared::Named(Box::new(ty.clone())),
    }
}

/// Whether a type is called as a number is; any bytes are a value of it.
pub(in crate::kernel) fn is_number(ty: &Type) -> bool {
    matches!(of(ty), Declared::Scalar(scalar) if scalar != Scalar::Bool)
}

fn named(name: &str, ty: &Type) -> Option<Declared> {
    match name {
        "c_void" => return Some(Declared::Void),
        "DevicePtr" => return Some(Declared::Address),
        "TensorMap" => return Some(Declared::TensorMap),
        _ => {}
    }
    let scalar = scalar_named(name).map(Declared::Scalar);
    scalar.or_else(|| vector_named(name).map(|vector| Declared::Vector { vector, ty: Box::new(ty.clone()) }))
}

fn length(value: &Expr) -> Option<u64> {
    match value {
        Expr::Lit(ExprLit { lit: Lit::Int(number), .. }) => number.base10_parse().ok(),
        Expr::Group(group) => length(&group.expr),
        _ => None,
    }
}
