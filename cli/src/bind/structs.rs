//! Structs of Rust for structs and unions of CUDA.

use std::collections::{HashMap, HashSet};

use warpcall_signature::rust::{Members, camel_case, unique, vector_named};
use warpcall_signature::{Layout, Record, RecordKind, Type, TypeKind};

use super::place;
use super::types::Types;

/// A struct to write.
#[derive(Debug, Clone)]
pub(super) struct Struct {
    pub(super) name: String,
    /// What it is in CUDA and where.
    pub(super) doc: String,
    /// The alignment, where the fields do not bring it.
    pub(super) align: Option<u64>,
    pub(super) fields: Vec<Field>,
}

#[derive(Debug, Clone)]
pub(super) struct Field {
    pub(super) name: String,
    pub(super) ty: String,
    pub(super) doc: String,
}

/// The structs of one file, each after those that it holds.
#[derive(Debug, Clone, Default)]
pub(super) struct Structs {
    pub(super) all: Vec<Struct>,
    /// What became of each record, by its name and place.
    known: HashMap<String, Result<String, String>>,
    taken: HashSet<String>,
}

/// Names that `#[kernel]`, the prelude or an import has for something else.
const RESERVED: [&str; 20] = [
    "Box",
    "Buffer",
    "Copy",
    "Clone",
    "DevicePtr",
    "Err",
    "F8E4M3",
    "F8E5M2",
    "KernelParam",
    "None",
    "Ok",
    "Option",
    "Result",
    "Self",
    "Some",
    "String",
    "TensorMap",
    "Vec",
    "Rc",
    "Arc",
];

fn is_reserved(name: &str) -> bool {
    RESERVED.contains(&name) || vector_named(name).is_some()
}

impl Types {
    /// The name of the struct for `record`, which is written with the declarations.
    ///
    /// # Errors
    ///
    /// Why no struct of Rust has its layout.
    pub(super) fn structure(&mut self, record: &Record) -> Result<String, String> {
        let key = format!("{} {:?}", record.name, record.position);
        if let Some(known) = self.structs.known.get(&key) {
            return known.clone();
        }
        let before = (self.imports.clone(), self.structs.clone());
        let made = self.make(record);
        if made.is_err() {
            // The structs that it would have held are held by nothing.
            (self.imports, self.structs) = before;
        }
        let name = made.map(|mut made| {
            let wanted = if is_unnamed(record) { "Unnamed".to_owned() } else { camel_case(&record.name) };
            let wanted = if is_reserved(&wanted) { format!("Cuda{wanted}") } else { wanted };
            made.name = unique(&wanted, |name| self.structs.taken.insert(name.to_owned()));
            let name = made.name.clone();
            self.structs.all.push(made);
            self.import_name("warpcall", "KernelParam");
            name
        });
        self.structs.known.insert(key, name.clone());
        name
    }

    fn make(&mut self, record: &Record) -> Result<Struct, String> {
        let Some(layout) = record.layout else {
            let reason = record.unreadable.as_deref().unwrap_or("its members are not all known");
            return Err(format!("`{}` has no known layout: {reason}", record.name));
        };
        let at =
            record.position.as_ref().map(|position| format!(", {}", place(position))).unwrap_or_default();
        let mut members = Vec::new();
        let is_plain = flatten(record, 0, &mut members).is_some();
        let (fields, align) = if is_plain { self.fields(record, layout, &members)? } else { bytes(layout) };
        let what = match record.kind {
            _ if is_unnamed(record) => format!("an unnamed {}{at}", keyword(record.kind)),
            RecordKind::Struct => format!("`{}`{at}", record.name),
            RecordKind::Union => format!("the union `{}`{at}", record.name),
        };
        let doc = match record.kind {
            RecordKind::Struct if is_plain && is_unnamed(record) => format!("What is {what}."),
            RecordKind::Struct if is_plain => format!("{what}."),
            RecordKind::Struct => format!("The bytes of {what}: it has members that share them."),
            RecordKind::Union => format!("The bytes of {what}."),
        };
        Ok(Struct { name: String::new(), doc, align, fields })
    }

    /// The fields, with padding where `repr(C)` alone would not put them where CUDA does.
    fn fields(
        &mut self,
        record: &Record,
        layout: Layout,
        members: &[Member<'_>],
    ) -> Result<(Vec<Field>, Option<u64>), String> {
        let mut names = Members::of_struct(members.iter().filter_map(|member| member.name));
        let mut fields = Vec::new();
        let (mut end, mut alignment) = (0, 1);
        let mut paddings = 0;
        let mut pad = |fields: &mut Vec<Field>, from: u64, to: u64| {
            let name = format!("_padding{paddings}");
            paddings += 1;
            let doc = format!("Nothing, from byte {from} on.");
            fields.push(Field { name, ty: format!("[u8; {}]", to - from), doc });
        };
        for member in members {
            let shown = member.name.unwrap_or("an unnamed member");
            let why = |reason: String| format!("`{shown}` in `{}`: {reason}", record.name);
            let own = member.ty.layout().ok_or_else(|| why("its size is not known".to_owned()))?;
            if own.size == 0 {
                return Err(why("it has no size".to_owned()));
            }
            let ty = self.field(member.ty, member.spelling).map_err(why)?;
            if member.offset < end {
                return Err(why("it stands in the padding of the member before it".to_owned()));
            }
            let next = end.next_multiple_of(own.alignment);
            if next < member.offset {
                pad(&mut fields, end, member.offset);
            } else if next > member.offset {
                return Err(why("it is aligned to less than its type".to_owned()));
            }
            let wanted = member.name.map_or_else(|| format!("unnamed_{}", member.offset), str::to_owned);
            let name = match names.next(&wanted) {
                (name, false) => name,
                // `self_` is `self` to `#[kernel]`, which leaves underscores out.
                (name, true) if name.replace('_', "") == wanted.replace('_', "") => name,
                (_, true) if member.name.is_none() => wanted,
                (_, true) => return Err(why("Rust has no such name".to_owned())),
            };
            let doc = format!("`{}`, at byte {}.", declaration(member), member.offset);
            fields.push(Field { name, ty, doc });
            end = member.offset + own.size;
            alignment = alignment.max(own.alignment);
        }
        let align = (layout.alignment > alignment).then_some(layout.alignment);
        let whole = if members.is_empty() { layout.size } else { end.next_multiple_of(layout.alignment) };
        if whole < layout.size {
            pad(&mut fields, end, layout.size);
        } else if whole > layout.size || alignment > layout.alignment {
            return Err(format!("`{}` is packed, which no kernel parameter of Rust is", record.name));
        }
        Ok((fields, align))
    }
}

/// A member, or one of a base class or of an anonymous struct.
struct Member<'a> {
    name: Option<&'a str>,
    ty: &'a Type,
    spelling: Option<&'a str>,
    offset: u64,
}

/// All members in order; `None` where some share bytes: a union, or bit-fields.
fn flatten<'a>(record: &'a Record, start: u64, members: &mut Vec<Member<'a>>) -> Option<()> {
    if record.kind == RecordKind::Union {
        return None;
    }
    for field in &record.fields {
        if field.bits.is_some() {
            return None;
        }
        let offset = start + field.offset?;
        match (&field.name, &field.ty.kind) {
            (None, TypeKind::Record(inner)) if inner.is_empty => {}
            (None, TypeKind::Record(inner)) if inner.kind == RecordKind::Struct => {
                flatten(inner, offset, members)?;
            }
            (name, _) => {
                let spelling = field.spelling.as_deref();
                members.push(Member { name: name.as_deref(), ty: &field.ty, spelling, offset });
            }
        }
    }
    Some(())
}

fn keyword(kind: RecordKind) -> &'static str {
    match kind {
        RecordKind::Struct => "struct",
        RecordKind::Union => "union",
    }
}

/// Whether the reader made its name up, of where it is.
fn is_unnamed(record: &Record) -> bool {
    record.name.contains("(unnamed at")
}

fn bytes(layout: Layout) -> (Vec<Field>, Option<u64>) {
    let doc = "What CUDA finds there.".to_owned();
    let field = Field { name: "bytes".to_owned(), ty: format!("[u8; {}]", layout.size), doc };
    (vec![field], (layout.alignment > 1).then_some(layout.alignment))
}

/// A member as C++ declares it.
fn declaration(member: &Member<'_>) -> String {
    let mut extents = String::new();
    let mut element = member.ty;
    while let TypeKind::Array { element: inner, length } = &element.kind {
        extents += &length.map_or_else(|| "[]".to_owned(), |length| format!("[{length}]"));
        element = inner;
    }
    let element = match &element.kind {
        TypeKind::Record(record) if is_unnamed(record) => keyword(record.kind).to_owned(),
        _ => element.to_string(),
    };
    match member.name {
        Some(name) => format!("{element} {name}{extents}"),
        None => format!("{element}{extents}"),
    }
}
