//! Structs and enumerations without a name of their own: `typedef struct { … } S;` gives them one.

use std::sync::Arc;

use super::scope::address;
use super::specifiers::Specifiers;
use super::token::Cursor;
use super::unit::Unit;
use crate::{Enumeration, Record, Type, TypeKind};

impl Unit {
    /// Names the unnamed type of a `typedef` after the first of its names that stands for the type itself; the cursor is
    /// behind the specifiers.
    pub(super) fn name_by_typedef(&mut self, c: &Cursor<'_>, specifiers: &mut Specifiers) {
        if !specifiers.is_typedef || !is_unnamed(&specifiers.ty) {
            return;
        }
        let mut ahead = c.clone();
        loop {
            let Ok(declared) = self.declarator_of(&mut ahead, specifiers) else { return };
            if let (true, Some(name)) = (declared.ty == specifiers.ty, declared.name) {
                let name = self.qualified(&name.text);
                specifiers.ty = self.renamed(&specifiers.ty, name);
                return;
            }
            if !ahead.eat(",") {
                return;
            }
        }
    }

    /// The same struct, union or enumeration under another name.
    pub(super) fn renamed(&mut self, ty: &Type, name: String) -> Type {
        let scope = self.members_of(ty);
        let (address, kind) = match &ty.kind {
            TypeKind::Record(record) => {
                let shared = Arc::new(Record { name, ..(**record).clone() });
                (address(&shared), TypeKind::Record(shared))
            }
            TypeKind::Enum(enumeration) => {
                let shared = Arc::new(Enumeration { name, ..(**enumeration).clone() });
                (address(&shared), TypeKind::Enum(shared))
            }
            _ => return ty.clone(),
        };
        if let Some(scope) = scope {
            self.members.insert(address, scope);
        }
        let renamed = Type { kind, ..ty.clone() };
        self.kept.push(renamed.clone());
        renamed
    }
}

/// Whether a type has no name in the source.
pub(super) fn is_unnamed(ty: &Type) -> bool {
    let name = match &ty.kind {
        TypeKind::Record(record) => &record.name,
        TypeKind::Enum(enumeration) => &enumeration.name,
        _ => return false,
    };
    name.contains("(unnamed at")
}
