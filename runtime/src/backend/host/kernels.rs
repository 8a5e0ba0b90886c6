use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::state::first_handle;
use crate::backend::{BackendId, KernelHandle};
use crate::error::{Error, Result};
use crate::launch::{Kernel, Module};

/// There is no compiled code here that would list a module's kernels.
const UNDECLARED: &str =
    "; on the host a kernel is known once its declaration is: pass it to `register_kernels(&[&KERNEL])`";

/// The kernels that a host backend knows: those whose declaration it has seen.
///
/// Apart from the backend's lock, so that a look-up does not wait for a launch.
#[derive(Debug)]
pub(super) struct KernelTable {
    first: u64,
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    modules: BTreeMap<&'static str, Module>,
    kernels: Vec<&'static Kernel>,
}

impl KernelTable {
    pub(super) fn new(backend: BackendId) -> Self {
        Self { first: first_handle(backend), known: Mutex::default() }
    }

    /// Makes a module known.
    pub(super) fn enter_module(&self, module: Module) -> Result<()> {
        self.lock().enter_module(module)
    }

    /// Makes a declared kernel and its module known; its handle.
    pub(super) fn enter(&self, kernel: &'static Kernel) -> Result<KernelHandle> {
        let mut known = self.lock();
        known.enter_module(*kernel.module())?;
        let found = known.kernels.iter().position(|other| std::ptr::eq(*other, kernel));
        let index = found.unwrap_or_else(|| {
            known.kernels.push(kernel);
            known.kernels.len() - 1
        });
        Ok(self.handle(index))
    }

    /// The first kernel of this name that was made known.
    pub(super) fn find(&self, module: &str, name: &str) -> Result<KernelHandle> {
        let known = self.lock();
        if !known.modules.contains_key(module) {
            let names = known.modules.keys().map(|name| (*name).to_owned()).collect();
            return Err(Error::UnknownModule {
                module: module.into(),
                kernel: Some(name.into()),
                known: names,
            });
        }
        let in_module = |kernel: &&'static Kernel| kernel.module().name() == module;
        match known.kernels.iter().position(|kernel| in_module(kernel) && kernel.name() == name) {
            Some(index) => Ok(self.handle(index)),
            None => Err(Error::UnknownKernel {
                module: module.into(),
                kernel: name.into(),
                known: known
                    .kernels
                    .iter()
                    .copied()
                    .filter(in_module)
                    .map(|kernel| kernel.name().to_owned())
                    .collect(),
                hint: UNDECLARED,
            }),
        }
    }

    pub(super) fn has_module(&self, module: &str) -> bool {
        self.lock().modules.contains_key(module)
    }

    /// The kernel that a handle of this backend names.
    pub(super) fn get(&self, handle: KernelHandle) -> Option<&'static Kernel> {
        let index = handle.get().checked_sub(self.first)?;
        self.lock().kernels.get(usize::try_from(index).ok()?).copied()
    }

    fn handle(&self, index: usize) -> KernelHandle {
        KernelHandle::new(self.first + index as u64).expect("a backend's first handle is not zero")
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        // Nothing panics between two steps that belong together.
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Known {
    fn enter_module(&mut self, module: Module) -> Result<()> {
        match self.modules.get(module.name()) {
            Some(known) if differ(known, &module) => {
                Err(Error::ModuleConflict { module: module.name().into() })
            }
            // A declaration without code adds nothing to one with it.
            Some(known) if known.source().is_some() || known.image().is_some() => Ok(()),
            _ => {
                self.modules.insert(module.name(), module);
                Ok(())
            }
        }
    }
}

/// Whether two modules carry code of one kind that is not the same.
fn differ(one: &Module, other: &Module) -> bool {
    let sources = one.source().zip(other.source()).is_some_and(|(one, other)| one.text != other.text);
    let images = one.image().zip(other.image()).is_some_and(|(one, other)| one.bytes != other.bytes);
    sources || images
}
