//! Names for types that are aligned otherwise than the type itself: `typedef float T __attribute__((aligned(16)))`.

use std::sync::Arc;

use super::declarator::Declared;
use super::scope::address;
use super::unit::Unit;
use crate::{Layout, Record, RecordKind, Type, TypeKind};

impl Unit {
    /// The type that a name stands for which is declared so, by `typedef` or `using`.
    pub(super) fn aliased(&mut self, name: &str, declared: Declared) -> Type {
        let Declared { ty, attributes, .. } = declared;
        if let Some(reason) = attributes.unknown {
            return self.without_layout(name, reason);
        }
        let (Some(asked), Some(own)) = (attributes.alignment, ty.layout()) else { return ty };
        match &ty.kind {
            _ if asked == own.alignment => ty,
            // Its size is not rounded up to the new alignment.
            TypeKind::Record(record) if asked > own.alignment => {
                let widened = |layout: Layout| Layout { alignment: asked.max(layout.alignment), ..layout };
                let wide_layout = record.wide_layout.map(widened);
                let layout = record.layout.map(widened);
                let kind = Arc::new(Record { layout, wide_layout, ..(**record).clone() });
                let scope = self.members_of(&ty);
                if let Some(scope) = scope {
                    self.members.insert(address(&kind), scope);
                }
                let ty = Type { kind: TypeKind::Record(kind), ..ty };
                self.kept.push(ty.clone());
                ty
            }
            _ => self.without_layout(name, format!("its alias aligns `{ty}` to {asked}")),
        }
    }

    fn without_layout(&mut self, name: &str, reason: String) -> Type {
        let record = Record {
            name: self.qualified(name),
            kind: RecordKind::Struct,
            fields: Vec::new(),
            layout: None,
            wide_layout: None,
            unreadable: Some(reason),
            position: None,
            is_empty: false,
            is_special: false,
            is_dynamic: false,
            data_size: 0,
            depth: 1,
        };
        let ty = Type::from(TypeKind::Record(Arc::new(record)));
        self.kept.push(ty.clone());
        ty
    }
}
