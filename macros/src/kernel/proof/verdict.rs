//! Whether one declared type is one type of CUDA.

use std::sync::Arc;

use warpcall_signature::{Alignments, Class, Enumeration, Layout, Record, Scalar, Type, TypeKind};

use super::{declared::Declared, rust_words};
use crate::{kernel::model::Freedom, types};

/// What the macro can say of a declared type and one of CUDA.
pub(super) enum Verdict {
    Agrees,
    Differs,
    /// `*mut` for what is `const` in CUDA.
    Mut,
    /// `*const` for what is not `const` in CUDA.
    Const,
    /// A name of the user's may stand for the type, but nothing can tell.
    OtherName,
    /// It cannot be told, for this reason.
    Undecided(String),
    /// The compiler can tell, which knows what the names of the declaration mean.
    Later(Later),
}

/// What is left to the compiler.
#[derive(Clone)]
pub(super) enum Later {
    /// The type is one of these.
    OneOf { ty: Box<syn::Type>, names: Vec<String> },
    /// The type is the one that it is called after, and no other of its name.
    Is { ty: Box<syn::Type>, name: String },
    /// The type has one of these layouts.
    Layout { ty: Box<syn::Type>, layouts: Vec<Layout> },
    /// The type, passed by value, is this to an image.
    Value { ty: Box<syn::Type>, size: u64, alignments: Alignments, class: Class },
    /// The struct, passed by value, is this one.
    Struct { ty: Box<syn::Type>, record: Arc<Record>, layouts: Vec<Layout> },
}

/// Judges a parameter.
pub(super) fn of_parameter(declared: &Declared, cuda: &Type, freedom: Freedom) -> Verdict {
    if freedom.unchecked {
        return Verdict::Agrees;
    }
    match (declared, &cuda.kind) {
        (Declared::Named(ty), TypeKind::Record(record))
            if record.layout.is_some() && cuda.stand_in().is_none() =>
        {
            Verdict::Later(Later::Struct {
                ty: ty.clone(),
                record: Arc::clone(record),
                layouts: layouts(cuda),
            })
        }
        (Declared::Named(_), TypeKind::Record(record)) if cuda.stand_in().is_none() => without_layout(record),
        (Declared::Named(_), TypeKind::Named(name)) => Verdict::Undecided(unseen(name)),
        // Rust's own 128-bit integers are refused; a struct of two halves is passed as CUDA's are.
        (Declared::Named(ty), TypeKind::Scalar(scalar @ (Scalar::I128 | Scalar::U128))) => {
            Verdict::Later(Later::Value {
                ty: ty.clone(),
                size: scalar.size(),
                alignments: Alignments::of(scalar.size()),
                class: Class::Bytes,
            })
        }
        // No name stands for a pointer: one that does is refused as a parameter.
        (Declared::Named(_), TypeKind::Pointer(_) | TypeKind::Reference(_)) => Verdict::Differs,
        _ => of_type(declared, cuda, freedom),
    }
}

fn of_type(declared: &Declared, cuda: &Type, freedom: Freedom) -> Verdict {
    use Declared as D;
    use TypeKind as K;
    if let Some(known) = cuda.stand_in() {
        return of_type(declared, &known, freedom);
    }
    match (declared, &cuda.kind) {
        (D::Named(ty), K::Named(name)) if is_called(ty, name) => Verdict::Agrees,
        (_, K::Named(name) | K::Dependent(name)) => Verdict::Undecided(unseen(name)),
        // No memory is behind it.
        (D::Pointer { .. }, K::Pointer(cuda)) if matches!(cuda.kind, K::Function(_)) => Verdict::Differs,
        (D::Pointer { mutable, to }, K::Pointer(cuda) | K::Reference(cuda)) => {
            match (*mutable, cuda.is_const_memory()) {
                (true, true) if !freedom.allow_mut => Verdict::Mut,
                // A name that is not visible may be one of something `const`.
                (false, false) if is_hidden(to, cuda) => of_type(to, cuda, freedom),
                (false, false) if !freedom.assume_const => Verdict::Const,
                _ => of_type(to, cuda, freedom),
            }
        }
        (D::Address, K::Pointer(_) | K::Reference(_)) | (D::Void, K::Void) | (D::TensorMap, K::TensorMap) => {
            Verdict::Agrees
        }
        (D::Array { ty, element, length }, K::Array { element: inner, length: expected }) => {
            match (length, expected) {
                (Some(length), Some(expected)) if length != expected => Verdict::Differs,
                // A length that is no number the compiler knows, and with it the whole.
                (None, Some(_)) => match of_type(element, inner, freedom) {
                    Verdict::Agrees => {
                        Verdict::Later(Later::Layout { ty: ty.clone(), layouts: layouts(cuda) })
                    }
                    Verdict::Later(_) => of_name(ty, cuda),
                    other => other,
                },
                _ => of_type(element, inner, freedom),
            }
        }
        (D::Scalar(scalar), _) => decided(Type::from(*scalar).agrees_with(cuda), cuda),
        (D::Vector { vector, ty }, _) => {
            match decided(Type::from(K::Vector(*vector)).agrees_with(cuda), cuda) {
                Verdict::Agrees => match types::name(ty).filter(|name| is_nameable(name)) {
                    Some(name) => Verdict::Later(Later::Is { ty: ty.clone(), name }),
                    None => Verdict::Agrees,
                },
                other => other,
            }
        }
        (D::Named(ty), _) => of_name(ty, cuda),
        _ => Verdict::Differs,
    }
}

/// Whether nothing tells what a pointer leads to in CUDA: the type is not visible, and not declared by its name.
fn is_hidden(declared: &Declared, cuda: &Type) -> bool {
    let TypeKind::Named(name) = &cuda.kind else { return false };
    !matches!(declared, Declared::Named(ty) if is_called(ty, name))
}

fn decided(agrees: Option<bool>, cuda: &Type) -> Verdict {
    match agrees {
        Some(true) => Verdict::Agrees,
        Some(false) => Verdict::Differs,
        None => match &cuda.kind {
            TypeKind::Enum(hidden) if hidden.underlying.is_none() => without_size(hidden),
            _ => Verdict::Undecided(unseen(&cuda.to_string())),
        },
    }
}

/// A name of the user's against a type that is known: what the name means the compiler knows.
fn of_name(ty: &syn::Type, cuda: &Type) -> Verdict {
    match &cuda.kind {
        TypeKind::Enum(hidden) if hidden.underlying.is_none() => without_size(hidden),
        TypeKind::Scalar(_) | TypeKind::Vector(_) | TypeKind::Enum(_) => {
            one_of(ty, cuda).unwrap_or(Verdict::OtherName)
        }
        TypeKind::Record(record) => match record.layout {
            Some(_) => Verdict::Later(Later::Layout { ty: Box::new(ty.clone()), layouts: layouts(cuda) }),
            None if is_called(ty, &record.name) => Verdict::Agrees,
            None => without_layout(record),
        },
        TypeKind::Array { .. } if cuda.layout().is_some() => one_of(ty, cuda).unwrap_or_else(|| {
            Verdict::Later(Later::Layout { ty: Box::new(ty.clone()), layouts: layouts(cuda) })
        }),
        _ => Verdict::Differs,
    }
}

/// A name that the compiler compares with those that agree, where each of these can be written anywhere.
fn one_of(ty: &syn::Type, cuda: &Type) -> Option<Verdict> {
    let names = rust_words::elements(cuda);
    let element =
        |name: &str| is_nameable(name.trim_start_matches('[').split(';').next().unwrap_or_default());
    (!names.is_empty() && names.iter().all(|name| element(name)))
        .then(|| Verdict::Later(Later::OneOf { ty: Box::new(ty.clone()), names }))
}

/// Whether the type of this name is one of the language, or of warpcall whatever its features.
fn is_nameable(name: &str) -> bool {
    !matches!(name, "f16" | "bf16" | "F8E4M3" | "F8E5M2" | "Half2" | "Bfloat162")
}

fn without_layout(record: &Record) -> Verdict {
    let reason = record.unreadable.as_deref().unwrap_or("its members are not all known");
    Verdict::Undecided(format!("`{}` has no layout: {reason}", record.name))
}

fn without_size(enumeration: &Enumeration) -> Verdict {
    let reason = enumeration.unreadable.as_deref().unwrap_or("its values are not all known");
    Verdict::Undecided(format!("`{}` has no known size: {reason}", enumeration.name))
}

/// Why a name in CUDA says nothing.
fn unseen(name: &str) -> String {
    format!("what `{name}` is cannot be told from the files read")
}

/// The layouts a type may have: that of a tensor map differs among CUDA's headers.
fn layouts(cuda: &Type) -> Vec<Layout> {
    let mut layouts: Vec<Layout> = cuda.layout().into_iter().collect();
    layouts.extend(cuda.wide_layout().filter(|wide| Some(*wide) != cuda.layout()));
    layouts
}

/// Whether a Rust type has the name of one of CUDA, apart from modules and name spaces.
fn is_called(ty: &syn::Type, cuda: &str) -> bool {
    let last = cuda.rsplit("::").next().unwrap_or(cuda);
    types::name(ty).as_deref() == Some(last)
}
