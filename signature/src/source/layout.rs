//! How the members of a class lie in memory, by the rules of the Itanium C++ ABI.

use crate::{Field, Layout, RecordKind, Type, TypeKind};

/// A data member or a base class, with what was asked for it.
#[derive(Debug, Clone)]
pub(super) struct Member {
    pub(super) field: Field,
    /// The alignment that `alignas` asks for.
    pub(super) alignment: Option<u64>,
    pub(super) is_base: bool,
    pub(super) is_packed: bool,
}

/// What is asked for a class as a whole.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rules {
    pub(super) kind: RecordKind,
    /// The alignment that `alignas` and its kin ask for.
    pub(super) alignment: Option<u64>,
    pub(super) is_packed: bool,
    /// The limit on alignment of `#pragma pack`.
    pub(super) pack: Option<u64>,
    /// Whether a pointer to a table of virtual functions comes first.
    pub(super) has_virtual: bool,
    /// Whether `CUtensorMap` is aligned to 128.
    pub(super) wide: bool,
}

/// Where everything lies.
#[derive(Debug)]
pub(super) struct Laid {
    pub(super) layout: Layout,
    /// Size before the padding at the end.
    pub(super) data_size: u64,
    pub(super) offsets: Vec<u64>,
}

const TOO_LARGE: &str = "it is too large";

fn align_up(value: u64, alignment: u64) -> Result<u64, String> {
    value.checked_next_multiple_of(alignment).ok_or_else(|| TOO_LARGE.into())
}

/// Lays out the members, or says why that cannot be done.
pub(super) fn lay_out(members: &[Member], rules: Rules) -> Result<Laid, String> {
    let mut alignment = rules.alignment.unwrap_or(1);
    let mut offsets = Vec::with_capacity(members.len());
    let (mut end, mut size) = (0_u64, 0_u64);
    // The next free bit, counted from `end` downwards; 0 outside of bit-fields.
    let mut bit = 0_u64;
    if rules.has_virtual {
        let natural = if rules.is_packed { 1 } else { rules.pack.map_or(8, |pack| pack.min(8)) };
        (end, size, alignment) = (8, 8, alignment.max(natural));
    }
    for (i, member) in members.iter().enumerate() {
        let ty = &member.field.ty;
        let own = if rules.wide { ty.wide_layout() } else { ty.layout() };
        let own = own.ok_or_else(|| unknown(ty))?;
        if member.is_base && is_empty(ty) {
            clash(members, i)?;
            offsets.push(0);
            size = size.max(own.size);
            alignment = alignment.max(own.alignment);
            continue;
        }
        let packed = rules.is_packed || member.is_packed;
        let natural = if packed { 1 } else { own.alignment };
        let natural = rules.pack.map_or(natural, |pack| natural.min(pack));
        let wanted = natural.max(member.alignment.unwrap_or(1));
        if rules.kind == RecordKind::Union {
            end = 0;
            bit = 0;
        }
        if let Some(bits) = member.field.bits {
            let unit = own.size * 8;
            let mut first =
                if bit > 0 { (end - 1) * 8 + bit } else { end.checked_mul(8).ok_or(TOO_LARGE)? };
            let crosses = bits > 0 && !packed && first / unit != (first + bits - 1) / unit;
            if bits == 0 || crosses || member.alignment.is_some() {
                first = align_up(first, 8 * if bits == 0 { natural } else { wanted })?;
            }
            if bits > unit {
                return Err("a bit-field is wider than its type".into());
            }
            offsets.push(first / 8);
            let last = first + bits;
            end = last.div_ceil(8);
            bit = last % 8;
            if member.field.name.is_some() {
                alignment = alignment.max(wanted);
            }
        } else {
            bit = 0;
            let offset = align_up(end, wanted)?;
            offsets.push(offset);
            let taken = if member.is_base { base_size(ty, own.size) } else { own.size };
            end = offset.checked_add(taken).ok_or(TOO_LARGE)?;
            alignment = alignment.max(wanted);
        }
        size = size.max(end);
    }
    let data_size = size;
    let size = align_up(size.max(1), alignment)?;
    Ok(Laid { layout: Layout { size, alignment }, data_size, offsets })
}

fn unknown(ty: &Type) -> String {
    match &ty.kind {
        TypeKind::Named(name) => format!("the type `{name}` is not defined in the files read"),
        TypeKind::Dependent(name) => format!("`{name}` depends on a template parameter"),
        TypeKind::Record(record) => match &record.unreadable {
            Some(reason) => format!("`{}` cannot be laid out: {reason}", record.name),
            None => format!("`{}` cannot be laid out", record.name),
        },
        TypeKind::Array { length: None, .. } => "the length of an array cannot be evaluated".into(),
        _ => format!("`{ty}` has no size"),
    }
}

fn is_empty(ty: &Type) -> bool {
    matches!(&ty.kind, TypeKind::Record(record) if record.is_empty)
}

/// What a base class takes: others may lie in its padding, if it is no plain struct.
fn base_size(ty: &Type, size: u64) -> u64 {
    match &ty.kind {
        TypeKind::Record(record) => record.data_size,
        _ => size,
    }
}

/// Two empty parts of one type must not have one address; what C++ does then is not followed.
fn clash(members: &[Member], base: usize) -> Result<(), String> {
    fn of(member: &Member) -> Vec<&str> {
        let mut names = Vec::new();
        empty_at_start(&member.field.ty, &mut names);
        names
    }
    let mine = of(&members[base]);
    let bases = members.iter().enumerate().filter(|(index, member)| *index != base && member.is_base);
    let first_field = members.iter().find(|member| !member.is_base);
    let mut others = bases.map(|(_, member)| member).chain(first_field);
    if others.any(|other| of(other).iter().any(|name| mine.contains(name))) {
        return Err("an empty base class stands in it twice".into());
    }
    Ok(())
}

/// The names of the empty structs that begin where `ty` does.
fn empty_at_start<'t>(ty: &'t Type, names: &mut Vec<&'t str>) {
    match &ty.kind {
        TypeKind::Array { element, .. } => empty_at_start(element, names),
        TypeKind::Record(record) => {
            if record.is_empty {
                names.push(&record.name);
            }
            for field in record.fields.iter().filter(|field| field.offset == Some(0)) {
                empty_at_start(&field.ty, names);
            }
        }
        _ => {}
    }
}
