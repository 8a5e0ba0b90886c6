//! The members of a CUDA struct, as the fields of a Rust struct should be.

use warpcall_signature::{Record, RecordKind, Type, TypeKind};

use super::{places::Places, rust_words};

/// One member.
pub(super) struct Member {
    /// Empty for one without a name.
    pub(super) name: String,
    /// What a field of it may be declared as; empty where only its size is known.
    pub(super) words: Vec<String>,
    /// The lengths of the array that it is, the outermost first.
    pub(super) extents: Vec<u64>,
    pub(super) offset: u64,
    pub(super) size: u64,
    /// The member and where it is written.
    pub(super) shown: String,
    /// What to write for it, where that is known.
    pub(super) remedy: String,
    /// The members of the struct that it is, or is an array of.
    pub(super) members: Vec<Member>,
}

/// Most members of one struct and those inside it: structs that hold each other twice at every level have more than can
/// be written.
const MOST_MEMBERS: usize = 1_000;

/// The members of `record` in order, those of its bases and of anonymous structs among them. `None` where no
/// Rust struct has the same fields: a union, or bit-fields.
pub(super) fn of(record: &Record, places: &Places<'_>) -> Option<Vec<Member>> {
    of_within(record, places, &mut MOST_MEMBERS.clone())
}

fn of_within(record: &Record, places: &Places<'_>, left: &mut usize) -> Option<Vec<Member>> {
    let mut members = Vec::new();
    add(record, 0, places, &mut members, left)?;
    Some(members)
}

fn add(
    record: &Record,
    start: u64,
    places: &Places<'_>,
    members: &mut Vec<Member>,
    left: &mut usize,
) -> Option<()> {
    if record.kind == RecordKind::Union {
        return None;
    }
    let place = record
        .position
        .as_ref()
        .map(|position| format!(", in the struct at {}:{}", places.path(&position.file), position.line));
    for field in &record.fields {
        if field.bits.is_some() {
            return None;
        }
        let offset = start + field.offset?;
        match (&field.name, &field.ty.kind) {
            (None, TypeKind::Record(inner)) if inner.is_empty => {}
            (None, TypeKind::Record(inner)) if inner.kind == RecordKind::Struct => {
                add(inner, offset, places, members, left)?;
            }
            _ => {
                *left = left.checked_sub(1)?;
                let name = field.name.clone().unwrap_or_default();
                members.push(Member {
                    shown: format!(
                        "`{}` at offset {offset}{}",
                        places.shorten(&declaration(&field.ty, &name)),
                        place.as_deref().unwrap_or_default()
                    ),
                    remedy: remedy(&field.ty, &name),
                    name,
                    words: rust_words::names(&field.ty),
                    extents: extents(&field.ty),
                    offset,
                    size: field.ty.layout()?.size,
                    members: inside(&field.ty, places, left),
                });
            }
        }
    }
    Some(())
}

/// The members of the struct that a type is, or is an array of; none where they cannot be compared.
fn inside(ty: &Type, places: &Places<'_>, left: &mut usize) -> Vec<Member> {
    match &ty.kind {
        TypeKind::Array { element, .. } => inside(element, places, left),
        TypeKind::Record(record) if ty.stand_in().is_none() => {
            of_within(record, places, left).unwrap_or_default()
        }
        _ => Vec::new(),
    }
}

fn extents(ty: &Type) -> Vec<u64> {
    match &ty.kind {
        TypeKind::Array { element, length } => length.iter().copied().chain(extents(element)).collect(),
        _ => Vec::new(),
    }
}

/// A member as C++ declares it.
fn declaration(ty: &Type, name: &str) -> String {
    let mut extents = String::new();
    let mut element = ty;
    while let TypeKind::Array { element: inner, length } = &element.kind {
        extents += &length.map_or_else(|| "[]".to_owned(), |length| format!("[{length}]"));
        element = inner;
    }
    format!("{element} {name}{extents}")
}

fn remedy(ty: &Type, name: &str) -> String {
    let mut extents = Vec::new();
    let mut element = ty;
    while let TypeKind::Array { element: inner, length } = &element.kind {
        extents.push(*length);
        element = inner;
    }
    let names = rust_words::names(element);
    let whole = extents.iter().rev().try_fold(names.into_iter().next(), |inner, length| {
        Some(Some(format!("[{}; {}]", inner?, (*length)?)))
    });
    match whole.flatten() {
        Some(whole) if !name.is_empty() => format!("; write `{name}: {whole}`"),
        _ => String::new(),
    }
}
