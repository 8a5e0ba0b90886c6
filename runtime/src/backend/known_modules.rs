use std::collections::BTreeMap;

use crate::error::{Error, Result};
use crate::launch::Module;

/// The modules that a backend without compiled code was told of. The rules are those of a device that would have to load
/// their code.
#[derive(Debug, Default)]
pub(super) struct KnownModules(BTreeMap<&'static str, Known>);

#[derive(Debug)]
struct Known {
    module: Module,
    /// Whether the code was given at run time, and is not a declaration's.
    is_given: bool,
    /// Whether a device would have loaded it by now.
    is_used: bool,
}

impl KnownModules {
    /// Makes the module of a declaration known, of which a kernel is used. What was given for it at run time stays.
    ///
    /// # Errors
    ///
    /// Where another declaration's module of this name has other code.
    pub(super) fn declare(&mut self, module: Module) -> Result<()> {
        self.enter(module, false)?;
        self.note_use(module.name());
        Ok(())
    }

    /// Makes a module known that is given at run time. It takes the place of what declarations carry, until that is used.
    ///
    /// # Errors
    ///
    /// Where other code was given under this name, or is in use.
    pub(super) fn give(&mut self, module: Module) -> Result<()> {
        self.enter(module, true)
    }

    /// Notes that a kernel of the module was asked for.
    pub(super) fn note_use(&mut self, name: &str) {
        if let Some(known) = self.0.get_mut(name) {
            // Without code there is nothing to load.
            known.is_used |= known.module.has_code();
        }
    }

    /// Makes a module known. One without code fits whatever is known under its name, and one with code takes the
    /// place of one without.
    fn enter(&mut self, module: Module, is_given: bool) -> Result<()> {
        match self.0.get_mut(module.name()) {
            Some(_) if !module.has_code() => {}
            Some(known) if known.module.has_code() => {
                if known.module.is_same_code(&module) {
                    known.is_given |= is_given;
                } else if is_given && !known.is_given && !known.is_used {
                    (known.module, known.is_given) = (module, true);
                } else if is_given || !known.is_given {
                    return Err(Error::ModuleConflict { module: module.name().into() });
                }
            }
            _ => {
                self.0.insert(module.name(), Known { module, is_given, is_used: false });
            }
        }
        Ok(())
    }

    pub(super) fn contains(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    pub(super) fn names(&self) -> Vec<String> {
        self.0.keys().map(|name| (*name).to_owned()).collect()
    }
}
