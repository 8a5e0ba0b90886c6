//! Where two structs that are called the same part.

use crate::{Field, Type, TypeKind};

/// Structs inside structs that are looked into.
const DEEPEST: usize = 20;

/// ``, whose member 2 is `int cols` against `int rows` ``: what two types of one text do not show; nothing of others.
pub(crate) fn first_difference(left: &Type, right: &Type) -> Option<String> {
    within(left, right, DEEPEST)
}

fn within(left: &Type, right: &Type, deepest: usize) -> Option<String> {
    let deepest = deepest.checked_sub(1)?;
    match (&left.kind, &right.kind) {
        (TypeKind::Pointer(a) | TypeKind::Reference(a), TypeKind::Pointer(b) | TypeKind::Reference(b))
        | (TypeKind::Array { element: a, .. }, TypeKind::Array { element: b, .. }) => within(a, b, deepest),
        (TypeKind::Record(a), TypeKind::Record(b)) => {
            let (a, b) = (&a.fields, &b.fields);
            let mut both = a.iter().zip(b).enumerate();
            let Some((index, (x, y))) = both.find(|(_, (x, y))| x.agrees_with(y) == Some(false)) else {
                let both = a.len().min(b.len());
                let (side, more) = if a.len() > both { ("first", a) } else { ("second", b) };
                let field = shown(more.get(both)?);
                return Some(format!(", of which the {side} alone has member {}, `{field}`", both + 1));
            };
            let (one, other) = (shown(x), shown(y));
            if one == other {
                return within(&x.ty, &y.ty, deepest).map(|inner| format!(", in `{one}`{inner}"));
            }
            Some(format!(", whose member {} is `{one}` against `{other}`", index + 1))
        }
        _ => None,
    }
}

fn shown(field: &Field) -> String {
    let name = field.name.as_deref().unwrap_or_default();
    let bits = field.bits.map(|bits| format!(" : {bits}")).unwrap_or_default();
    let text = field.ty.declaring(name);
    format!("{text}{bits}")
}
