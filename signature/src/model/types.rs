//! Canonical types.

use std::sync::Arc;

use super::{Class, Enumeration, Field, Layout, Record, Scalar, Vector};

/// A type with its qualifiers; a pointer's pointee carries its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Type {
    /// What it is.
    pub kind: TypeKind,
    /// `const` at this level.
    pub is_const: bool,
    /// `volatile` at this level.
    pub is_volatile: bool,
}

/// What a type is, aliases followed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum TypeKind {
    /// `void`, behind a pointer.
    Void,
    /// A scalar.
    Scalar(Scalar),
    /// One of CUDA's vectors.
    Vector(Vector),
    /// `CUtensorMap`: 128 bytes, aligned to 64 in the 12.x headers and to 128 in 13.x.
    TensorMap,
    /// A pointer, to what it points at.
    Pointer(Box<Type>),
    /// A reference, to what it refers to; passed as a pointer.
    Reference(Box<Type>),
    /// A pointer to a member of a class; 8 bytes for data, 16 for a function.
    MemberPointer(Box<Type>),
    /// An array; as a parameter it has already become a pointer.
    Array {
        /// The type of each element.
        element: Box<Type>,
        /// The number of elements, where it can be evaluated.
        length: Option<u64>,
    },
    /// A function, behind a pointer.
    Function(Box<FunctionType>),
    /// A struct or union whose definition is visible.
    Record(Arc<Record>),
    /// An enumeration whose definition is visible.
    Enum(Arc<Enumeration>),
    /// A name whose definition is not visible.
    Named(String),
    /// A type that depends on a template parameter, as written.
    Dependent(String),
}

/// The type of a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FunctionType {
    /// What it returns.
    pub result: Type,
    /// What it takes.
    pub parameters: Vec<Type>,
    /// Whether it ends in `...`.
    pub is_variadic: bool,
}

impl From<TypeKind> for Type {
    fn from(kind: TypeKind) -> Self {
        Self { kind, is_const: false, is_volatile: false }
    }
}

impl From<Scalar> for Type {
    fn from(scalar: Scalar) -> Self {
        TypeKind::Scalar(scalar).into()
    }
}

impl Type {
    /// A pointer to this type.
    #[must_use]
    pub fn pointer(self) -> Self {
        TypeKind::Pointer(Box::new(self)).into()
    }

    /// The same type with `const` at its own level; of an array that is its elements' level.
    #[must_use]
    pub fn constant(mut self) -> Self {
        self.qualify(true, false);
        self
    }

    /// Adds qualifiers as C++ does: those of an array are its elements', and a reference and a function have none.
    pub(crate) fn qualify(&mut self, is_const: bool, is_volatile: bool) {
        match &mut self.kind {
            TypeKind::Array { element, .. } => element.qualify(is_const, is_volatile),
            TypeKind::Reference(_) | TypeKind::Function(_) => {}
            _ => {
                self.is_const |= is_const;
                self.is_volatile |= is_volatile;
            }
        }
    }

    /// The same type with the qualifiers of its own level removed.
    #[must_use]
    pub fn unqualified(&self) -> Self {
        self.kind.clone().into()
    }

    /// What a pointer or reference leads to.
    pub fn pointee(&self) -> Option<&Self> {
        match &self.kind {
            TypeKind::Pointer(to) | TypeKind::Reference(to) => Some(to),
            _ => None,
        }
    }

    /// Size and alignment, where they are known; `CUtensorMap` counts with alignment 64.
    pub fn layout(&self) -> Option<Layout> {
        self.layout_with(false)
    }

    /// Size and alignment with the headers from CUDA 13.0, where `CUtensorMap` is aligned to 128.
    pub fn wide_layout(&self) -> Option<Layout> {
        self.layout_with(true)
    }

    fn layout_with(&self, wide: bool) -> Option<Layout> {
        let layout = |size, alignment| Some(Layout { size, alignment });
        match &self.kind {
            TypeKind::Scalar(s) => layout(s.size(), s.size()),
            TypeKind::Vector(v) => Some(v.layout()),
            TypeKind::TensorMap => layout(128, if wide { 128 } else { 64 }),
            TypeKind::MemberPointer(to) if matches!(to.kind, TypeKind::Function(_)) => layout(16, 8),
            TypeKind::Pointer(_) | TypeKind::Reference(_) | TypeKind::MemberPointer(_) => layout(8, 8),
            TypeKind::Array { element, length } => {
                let element = element.layout_with(wide)?;
                layout(element.size.checked_mul((*length)?)?, element.alignment)
            }
            TypeKind::Record(r) if wide => r.wide_layout.or(r.layout),
            TypeKind::Record(r) => r.layout,
            TypeKind::Enum(e) => e.underlying.and_then(|integer| layout(integer.size(), integer.size())),
            TypeKind::Void | TypeKind::Function(_) | TypeKind::Named(_) | TypeKind::Dependent(_) => None,
        }
    }

    /// What the compiler makes of a parameter of this type in PTX.
    pub fn class(&self) -> Class {
        match &self.kind {
            TypeKind::Scalar(s) => s.class(),
            TypeKind::Enum(e) => e.underlying.map_or(Class::Unknown, Scalar::class),
            TypeKind::Pointer(_) | TypeKind::Reference(_) => Class::Pointer,
            // A pointer to data is an offset; one to a function is a pair.
            TypeKind::MemberPointer(to) if !matches!(to.kind, TypeKind::Function(_)) => Class::Integer,
            TypeKind::Void | TypeKind::Function(_) | TypeKind::Named(_) | TypeKind::Dependent(_) => {
                Class::Unknown
            }
            _ => Class::Bytes,
        }
    }

    /// Whether some part of it depends on a template parameter.
    pub fn is_dependent(&self) -> bool {
        match &self.kind {
            TypeKind::Dependent(_) => true,
            TypeKind::Pointer(t) | TypeKind::Reference(t) | TypeKind::MemberPointer(t) => t.is_dependent(),
            TypeKind::Array { element, .. } => element.is_dependent(),
            TypeKind::Function(f) => f.result.is_dependent() || f.parameters.iter().any(Self::is_dependent),
            _ => false,
        }
    }

    /// Whether both mean the same type, leaving out the qualifiers of the outermost level, which a
    /// caller cannot see. `None` where one of them hides what it is.
    pub fn agrees_with(&self, other: &Self) -> Option<bool> {
        self.agrees(other, &mut MOST_PARTS.clone())
    }

    fn agrees(&self, other: &Self, left: &mut u32) -> Option<bool> {
        use TypeKind as K;
        // Structs that hold each other twice at every level have more parts than can be visited.
        *left = left.checked_sub(1)?;
        match (&self.kind, &other.kind) {
            (K::Scalar(a), K::Scalar(b)) => Some(a.agrees_with(*b)),
            (K::Pointer(a) | K::Reference(a), K::Pointer(b) | K::Reference(b)) => {
                all([a.qualifiers_agree(b), a.agrees(b, left)].into_iter())
            }
            (K::Array { element: a, length: m }, K::Array { element: b, length: n }) => {
                if m.is_some() && n.is_some() && m != n { Some(false) } else { a.agrees(b, left) }
            }
            (K::Enum(e), K::Scalar(s)) | (K::Scalar(s), K::Enum(e)) => e.stands_for(*s),
            (K::Enum(a), K::Enum(b)) => {
                let sizes = a.underlying.zip(b.underlying).map(|(a, b)| a.size() == b.size());
                if same_name(&a.name, &b.name) { sizes } else { Some(false) }
            }
            (K::Record(a), K::Record(b)) if Arc::ptr_eq(a, b) => Some(true),
            (K::Record(a), K::Record(b)) => record_agrees(a, b, left),
            (K::Named(a), K::Named(b)) if same_name(a, b) => Some(true),
            // A name whose definition is hidden may be anything.
            (K::Named(_) | K::Dependent(_), _) | (_, K::Named(_) | K::Dependent(_)) => None,
            (K::Function(a), K::Function(b)) => function_agrees(a, b, left),
            (K::MemberPointer(a), K::MemberPointer(b)) => a.agrees(b, left),
            (a, b) => Some(a == b),
        }
    }

    /// Whether what a pointer leads to is qualified alike; a name whose definition is hidden may have qualifiers of its own.
    fn qualifiers_agree(&self, other: &Self) -> Option<bool> {
        use TypeKind as K;
        let has_all_of = |one: &Self, other: &Self| {
            (one.is_const || !other.is_const) && (one.is_volatile || !other.is_volatile)
        };
        match (&self.kind, &other.kind) {
            (K::Array { element: a, .. }, K::Array { element: b, .. }) => a.qualifiers_agree(b),
            _ if has_all_of(self, other) && has_all_of(other, self) => Some(true),
            (K::Named(a), K::Named(b)) if same_name(a, b) => Some(false),
            (K::Dependent(_), K::Dependent(_)) => Some(false),
            (a, b) => {
                let is_hidden = |kind: &K| matches!(kind, K::Named(_) | K::Dependent(_));
                let may_have =
                    (is_hidden(a) || has_all_of(self, other)) && (is_hidden(b) || has_all_of(other, self));
                if may_have { None } else { Some(false) }
            }
        }
    }

    /// How many parts it is made of, without the insides of structs.
    pub(crate) fn weight(&self) -> usize {
        1 + match &self.kind {
            TypeKind::Pointer(t) | TypeKind::Reference(t) | TypeKind::MemberPointer(t) => t.weight(),
            TypeKind::Array { element, .. } => element.weight(),
            TypeKind::Function(f) => f.result.weight() + f.parameters.iter().map(Self::weight).sum::<usize>(),
            _ => 0,
        }
    }

    /// How many structs stand inside each other in it.
    pub(crate) fn depth(&self) -> usize {
        match &self.kind {
            TypeKind::Record(r) => r.depth,
            TypeKind::Pointer(t) | TypeKind::Reference(t) | TypeKind::MemberPointer(t) => t.depth(),
            TypeKind::Array { element, .. } => element.depth(),
            TypeKind::Function(f) => {
                f.parameters.iter().map(Self::depth).chain([f.result.depth()]).max().unwrap_or(0)
            }
            _ => 0,
        }
    }
}

/// Most parts of two types that are compared with each other.
const MOST_PARTS: u32 = 100_000;

impl Field {
    /// Whether both are the same member: of one name, one width, one type.
    pub(crate) fn agrees_with(&self, other: &Self) -> Option<bool> {
        self.agrees(other, &mut MOST_PARTS.clone())
    }

    fn agrees(&self, other: &Self, left: &mut u32) -> Option<bool> {
        if self.name != other.name || self.bits != other.bits {
            return Some(false);
        }
        self.ty.agrees(&other.ty, left)
    }
}

impl Enumeration {
    fn stands_for(&self, scalar: Scalar) -> Option<bool> {
        if !scalar.is_integer() {
            return Some(false);
        }
        let own = self.underlying?;
        Some(if self.is_fixed {
            own.agrees_with(scalar)
        } else {
            scalar != Scalar::Bool && scalar.size() == own.size()
        })
    }
}

fn record_agrees(a: &Record, b: &Record, left: &mut u32) -> Option<bool> {
    if a.kind != b.kind || (a.layout.is_some() && b.layout.is_some() && a.layout != b.layout) {
        return Some(false);
    }
    if a.fields.len() != b.fields.len() {
        return Some(false);
    }
    all(a.fields.iter().zip(&b.fields).map(|(x, y)| x.agrees(y, left)))
}

fn function_agrees(a: &FunctionType, b: &FunctionType, left: &mut u32) -> Option<bool> {
    if a.parameters.len() != b.parameters.len() || a.is_variadic != b.is_variadic {
        return Some(false);
    }
    let result = a.result.agrees(&b.result, left);
    let parameters = a.parameters.iter().zip(&b.parameters).map(|(x, y)| x.agrees(y, left));
    all([result].into_iter().chain(parameters))
}

/// One that is false decides, then one that is unknown.
fn all(parts: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let mut result = Some(true);
    for part in parts {
        match part {
            Some(true) => {}
            Some(false) => return Some(false),
            None => result = None,
        }
    }
    result
}

/// A name may be written with or without its outer namespaces.
fn same_name(a: &str, b: &str) -> bool {
    let inside = |long: &str, short: &str| {
        long.strip_suffix(short).is_some_and(|rest| rest.is_empty() || rest.ends_with("::"))
    };
    inside(a, b) || inside(b, a)
}
