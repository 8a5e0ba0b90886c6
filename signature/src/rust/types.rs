//! The type in Rust of a parameter and of a field.

use std::fmt;

use super::words;
use crate::{Class, Enumeration, Layout, Parameter, Record, Scalar, Type, TypeKind, Vector};

/// A type as it is written in Rust.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RustType {
    /// One of the language: `f32`, `usize`.
    Primitive(&'static str),
    /// One of a crate, or of a module of the standard library: `f16` of `half`, `Float4` of `warpcall`.
    Known {
        /// The path before its name.
        from: &'static str,
        /// Its name.
        name: String,
    },
    /// One that [`Structs`] gave.
    Named(String),
    /// A pointer.
    Pointer {
        /// `*const`, or else `*mut`.
        is_const: bool,
        /// What it leads to.
        to: Box<RustType>,
    },
    /// An array.
    Array {
        /// Its elements' type.
        element: Box<RustType>,
        /// How many there are.
        length: u64,
    },
}

impl RustType {
    /// The types of crates in it, by path and name.
    pub fn known(&self) -> Option<(&'static str, &str)> {
        match self {
            Self::Known { from, name } => Some((from, name)),
            Self::Pointer { to: inner, .. } | Self::Array { element: inner, .. } => inner.known(),
            Self::Primitive(_) | Self::Named(_) => None,
        }
    }
}

impl fmt::Display for RustType {
    /// As it is written where the names of crates are imported.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Primitive(name) => f.write_str(name),
            Self::Known { name, .. } | Self::Named(name) => f.write_str(name),
            Self::Pointer { is_const, to } => write!(f, "*{} {to}", if *is_const { "const" } else { "mut" }),
            Self::Array { element, length } => write!(f, "[{element}; {length}]"),
        }
    }
}

/// The type of a parameter in a declaration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParameterType {
    /// What is declared.
    pub ty: RustType,
    /// Why it cannot be compared with the CUDA source, so that the declaration says `#[unchecked]`.
    pub unchecked: Option<String>,
}

impl From<RustType> for ParameterType {
    fn from(ty: RustType) -> Self {
        Self { ty, unchecked: None }
    }
}

/// Why no type of Rust stands for one of CUDA.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missing {
    /// In words, to be read after the parameter's name and a colon.
    pub reason: String,
    /// Whether a pointer to it may be one to memory of any kind, marked `#[unchecked]`.
    pub is_opaque: bool,
}

impl From<String> for Missing {
    fn from(reason: String) -> Self {
        Self { reason, is_opaque: true }
    }
}

/// The types of Rust that stand for the structs of a CUDA file.
pub trait Structs {
    /// The name of the struct that has the members of `record`.
    ///
    /// # Errors
    ///
    /// There is none.
    fn of_record(&mut self, record: &Record) -> Result<String, Missing>;

    /// The name of the type that stands for one whose definition is not visible, where `parameter` is passed by value or
    /// is a pointer to it. Most know of none.
    fn of_name(&mut self, name: &str, parameter: &Parameter) -> Option<String> {
        let _ = (name, parameter);
        None
    }
}

/// What to declare for a parameter.
///
/// # Errors
///
/// Why nothing that a kernel takes stands for it.
pub fn of_parameter(parameter: &Parameter, structs: &mut dyn Structs) -> Result<ParameterType, String> {
    let Some(ty) = &parameter.ty else { return of_untyped(parameter) };
    let is_size = parameter.spelling.as_deref().is_some_and(is_size);
    Mapping { structs, is_size, parameter: Some(parameter) }.value(ty).map_err(|missing| missing.reason)
}

/// What to declare for a member of a struct, written as `spelling`.
///
/// # Errors
///
/// Why nothing that a struct of parameters may hold stands for it.
pub fn of_field(ty: &Type, spelling: Option<&str>, structs: &mut dyn Structs) -> Result<RustType, Missing> {
    let layout = ty.layout().ok_or_else(|| "its size is not known".to_owned())?;
    let is_size = spelling.is_some_and(is_size);
    Mapping { structs, is_size, parameter: None }.field(ty, layout)
}

/// An image that keeps no types tells of some parameters what they are.
fn of_untyped(parameter: &Parameter) -> Result<ParameterType, String> {
    match (parameter.class, parameter.size) {
        (Class::Float, Some(4)) => Ok(RustType::Primitive("f32").into()),
        (Class::Float, Some(8)) => Ok(RustType::Primitive("f64").into()),
        // What it leads to is not kept, and it may be written.
        (Class::Pointer, Some(8)) => Ok(pointer(false, void()).into()),
        (Class::Integer, Some(8)) => {
            Err("its type is not kept: an integer with or without sign, or a pointer".to_owned())
        }
        (Class::Integer, Some(1)) => {
            Err("its type is not kept: an integer with or without sign, or a `bool`".to_owned())
        }
        (Class::Integer, _) => Err("its type is not kept: an integer with or without sign".to_owned()),
        (_, Some(1)) => Err("its type is not kept: 1 byte".to_owned()),
        (_, Some(size)) => Err(format!("its type is not kept: {size} bytes")),
        _ => Err("its type is not known".to_owned()),
    }
}

/// Whether a type is spelled as one that is as wide as a pointer.
fn is_size(spelling: &str) -> bool {
    spelling
        .split(|letter: char| !letter.is_alphanumeric() && letter != '_')
        .any(|word| matches!(word, "size_t" | "uintptr_t" | "ssize_t" | "ptrdiff_t" | "intptr_t"))
}

struct Mapping<'a> {
    structs: &'a mut dyn Structs,
    is_size: bool,
    /// `None` for a field.
    parameter: Option<&'a Parameter>,
}

impl Mapping<'_> {
    fn value(&mut self, ty: &Type) -> Result<ParameterType, Missing> {
        let own = ty.stand_in();
        match &own.as_ref().unwrap_or(ty).kind {
            TypeKind::Pointer(to) | TypeKind::Reference(to) => self.pointer(to),
            TypeKind::TensorMap => Ok(known("warpcall", "TensorMap").into()),
            TypeKind::Scalar(scalar) => match self.scalar(*scalar) {
                Some(own) => Ok(own.into()),
                None if scalar.size() == 1 => {
                    let reason = format!("`{}` has no Rust type: its byte is passed", scalar.name());
                    Ok(ParameterType { ty: RustType::Primitive("u8"), unchecked: Some(reason) })
                }
                None => Err(format!("`{}` has no Rust type that is passed alike", scalar.name()).into()),
            },
            TypeKind::Record(record) => Ok(RustType::Named(self.structs.of_record(record)?).into()),
            _ => Ok(self.element(ty)?.into()),
        }
    }

    fn pointer(&mut self, to: &Type) -> Result<ParameterType, Missing> {
        let is_const = to.is_const_memory();
        match self.element(to) {
            Ok(element) => Ok(pointer(is_const, element).into()),
            Err(Missing { reason, is_opaque: true }) => Ok(ParameterType {
                ty: pointer(is_const, void()),
                unchecked: Some(format!("{reason}: any memory is taken")),
            }),
            Err(missing) => Err(missing),
        }
    }

    /// What stands behind a pointer, or in an array.
    fn element(&mut self, ty: &Type) -> Result<RustType, Missing> {
        let own = ty.stand_in();
        let none = |name: &str| Missing::from(format!("`{name}` has no Rust type"));
        match &own.as_ref().unwrap_or(ty).kind {
            TypeKind::Void => Ok(void()),
            TypeKind::Pointer(to) | TypeKind::Reference(to) => {
                Ok(pointer(to.is_const_memory(), self.element(to)?))
            }
            TypeKind::Array { element, length: Some(length) } => {
                Ok(RustType::Array { element: Box::new(self.element(element)?), length: *length })
            }
            TypeKind::Array { length: None, .. } => Err(format!("the length of `{ty}` is not known").into()),
            TypeKind::Scalar(scalar) => self.scalar(*scalar).ok_or_else(|| none(scalar.name())),
            TypeKind::Vector(vector) => of_vector(*vector).ok_or_else(|| none(&vector.name())),
            TypeKind::Enum(enumeration) => self.enumeration(enumeration),
            TypeKind::Record(record) if record.is_empty => {
                Err(format!("`{}` is empty, which takes room in C++ alone", record.name).into())
            }
            TypeKind::Record(record) => Ok(RustType::Named(self.structs.of_record(record)?)),
            TypeKind::TensorMap => {
                Err("device memory holds no `TensorMap`, which is passed by value".to_owned().into())
            }
            TypeKind::Named(name) => {
                let own = self.parameter.and_then(|parameter| self.structs.of_name(name, parameter));
                let unseen = || format!("`{name}` is not defined in the files read").into();
                own.map(RustType::Named).ok_or_else(unseen)
            }
            TypeKind::Dependent(name) => Err(format!("`{name}` depends on a template's parameters").into()),
            TypeKind::Function(_) => Err(format!("`{ty}` is a function of the device").into()),
            TypeKind::MemberPointer(_) => Err(none(&ty.to_string())),
        }
    }

    fn field(&mut self, ty: &Type, layout: Layout) -> Result<RustType, Missing> {
        if let Some(known) = ty.stand_in() {
            return self.field(&known, layout);
        }
        let array = |element, length| RustType::Array { element: Box::new(element), length };
        match &ty.kind {
            TypeKind::Pointer(_) | TypeKind::Reference(_) => Ok(known("warpcall", "DevicePtr")),
            TypeKind::MemberPointer(_) if layout.size == 8 => Ok(RustType::Primitive("u64")),
            TypeKind::MemberPointer(_) => Ok(array(RustType::Primitive("u64"), 2)),
            TypeKind::Array { element, length: Some(length) } => {
                let own =
                    element.layout().ok_or_else(|| "the size of its elements is not known".to_owned())?;
                Ok(array(self.field(element, own)?, *length))
            }
            // An empty struct takes a byte in C++, and none in Rust.
            TypeKind::Record(record) if record.is_empty && layout.alignment == 1 => Ok(match layout.size {
                1 => RustType::Primitive("u8"),
                size => array(RustType::Primitive("u8"), size),
            }),
            TypeKind::Scalar(scalar) if scalar.size() == 1 => {
                Ok(self.scalar(*scalar).unwrap_or(RustType::Primitive("u8")))
            }
            TypeKind::TensorMap => Err("a `TensorMap` is a parameter of its own".to_owned().into()),
            _ => self.element(ty),
        }
    }

    /// The integer that an enumeration is passed as.
    fn enumeration(&mut self, enumeration: &Enumeration) -> Result<RustType, Missing> {
        let reason =
            enumeration.unreadable.as_deref().map_or_else(String::new, |reason| format!(": {reason}"));
        let own = enumeration.underlying.and_then(|integer| self.scalar(integer));
        own.ok_or_else(|| format!("`{}` has no Rust type{reason}", enumeration.name).into())
    }

    fn scalar(&self, scalar: Scalar) -> Option<RustType> {
        let names = words::names_of_scalar(scalar);
        let name = match scalar {
            Scalar::I64 | Scalar::U64 if self.is_size => names.get(1),
            _ => names.first(),
        };
        name.map(|name| match scalar {
            Scalar::F16 | Scalar::Bf16 => known("half", *name),
            Scalar::Fp8E4M3 | Scalar::Fp8E5M2 => known("float8", *name),
            _ => RustType::Primitive(name),
        })
    }
}

fn of_vector(vector: Vector) -> Option<RustType> {
    words::name_of_vector(vector).map(|name| known("warpcall", name))
}

fn known(from: &'static str, name: impl Into<String>) -> RustType {
    RustType::Known { from, name: name.into() }
}

fn void() -> RustType {
    known("std::ffi", "c_void")
}

fn pointer(is_const: bool, to: RustType) -> RustType {
    RustType::Pointer { is_const, to: Box::new(to) }
}
