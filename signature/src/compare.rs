//! Comparing two signatures of one kernel, as far as both know.

use std::fmt;

use crate::members::first_difference;
use crate::{Class, Constant, Kernel, LaunchBounds, Parameter, Type, TypeKind};

/// One way in which two signatures differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The parameter, from 0; `None` for the list as a whole.
    pub parameter: Option<usize>,
    /// The parameter's name, where either side has one.
    pub name: Option<String>,
    /// What differs.
    pub kind: DifferenceKind,
}

/// What differs, the left signature's side first.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum DifferenceKind {
    /// The number of parameters.
    Count(usize, usize),
    /// The same names stand in another order: the index on the right of this left parameter.
    Order(usize),
    /// The name.
    Name(String, String),
    /// The type.
    Type(Type, Type),
    /// What a pointer points at.
    Pointee(Type, Type),
    /// `const` or `volatile` behind a pointer, the types being the same else.
    Constness(Type, Type),
    /// The size in bytes.
    Size(u64, u64),
    /// The alignment in bytes.
    Alignment(u64, u64),
    /// The offset in bytes: where an image that tells it has the parameter, and where the other side's alignment or
    /// offset puts it.
    Offset(u64, u64),
    /// Integer, float, bytes or pointer.
    Class(Class, Class),
    /// A bound of the kernel's launches: one number, or three of x, y and z.
    Bound(Bound, Vec<u64>, Vec<u64>),
}

/// A bound of a kernel's launches that may differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Bound {
    /// Most threads a block.
    MaxThreadsPerBlock,
    /// Fewest blocks a multiprocessor.
    MinBlocksPerMultiprocessor,
    /// Most blocks a cluster.
    MaxBlocksPerCluster,
    /// The block that a launch must have.
    RequiredBlock,
    /// The cluster that a launch has.
    ClusterDimensions,
    /// Most registers a thread.
    MaxRegisters,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(index) = self.parameter {
            write!(f, "parameter {index}")?;
            if let Some(name) = &self.name {
                write!(f, " (`{name}`)")?;
            }
            f.write_str(": ")?;
        }
        match &self.kind {
            DifferenceKind::Count(a, b) => write!(f, "{a} parameters against {b}"),
            DifferenceKind::Order(at) => write!(f, "stands at {at} on the other side"),
            DifferenceKind::Name(a, b) => write!(f, "named `{a}` against `{b}`"),
            DifferenceKind::Type(a, b) => write!(f, "`{a}` against `{b}`{}", inside(a, b)),
            DifferenceKind::Pointee(a, b) => write!(f, "points at `{a}` against `{b}`{}", inside(a, b)),
            DifferenceKind::Constness(a, b) => write!(f, "`{a}` against `{b}`, of another constness"),
            DifferenceKind::Size(a, b) => write!(f, "{a} bytes against {b}"),
            DifferenceKind::Alignment(a, b) => write!(f, "aligned to {a} against {b}"),
            DifferenceKind::Offset(a, b) => write!(f, "at offset {a} against {b}"),
            DifferenceKind::Class(a, b) => write!(f, "{a} against {b}"),
            DifferenceKind::Bound(bound, a, b) => write!(f, "{bound}: {} against {}", numbers(a), numbers(b)),
        }
    }
}

/// What tells two types apart that are written alike.
fn inside(a: &Type, b: &Type) -> String {
    if a.to_string() == b.to_string() { first_difference(a, b).unwrap_or_default() } else { String::new() }
}

fn numbers(values: &[u64]) -> String {
    values.iter().map(u64::to_string).collect::<Vec<_>>().join(" × ")
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::MaxThreadsPerBlock => "most threads a block",
            Self::MinBlocksPerMultiprocessor => "fewest blocks a multiprocessor",
            Self::MaxBlocksPerCluster => "most blocks a cluster",
            Self::RequiredBlock => "the block it must have",
            Self::ClusterDimensions => "the cluster it has",
            Self::MaxRegisters => "most registers a thread",
        })
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Integer => "an integer",
            Self::Float => "a float",
            Self::Bytes => "bytes",
            Self::Pointer => "a pointer",
            Self::Unknown => "something unknown",
        })
    }
}

/// How `left` and `right` differ; empty where they agree as far as both know.
///
/// The names of the kernels are not compared: choosing the pair is up to the caller. A list that is
/// not complete, for it has a pack or could not be read, is compared as far as it goes. Launch bounds are compared where
/// both sides tell them.
///
/// ```
/// use warpcall_signature::{DifferenceKind, compare, source::SourceReader};
///
/// let text = "__global__ void before(float* x, int n) {} __global__ void after(const float* x, long n) {}";
/// let module = SourceReader::new().read_text("k.cu", text)?;
/// let differences = compare(&module.kernels[0], &module.kernels[1]);
/// assert!(matches!(differences[0].kind, DifferenceKind::Constness(..)));
/// assert_eq!(differences[1].kind, DifferenceKind::Size(4, 8));
/// # Ok::<(), warpcall_signature::Diagnostic>(())
/// ```
pub fn compare(left: &Kernel, right: &Kernel) -> Vec<Difference> {
    let mut differences = Vec::new();
    let (l, r) = (&left.parameters, &right.parameters);
    if l.len() != r.len() && left.is_complete && right.is_complete {
        let kind = DifferenceKind::Count(l.len(), r.len());
        differences.push(Difference { parameter: None, name: None, kind });
    }
    // Names in another order say more than the types that follow from it.
    let reordered = l.len() == r.len() && is_permutation(l, r);
    for (i, (a, b)) in l.iter().zip(r).enumerate() {
        if a.is_pack || b.is_pack {
            break;
        }
        let name = a.name.clone().or_else(|| b.name.clone());
        let mut add = |kind| differences.push(Difference { parameter: Some(i), name: name.clone(), kind });
        if reordered && a.name != b.name {
            if let Some(at) = r.iter().position(|p| p.name == a.name) {
                add(DifferenceKind::Order(at));
            }
            continue;
        }
        if let (Some(x), Some(y)) = (&a.name, &b.name)
            && x != y
        {
            add(DifferenceKind::Name(x.clone(), y.clone()));
        }
        if let Some(kind) = value(a, b) {
            add(kind);
        }
        if let Some(kind) = place(l, r, i) {
            add(kind);
        }
    }
    let bounds = bounds(&left.bounds, &right.bounds);
    differences.extend(bounds.map(|kind| Difference { parameter: None, name: None, kind }));
    differences
}

/// The bounds that both sides tell, and differently.
fn bounds(left: &LaunchBounds, right: &LaunchBounds) -> impl Iterator<Item = DifferenceKind> {
    fn known(values: Option<&[Constant]>) -> Option<Vec<u64>> {
        values?.iter().map(Constant::value).collect()
    }
    let one = |bound, a: &Option<Constant>, b: &Option<Constant>| {
        (bound, known(a.as_ref().map(std::slice::from_ref)), known(b.as_ref().map(std::slice::from_ref)))
    };
    let three = |bound, a: &Option<[Constant; 3]>, b: &Option<[Constant; 3]>| {
        (bound, known(a.as_ref().map(|all| &all[..])), known(b.as_ref().map(|all| &all[..])))
    };
    let all = [
        one(Bound::MaxThreadsPerBlock, &left.max_threads_per_block, &right.max_threads_per_block),
        one(
            Bound::MinBlocksPerMultiprocessor,
            &left.min_blocks_per_multiprocessor,
            &right.min_blocks_per_multiprocessor,
        ),
        one(Bound::MaxBlocksPerCluster, &left.max_blocks_per_cluster, &right.max_blocks_per_cluster),
        three(Bound::RequiredBlock, &left.required_block, &right.required_block),
        three(Bound::ClusterDimensions, &left.cluster_dimensions, &right.cluster_dimensions),
        one(Bound::MaxRegisters, &left.max_registers, &right.max_registers),
    ];
    all.into_iter().filter_map(|(bound, a, b)| match (a, b) {
        (Some(a), Some(b)) if a != b => Some(DifferenceKind::Bound(bound, a, b)),
        _ => None,
    })
}

fn is_permutation(left: &[Parameter], right: &[Parameter]) -> bool {
    let sorted = |list: &[Parameter]| {
        let mut names: Option<Vec<String>> = list.iter().map(|p| p.name.clone()).collect();
        if let Some(names) = &mut names {
            names.sort();
        }
        names
    };
    let left = sorted(left);
    left.is_some() && left == sorted(right)
}

/// Whether one alignment can be both sides' own, or puts the parameter where an image has it.
fn place(left: &[Parameter], right: &[Parameter], index: usize) -> Option<DifferenceKind> {
    let (a, b) = (&left[index], &right[index]);
    if !a.alignments().and(b.alignments()).is_empty() {
        return None;
    }
    if let (Some(x), Some(y)) = (a.alignment, b.alignment) {
        return Some(DifferenceKind::Alignment(x, y));
    }
    // Where the one with an alignment would lie behind what stands before the other.
    let beside = |own: &Parameter, other: &[Parameter]| match (own.offset, own.alignment) {
        (Some(offset), _) => Some(offset),
        (None, alignment) => end_before(other, index)?.checked_next_multiple_of(alignment?),
    };
    Some(DifferenceKind::Offset(beside(a, right)?, beside(b, left)?))
}

fn end_before(parameters: &[Parameter], index: usize) -> Option<u64> {
    match index.checked_sub(1).map(|before| &parameters[before]) {
        None => Some(0),
        Some(before) => before.offset?.checked_add(before.size?),
    }
}

/// The first that differs of size, class and type: each follows from the one before, but for the size of a struct.
fn value(a: &Parameter, b: &Parameter) -> Option<DifferenceKind> {
    if let (Some(x), Some(y)) = (a.size, b.size)
        && !a.accepts_size(y)
        && !b.accepts_size(x)
    {
        return Some(members(a, b).unwrap_or(DifferenceKind::Size(x, y)));
    }
    if let (Some(x), Some(y)) = (&a.ty, &b.ty) {
        return types(x, y);
    }
    let agree = match (a.class, b.class) {
        // PTX writes a pointer as an integer, unless it is told otherwise.
        (Class::Unknown, _)
        | (_, Class::Unknown)
        | (Class::Integer, Class::Pointer)
        | (Class::Pointer, Class::Integer) => true,
        // Half is bytes to the compiler, and may be a float to those who write PTX themselves.
        (Class::Float, Class::Bytes) | (Class::Bytes, Class::Float) => a.size == Some(2),
        (x, y) => x == y,
    };
    if agree { None } else { Some(DifferenceKind::Class(a.class, b.class)) }
}

/// What tells two structs of one name apart, which is more than their sizes.
fn members(a: &Parameter, b: &Parameter) -> Option<DifferenceKind> {
    let (a, b) = (a.ty.as_ref()?, b.ty.as_ref()?);
    let is_told = a.to_string() == b.to_string() && first_difference(a, b).is_some();
    is_told.then(|| types(a, b))?
}

fn types(a: &Type, b: &Type) -> Option<DifferenceKind> {
    if a.agrees_with(b) != Some(false) {
        return None;
    }
    let (Some(x), Some(y)) = (a.pointee(), b.pointee()) else {
        return Some(DifferenceKind::Type(a.clone(), b.clone()));
    };
    if without_qualifiers(x).agrees_with(&without_qualifiers(y)) == Some(false) {
        Some(DifferenceKind::Pointee(x.clone(), y.clone()))
    } else {
        Some(DifferenceKind::Constness(a.clone(), b.clone()))
    }
}

/// A type with no `const` and no `volatile` at any level.
fn without_qualifiers(ty: &Type) -> Type {
    match (&ty.kind, ty.pointee()) {
        (_, Some(to)) => without_qualifiers(to).pointer(),
        (TypeKind::Array { element, length }, _) => {
            TypeKind::Array { element: Box::new(without_qualifiers(element)), length: *length }.into()
        }
        _ => ty.unqualified(),
    }
}
