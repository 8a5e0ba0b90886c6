//! Types of Rust for types of CUDA.

use std::collections::BTreeSet;

use warpcall_signature::{Enumeration, Parameter, Scalar, Type, TypeKind, Vector};

use super::structs::Structs;
use crate::record::is_const;

/// The type of a parameter in a declaration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Declared {
    pub(super) ty: String,
    /// Why `#[kernel]` cannot compare it with the CUDA source.
    pub(super) unchecked: Option<String>,
}

impl From<String> for Declared {
    fn from(ty: String) -> Self {
        Self { ty, unchecked: None }
    }
}

/// The types of one file, with the names that have to be imported for them.
#[derive(Debug, Clone, Default)]
pub(super) struct Types {
    /// Crate or module, and name.
    pub(super) imports: BTreeSet<(&'static str, String)>,
    pub(super) structs: Structs,
    /// Whether the parameter at hand is written as `size_t` and the like.
    pub(super) as_size: bool,
}

impl Types {
    /// What to declare for a parameter.
    ///
    /// # Errors
    ///
    /// Why nothing that `#[kernel]` takes stands for it.
    pub(super) fn parameter(&mut self, parameter: &Parameter) -> Result<Declared, String> {
        let Some(ty) = &parameter.ty else {
            return Err("its type is not known".to_owned());
        };
        let spelling = parameter.spelling.as_deref().unwrap_or_default();
        self.as_size = spelling
            .split(|letter: char| !letter.is_alphanumeric() && letter != '_')
            .any(|word| matches!(word, "size_t" | "uintptr_t" | "ssize_t" | "ptrdiff_t" | "intptr_t"));
        let declared = self.value(ty);
        self.as_size = false;
        declared
    }

    fn value(&mut self, ty: &Type) -> Result<Declared, String> {
        let own = stand_in(ty);
        match &own.as_ref().unwrap_or(ty).kind {
            TypeKind::Pointer(to) | TypeKind::Reference(to) => Ok(self.pointer(to)),
            TypeKind::TensorMap => Ok(self.import("warpcall", "TensorMap").into()),
            TypeKind::Scalar(scalar) => match self.scalar(*scalar) {
                Some(name) => Ok(name.into()),
                None if scalar.size() == 1 => {
                    let reason = format!("`{}` has no Rust type: its byte is passed", scalar.name());
                    Ok(Declared { ty: "u8".to_owned(), unchecked: Some(reason) })
                }
                None => Err(format!("`{}` has no Rust type that is passed alike", scalar.name())),
            },
            TypeKind::Record(record) => Ok(self.structure(record)?.into()),
            _ => Ok(self.element(ty)?.into()),
        }
    }

    fn pointer(&mut self, to: &Type) -> Declared {
        let star = star(to);
        match self.element(to) {
            Ok(element) => format!("{star} {element}").into(),
            Err(reason) => {
                let void = self.import("std::ffi", "c_void");
                Declared {
                    ty: format!("{star} {void}"),
                    unchecked: Some(format!("{reason}: any memory is taken")),
                }
            }
        }
    }

    /// What stands behind a pointer, or in an array.
    ///
    /// # Errors
    ///
    /// Why nothing stands for it.
    pub(super) fn element(&mut self, ty: &Type) -> Result<String, String> {
        let own = stand_in(ty);
        match &own.as_ref().unwrap_or(ty).kind {
            TypeKind::Void => Ok(self.import("std::ffi", "c_void")),
            TypeKind::Pointer(to) | TypeKind::Reference(to) => {
                Ok(format!("{} {}", star(to), self.element(to)?))
            }
            TypeKind::Array { element, length: Some(length) } => {
                Ok(format!("[{}; {length}]", self.element(element)?))
            }
            TypeKind::Array { length: None, .. } => Err(format!("the length of `{ty}` is not known")),
            TypeKind::Scalar(scalar) => {
                self.scalar(*scalar).ok_or_else(|| format!("`{}` has no Rust type", scalar.name()))
            }
            TypeKind::Vector(vector) => {
                self.vector(*vector).ok_or_else(|| format!("`{}` has no Rust type", vector.name()))
            }
            TypeKind::Enum(enumeration) => self.enumeration(enumeration),
            TypeKind::Record(record) if record.is_empty => {
                Err(format!("`{}` is empty, which takes room in C++ alone", record.name))
            }
            TypeKind::Record(record) => self.structure(record),
            TypeKind::TensorMap => {
                Err("device memory holds no `TensorMap`, which is passed by value".to_owned())
            }
            TypeKind::Named(name) => Err(format!("`{name}` is not defined in the files read")),
            TypeKind::Dependent(name) => Err(format!("`{name}` depends on a template's parameters")),
            TypeKind::Function(_) => Err(format!("`{ty}` is a function of the device")),
            _ => Err(format!("`{ty}` has no Rust type")),
        }
    }

    /// The integer that an enumeration is passed as.
    pub(super) fn enumeration(&mut self, enumeration: &Enumeration) -> Result<String, String> {
        self.scalar(enumeration.underlying).ok_or_else(|| format!("`{}` has no Rust type", enumeration.name))
    }

    /// The name of a scalar, if Rust has it.
    pub(super) fn scalar(&mut self, scalar: Scalar) -> Option<String> {
        let name = match scalar {
            Scalar::Bool => "bool",
            Scalar::Char | Scalar::I8 => "i8",
            Scalar::U8 => "u8",
            Scalar::I16 => "i16",
            Scalar::U16 => "u16",
            Scalar::I32 => "i32",
            Scalar::U32 => "u32",
            Scalar::I64 if self.as_size => "isize",
            Scalar::I64 => "i64",
            Scalar::U64 if self.as_size => "usize",
            Scalar::U64 => "u64",
            Scalar::F32 => "f32",
            Scalar::F64 => "f64",
            Scalar::F16 => return Some(self.import("half", "f16")),
            Scalar::Bf16 => return Some(self.import("half", "bf16")),
            Scalar::Fp8E4M3 => return Some(self.import("float8", "F8E4M3")),
            Scalar::Fp8E5M2 => return Some(self.import("float8", "F8E5M2")),
            _ => return None,
        };
        Some(name.to_owned())
    }

    /// The name of a vector, if warpcall has it.
    pub(super) fn vector(&mut self, vector: Vector) -> Option<String> {
        // CUDA 13 has vectors of another alignment, which have no namesake.
        if vector != Vector::new(vector.element, vector.lanes) {
            return None;
        }
        let base = match (vector.element, vector.lanes) {
            (Scalar::F16, 2) => return Some(self.import("warpcall", "Half2")),
            (Scalar::Bf16, 2) => return Some(self.import("warpcall", "Bfloat162")),
            (Scalar::I8, _) => "Char",
            (Scalar::U8, _) => "Uchar",
            (Scalar::I16, _) => "Short",
            (Scalar::U16, _) => "Ushort",
            (Scalar::I32, _) => "Int",
            (Scalar::U32, _) => "Uint",
            (Scalar::I64, _) => "Longlong",
            (Scalar::U64, _) => "Ulonglong",
            (Scalar::F32, _) => "Float",
            (Scalar::F64, _) => "Double",
            _ => return None,
        };
        Some(self.import("warpcall", &format!("{base}{}", vector.lanes)))
    }

    /// Notes that `name` is used, and gives it back.
    pub(super) fn import(&mut self, from: &'static str, name: &str) -> String {
        self.imports.insert((from, name.to_owned()));
        name.to_owned()
    }
}

fn star(to: &Type) -> &'static str {
    if is_const(to) { "*const" } else { "*mut" }
}

/// The type of CUDA's that a struct of its name and size stands for: code that is compiled while it runs has no
/// headers, and declares what it needs of them.
pub(super) fn stand_in(ty: &Type) -> Option<Type> {
    let TypeKind::Record(record) = &ty.kind else { return None };
    let kind = match &*record.name {
        "half" | "__half" => TypeKind::Scalar(Scalar::F16),
        "__nv_bfloat16" => TypeKind::Scalar(Scalar::Bf16),
        "__nv_fp8_e4m3" => TypeKind::Scalar(Scalar::Fp8E4M3),
        "__nv_fp8_e5m2" => TypeKind::Scalar(Scalar::Fp8E5M2),
        "half2" | "__half2" => TypeKind::Vector(Vector::new(Scalar::F16, 2)),
        "__nv_bfloat162" => TypeKind::Vector(Vector::new(Scalar::Bf16, 2)),
        "CUtensorMap" | "CUtensorMap_st" => TypeKind::TensorMap,
        _ => return None,
    };
    let known = Type { kind, is_const: ty.is_const, is_volatile: ty.is_volatile };
    let own = ty.layout()?;
    (known.layout() == Some(own) || known.wide_layout() == Some(own)).then_some(known)
}
