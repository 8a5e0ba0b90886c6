use std::collections::BTreeMap;

use crate::error::{Error, Result};
use crate::launch::{Image, Module, Source};

/// The modules that a backend without compiled code was told of.
#[derive(Debug, Default)]
pub(super) struct KnownModules(BTreeMap<&'static str, Module>);

impl KnownModules {
    /// Makes a module known. One without code fits whatever is known under its name, and one with code takes the
    /// place of one without.
    ///
    /// # Errors
    ///
    /// Where another module of this name with other code is known, as on a device that would have to load both.
    pub(super) fn enter(&mut self, module: Module) -> Result<()> {
        match self.0.get(module.name()) {
            Some(_) if !has_code(&module) => Ok(()),
            Some(known) if has_code(known) => {
                if is_same_code(known, &module) {
                    return Ok(());
                }
                Err(Error::ModuleConflict { module: module.name().into() })
            }
            _ => {
                self.0.insert(module.name(), module);
                Ok(())
            }
        }
    }

    pub(super) fn contains(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    pub(super) fn names(&self) -> Vec<String> {
        self.0.keys().map(|name| (*name).to_owned()).collect()
    }
}

fn has_code(module: &Module) -> bool {
    module.source().is_some() || module.image().is_some()
}

/// Whether both have the same source and the same image; which files these came from does not matter.
fn is_same_code(one: &Module, other: &Module) -> bool {
    let source = |module: &Module| module.source().map(|Source { text, .. }| text.as_bytes());
    let image = |module: &Module| module.image().map(|Image { bytes, .. }| bytes);
    is_same(source(one), source(other)) && is_same(image(one), image(other))
}

/// Equal, found without reading where both are the same memory: a module's kernels all carry its code.
fn is_same(one: Option<&[u8]>, other: Option<&[u8]>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => std::ptr::eq(one, other) || one == other,
        (one, other) => one.is_none() && other.is_none(),
    }
}
