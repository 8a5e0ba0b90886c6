//! Structs, unions and enumerations, and how they lie in memory.

use super::{Position, Scalar, Type};

/// Size and alignment in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Layout {
    /// Size in bytes; an empty struct has 1.
    pub size: u64,
    /// Alignment in bytes, a power of two.
    pub alignment: u64,
}

/// Which keyword made a [`Record`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RecordKind {
    /// `struct` or `class`.
    Struct,
    /// `union`.
    Union,
}

/// A member of a struct or a union.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// The name; an anonymous struct or union, and an unnamed bit-field, has none.
    pub name: Option<String>,
    /// The canonical type.
    pub ty: Type,
    /// The type that its declaration begins with as it is written: `size_t` for `size_t* counts[2]`. `None` where it
    /// is defined there, and for a base class.
    pub spelling: Option<String>,
    /// Offset from the start in bytes, where the layout is known.
    pub offset: Option<u64>,
    /// The width in bits, of a bit-field.
    pub bits: Option<u64>,
}

/// A struct or union whose definition is visible.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// The name with its namespaces and template arguments, such as `detail::Op<float>`.
    pub name: String,
    /// Struct or union.
    pub kind: RecordKind,
    /// The non-static data members in order, base classes first as unnamed fields.
    pub fields: Vec<Field>,
    /// Size and alignment, with `CUtensorMap` aligned to 64.
    pub layout: Option<Layout>,
    /// Size and alignment with `CUtensorMap` aligned to 128, as in the headers from 13.0; set only
    /// where it differs.
    pub wide_layout: Option<Layout>,
    /// Why the layout is not known, if it is not.
    pub unreadable: Option<String>,
    /// Where it is defined.
    pub position: Option<Position>,
    /// Whether it has no data at all.
    pub is_empty: bool,
    /// Whether it is no plain struct: it has base classes, private members, functions of the compiler's of its own, or a
    /// member that is none.
    pub(crate) is_special: bool,
    /// Whether it has virtual functions, of its own or of a base class.
    pub(crate) is_dynamic: bool,
    /// Size without tail padding, where a derived class may reuse the padding.
    pub(crate) data_size: u64,
    /// How many structs stand inside each other in it, itself included.
    pub(crate) depth: usize,
}

/// An enumeration whose definition is visible.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Enumeration {
    /// The name with its namespaces.
    pub name: String,
    /// The integer it is kept in, where that is known.
    pub underlying: Option<Scalar>,
    /// Why the integer is not known, if it is not.
    pub unreadable: Option<String>,
    /// Whether the integer is written in the source. Without it only the size is sure, not the sign.
    pub is_fixed: bool,
    /// Where it is defined.
    pub position: Option<Position>,
}
