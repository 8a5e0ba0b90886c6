//! The declared types, as far as their names tell what they are.

use syn::{Expr, ExprLit, Lit, PathArguments, PointerMutability, Type};
use warpcall_signature::{Scalar, Vector};

use crate::types;

/// What a declared type is.
pub(super) enum Declared {
    Scalar(Scalar),
    Vector(Vector),
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
        element: Box<Declared>,
        /// `None` where it is no literal.
        length: Option<u64>,
    },
    /// A name of the user's: a struct, or another name for something else.
    Named(Box<Type>),
}

/// The scalars by their names in Rust.
const SCALARS: [(&str, Scalar); 28] = [
    ("bool", Scalar::Bool),
    ("i8", Scalar::I8),
    ("u8", Scalar::U8),
    ("i16", Scalar::I16),
    ("u16", Scalar::U16),
    ("i32", Scalar::I32),
    ("u32", Scalar::U32),
    ("i64", Scalar::I64),
    ("u64", Scalar::U64),
    ("isize", Scalar::I64),
    ("usize", Scalar::U64),
    ("f16", Scalar::F16),
    ("bf16", Scalar::Bf16),
    ("f32", Scalar::F32),
    ("f64", Scalar::F64),
    ("F8E4M3", Scalar::Fp8E4M3),
    ("F8E5M2", Scalar::Fp8E5M2),
    ("c_char", Scalar::Char),
    ("c_schar", Scalar::I8),
    ("c_uchar", Scalar::U8),
    ("c_short", Scalar::I16),
    ("c_ushort", Scalar::U16),
    ("c_int", Scalar::I32),
    ("c_uint", Scalar::U32),
    ("c_long", Scalar::I64),
    ("c_ulong", Scalar::U64),
    ("c_float", Scalar::F32),
    ("c_double", Scalar::F64),
];

/// The beginnings of the vector types' names.
const VECTORS: [(&str, Scalar); 10] = [
    ("Char", Scalar::I8),
    ("Uchar", Scalar::U8),
    ("Short", Scalar::I16),
    ("Ushort", Scalar::U16),
    ("Int", Scalar::I32),
    ("Uint", Scalar::U32),
    ("Longlong", Scalar::I64),
    ("Ulonglong", Scalar::U64),
    ("Float", Scalar::F32),
    ("Double", Scalar::F64),
];

/// What `ty` is.
pub(super) fn of(ty: &Type) -> Declared {
    match types::plain(ty) {
        Type::Ptr(pointer) => Declared::Pointer {
            mutable: matches!(pointer.mutability, PointerMutability::Mut(_)),
            to: Box::new(of(&pointer.elem)),
        },
        Type::Array(array) => {
            Declared::Array { element: Box::new(of(&array.elem)), length: length(&array.len) }
        }
        Type::Path(path)
            if path
                .path
                .segments
                .last()
                .is_some_and(|last| matches!(last.arguments, PathArguments::None)) =>
        {
            let name = types::name(ty).unwrap_or_default();
            named(&name).unwrap_or_else(|| Declared::Named(Box::new(ty.clone())))
        }
        _ => Declared::Named(Box::new(ty.clone())),
    }
}

fn named(name: &str) -> Option<Declared> {
    match name {
        "c_void" => return Some(Declared::Void),
        "DevicePtr" => return Some(Declared::Address),
        "TensorMap" => return Some(Declared::TensorMap),
        "Half2" => return Some(Declared::Vector(Vector::new(Scalar::F16, 2))),
        "Bfloat162" => return Some(Declared::Vector(Vector::new(Scalar::Bf16, 2))),
        "c_longlong" => return Some(Declared::Scalar(Scalar::I64)),
        "c_ulonglong" => return Some(Declared::Scalar(Scalar::U64)),
        _ => {}
    }
    if let Some((_, scalar)) = SCALARS.iter().find(|(known, _)| *known == name) {
        return Some(Declared::Scalar(*scalar));
    }
    let lanes = name.as_bytes().last().filter(|last| (b'1'..=b'4').contains(last))? - b'0';
    let (_, element) = VECTORS.iter().find(|(known, _)| *known == &name[..name.len() - 1])?;
    Some(Declared::Vector(Vector::new(*element, lanes)))
}

fn length(value: &Expr) -> Option<u64> {
    match value {
        Expr::Lit(ExprLit { lit: Lit::Int(number), .. }) => number.base10_parse().ok(),
        Expr::Group(group) => length(&group.expr),
        _ => None,
    }
}

/// The names in Rust of a scalar, the best first; none where Rust has no such type.
pub(super) fn names_of_scalar(scalar: Scalar) -> &'static [&'static str] {
    match scalar {
        Scalar::Bool => &["bool"],
        Scalar::Char => &["i8", "u8"],
        Scalar::I8 => &["i8"],
        Scalar::U8 => &["u8"],
        Scalar::I16 => &["i16"],
        Scalar::U16 => &["u16"],
        Scalar::I32 => &["i32"],
        Scalar::U32 => &["u32"],
        Scalar::I64 => &["i64", "isize"],
        Scalar::U64 => &["u64", "usize"],
        Scalar::F16 => &["f16"],
        Scalar::Bf16 => &["bf16"],
        Scalar::F32 => &["f32"],
        Scalar::F64 => &["f64"],
        Scalar::Fp8E4M3 => &["F8E4M3"],
        Scalar::Fp8E5M2 => &["F8E5M2"],
        _ => &[],
    }
}

/// The name in Rust of a vector type, if it has one.
pub(super) fn name_of_vector(vector: Vector) -> Option<String> {
    if vector.lanes == 2 && vector.element == Scalar::F16 {
        return Some("Half2".to_owned());
    }
    if vector.lanes == 2 && vector.element == Scalar::Bf16 {
        return Some("Bfloat162".to_owned());
    }
    // The vectors that CUDA 13 aligns to 32 bytes have none.
    if vector != Vector::new(vector.element, vector.lanes) {
        return None;
    }
    let (base, _) = VECTORS.iter().find(|(_, element)| *element == vector.element)?;
    Some(format!("{base}{}", vector.lanes))
}
