//! The types of one file: what has to be imported, and the structs that have to be written.

use std::collections::BTreeSet;

use warpcall_signature::rust::{self, Missing, RustType};
use warpcall_signature::{Record, Type};

use super::structs::Structs;

/// The types that stand for those of one CUDA file.
#[derive(Debug, Clone, Default)]
pub(super) struct Types {
    /// Crate or module, and name.
    pub(super) imports: BTreeSet<(&'static str, String)>,
    pub(super) structs: Structs,
}

impl Types {
    /// Notes that `ty` is written, so that the names in it are imported.
    pub(super) fn import(&mut self, ty: &RustType) {
        if let Some((from, name)) = ty.known() {
            self.import_name(from, name);
        }
    }

    /// Notes that `name` is written.
    pub(super) fn import_name(&mut self, from: &'static str, name: &str) {
        self.imports.insert((from, name.to_owned()));
    }

    /// The type of a member.
    pub(super) fn field(&mut self, ty: &Type, spelling: Option<&str>) -> Result<String, String> {
        let own = rust::of_field(ty, spelling, self).map_err(|missing| missing.reason)?;
        self.import(&own);
        Ok(own.to_string())
    }
}

impl rust::Structs for Types {
    fn of_record(&mut self, record: &Record) -> Result<String, Missing> {
        Ok(self.structure(record)?)
    }
}
