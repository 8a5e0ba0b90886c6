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
        (TypeKind::Record(a), TypeKind::Record(b)) if a.fields.len() != b.fields.len() => {
            Some(format!(", with {} members against {}", a.fields.len(), b.fields.len()))
        }
        (TypeKind::Record(a), TypeKind::Record(b)) => {
            let mut both = a.fields.iter().zip(&b.fields).enumerate();
            let (index, (x, y)) = both.find(|(_, (x, y))| x.agrees_with(y) == Some(false))?;
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
