//! Whether one declared type is one type of CUDA.

use std::sync::Arc;

use warpcall_signature::{Alignments, Class, Layout, Record, Type, TypeKind};

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
        (D::Pointer { mutable, to }, K::Pointer(cuda) | K::Reference(cuda)) => {
            match (*mutable, cuda.is_const_memory()) {
                (true, true) if !freedom.allow_mut => Verdict::Mut,
                (false, false) if !freedom.assume_const => Verdict::Const,
                _ => of_type(to, cuda, freedom),
            }
        }
        (D::Address, K::Pointer(_) | K::Reference(_)) | (D::Void, K::Void) | (D::TensorMap, K::TensorMap) => {
            Verdict::Agrees
        }
        (D::Array { element, length }, K::Array { element: cuda, length: expected }) => {
            if length.is_some() && expected.is_some() && length != expected {
                return Verdict::Differs;
            }
            of_type(element, cuda, freedom)
        }
        (D::Scalar(scalar), _) => decided(Type::from(*scalar).agrees_with(cuda), cuda),
        (D::Vector(vector), _) => decided(Type::from(K::Vector(*vector)).agrees_with(cuda), cuda),
        (D::Named(ty), _) => of_name(ty, cuda),
        _ => Verdict::Differs,
    }
}

fn decided(agrees: Option<bool>, cuda: &Type) -> Verdict {
    match agrees {
        Some(true) => Verdict::Agrees,
        Some(false) => Verdict::Differs,
        None => Verdict::Undecided(unseen(&cuda.to_string())),
    }
}

/// A name of the user's against a type that is known: what the name means the compiler knows.
fn of_name(ty: &syn::Type, cuda: &Type) -> Verdict {
    match &cuda.kind {
        TypeKind::Scalar(_) | TypeKind::Vector(_) | TypeKind::Enum(_) => {
            let names = rust_words::names(cuda);
            let nameable = |name: &String| {
                !matches!(name.as_str(), "f16" | "bf16" | "F8E4M3" | "F8E5M2" | "Half2" | "Bfloat162")
            };
            if !names.is_empty() && names.iter().all(nameable) {
                return Verdict::Later(Later::OneOf { ty: Box::new(ty.clone()), names });
            }
            Verdict::OtherName
        }
        TypeKind::Record(record) => match record.layout {
            Some(_) => Verdict::Later(Later::Layout { ty: Box::new(ty.clone()), layouts: layouts(cuda) }),
            None if is_called(ty, &record.name) => Verdict::Agrees,
            None => without_layout(record),
        },
        TypeKind::Array { .. } if cuda.layout().is_some() => {
            Verdict::Later(Later::Layout { ty: Box::new(ty.clone()), layouts: layouts(cuda) })
        }
        _ => Verdict::Differs,
    }
}

fn without_layout(record: &Record) -> Verdict {
    let reason = record.unreadable.as_deref().unwrap_or("its members are not all known");
    Verdict::Undecided(format!("`{}` has no layout: {reason}", record.name))
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
