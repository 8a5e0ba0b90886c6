//! The members of a CUDA struct, as the fields of a Rust struct should be.

use warpcall_signature::{Record, RecordKind, Type, TypeKind};

use super::{places::Places, rust_words};

/// One member.
pub(super) struct Member {
    /// Empty for one without a name.
    pub(super) name: String,
    /// What a field of it may be declared as; empty where only its size is known.
    pub(super) words: Vec<String>,
    pub(super) offset: u64,
    pub(super) size: u64,
    /// The member and where it is written.
    pub(super) shown: String,
    /// What to write for it, where that is known.
    pub(super) remedy: String,
}

/// The members of `record` in order, those of its bases and of anonymous structs among them. `None` where no
/// Rust struct has the same fields: a union, or bit-fields.
pub(super) fn of(record: &Record, places: &Places<'_>) -> Option<Vec<Member>> {
    let mut members = Vec::new();
    add(record, 0, places, &mut members)?;
    Some(members)
}

fn add(record: &Record, start: u64, places: &Places<'_>, members: &mut Vec<Member>) -> Option<()> {
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
                add(inner, offset, places, members)?;
            }
            _ => {
                let name = field.name.clone().unwrap_or_default();
                members.push(Member {
                    shown: format!(
                        "`{}` at offset {offset}{}",
                        declaration(&field.ty, &name),
                        place.as_deref().unwrap_or_default()
                    ),
                    remedy: remedy(&field.ty, &name),
                    name,
                    words: rust_words::names(&field.ty),
                    offset,
                    size: field.ty.layout()?.size,
                });
            }
        }
    }
    Some(())
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
