//! How the members of a class lie in memory, by the rules of the Itanium C++ ABI, and by those of nvcc where these leave
//! it open, as for packed structs.

use crate::{Field, Layout, RecordKind, Type, TypeKind};

/// A data member or a base class, with what was asked for it.
#[derive(Debug, Clone)]
pub(super) struct Member {
    pub(super) field: Field,
    /// The alignment asked for, and that which an attribute asks for and not `alignas`.
    pub(super) alignment: Option<u64>,
    pub(super) attribute_alignment: Option<u64>,
    pub(super) is_base: bool,
    pub(super) is_packed: bool,
}

impl Member {
    /// One of which nothing is asked.
    pub(super) fn plain(ty: Type, is_base: bool) -> Self {
        let field = Field { name: None, ty, spelling: None, offset: None, bits: None };
        Self { field, alignment: None, attribute_alignment: None, is_base, is_packed: false }
    }
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
    // The largest alignment that a member has without asking for it.
    let limit = rules.pack.unwrap_or(u64::MAX);
    let mut bases = members.iter().filter(|member| member.is_base && !is_empty(&member.field.ty));
    let first_is_dynamic = bases.next().is_some_and(|base| is_dynamic(&base.field.ty));
    if !first_is_dynamic && bases.any(|base| is_dynamic(&base.field.ty)) {
        return Err("its first base class has no virtual functions, and another one has".into());
    }
    // It shares the pointer of its base class.
    if rules.has_virtual && !first_is_dynamic {
        let natural = if rules.is_packed { 1 } else { limit.min(8) };
        (end, size, alignment) = (8, 8, alignment.max(natural));
    }
    for (i, member) in members.iter().enumerate() {
        let ty = &member.field.ty;
        let own = if rules.wide { ty.wide_layout() } else { ty.layout() };
        let own = own.ok_or_else(|| unknown(ty))?;
        let packed = rules.is_packed || member.is_packed;
        let natural = if packed { 1 } else { own.alignment.min(limit) };
        if member.is_base && is_empty(ty) {
            clash(members, i)?;
            offsets.push(0);
            size = size.max(own.size);
            alignment = alignment.max(natural);
            continue;
        }
        if let Some(reason) = refusal(member, &rules, own) {
            return Err(reason);
        }
        let wanted = natural.max(member.alignment.unwrap_or(1));
        if rules.kind == RecordKind::Union {
            end = 0;
            bit = 0;
        }
        if let Some(bits) = member.field.bits {
            let unit = 8 * own.size;
            let byte = if bit > 0 { end - 1 } else { end };
            let mut first = byte.checked_mul(8).and_then(|first| first.checked_add(bit)).ok_or(TOO_LARGE)?;
            let place = 8 * natural;
            if rules.pack.is_some() && (first % place + bits).div_ceil(place) > unit.div_ceil(place) {
                return Err("compilers differ in where a bit-field lies under `#pragma pack`".into());
            }
            // Without `#pragma pack` it lies within one unit of its type.
            let crosses = !packed && rules.pack.is_none() && first % unit + bits > unit;
            if bits == 0 && !packed {
                first = align_up(first, 8 * natural)?;
            } else if bits > 0 && (crosses || member.alignment.is_some()) {
                first = align_up(first, 8 * wanted)?;
            }
            offsets.push(first / 8);
            let last = first.checked_add(bits).ok_or(TOO_LARGE)?;
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
    if size == 0 && members.iter().any(|member| !member.is_base && member.field.bits.is_none()) {
        return Err("nothing but arrays of length 0 stands in it".into());
    }
    let data_size = size;
    let size = align_up(size.max(1), alignment)?;
    Ok(Laid { layout: Layout { size, alignment }, data_size, offsets })
}

/// Why a member has no place: it is no bit-field that can be, or the compilers of kernels, nvcc and NVRTC, lay it differently.
fn refusal(member: &Member, rules: &Rules, own: Layout) -> Option<String> {
    let ty = &member.field.ty;
    let is_packed = rules.is_packed || member.is_packed;
    let asked = member.alignment.unwrap_or(1);
    if let Some(bits) = member.field.bits {
        if !matches!(ty.kind, TypeKind::Scalar(_) | TypeKind::Enum(_)) {
            return Some(format!("a bit-field is of type `{ty}`"));
        }
        if bits > 8 * own.size {
            return Some("a bit-field is wider than its type".into());
        }
        let is_padding = member.field.name.is_none() && bits > 0;
        if (is_packed || is_padding) && rules.pack.is_some_and(|pack| own.alignment.min(pack) > 1) {
            return Some(
                "compilers differ in how they align a bit-field under `#pragma pack` that is packed or has no name"
                    .into(),
            );
        }
    } else if rules.is_packed && !member.is_packed && !member.is_base && own.alignment > 1 && is_special(ty) {
        return Some(format!(
            "compilers differ in whether they pack a member of type `{ty}`, which is no plain struct"
        ));
    }
    if rules.is_packed && rules.alignment.is_some_and(|whole| asked > whole) {
        return Some("compilers differ in how they align a packed struct to less than a member".into());
    }
    let in_attribute = member.attribute_alignment.unwrap_or(1);
    let pack = rules.pack.filter(|pack| in_attribute > *pack)?;
    Some(format!("compilers differ in how they align to {in_attribute} under `#pragma pack({pack})`"))
}

fn unknown(ty: &Type) -> String {
    match &ty.kind {
        TypeKind::Named(name) => format!("the type `{name}` is not defined in the files read"),
        TypeKind::Dependent(name) => format!("`{name}` depends on a template parameter"),
        TypeKind::Record(record) => match &record.unreadable {
            Some(reason) => format!("`{}` cannot be laid out: {reason}", record.name),
            None => format!("`{}` cannot be laid out", record.name),
        },
        TypeKind::Enum(e) => {
            format!("`{}` cannot be laid out: {}", e.name, e.unreadable.as_deref().unwrap_or_default())
        }
        TypeKind::Array { length: Some(_), element } if element.layout().is_none() => unknown(element),
        TypeKind::Array { length: None, .. } => "the length of an array cannot be evaluated".into(),
        _ => format!("`{ty}` has no size"),
    }
}

/// Whether a type is a struct in whose padding a derived class may lie, or an array of such.
pub(super) fn is_special(ty: &Type) -> bool {
    match &ty.kind {
        TypeKind::Array { element, .. } => is_special(element),
        TypeKind::Record(record) => record.is_special,
        _ => false,
    }
}

/// Whether a type is a struct with virtual functions, and so with a pointer to their table at its start.
pub(super) fn is_dynamic(ty: &Type) -> bool {
    matches!(&ty.kind, TypeKind::Record(record) if record.is_dynamic)
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
