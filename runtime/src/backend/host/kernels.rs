use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::backend::known_modules::KnownModules;
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
    modules: KnownModules,
    kernels: Vec<&'static Kernel>,
    /// Each kernel's place, by the address of its declaration.
    places: HashMap<usize, usize>,
    /// The place of the first kernel of each module and name.
    named: HashMap<(&'static str, &'static str), usize>,
}

impl KernelTable {
    pub(super) fn new(backend: BackendId) -> Self {
        Self { first: backend.first_handle(), known: Mutex::default() }
    }

    /// Gives a module its code.
    pub(super) fn give_module(&self, module: Module) -> Result<()> {
        self.lock().modules.give(module)
    }

    /// Makes a declared kernel and its module known; its handle.
    pub(super) fn enter(&self, kernel: &'static Kernel) -> Result<KernelHandle> {
        let mut known = self.lock();
        known.modules.declare(*kernel.module())?;
        let declaration = std::ptr::from_ref(kernel).addr();
        if let Some(place) = known.places.get(&declaration) {
            return Ok(self.handle(*place));
        }
        let place = known.kernels.len();
        known.kernels.push(kernel);
        known.places.insert(declaration, place);
        known.named.entry((kernel.module().name(), kernel.name())).or_insert(place);
        Ok(self.handle(place))
    }

    /// The first kernel of this name that was made known.
    pub(super) fn find(&self, module: &str, name: &str) -> Result<KernelHandle> {
        let known = self.lock();
        if !known.modules.contains(module) {
            return Err(Error::UnknownModule {
                module: module.into(),
                kernel: Some(name.into()),
                known: known.modules.names(),
            });
        }
        match known.named.get(&(module, name)) {
            Some(place) => Ok(self.handle(*place)),
            None => Err(Error::UnknownKernel {
                module: module.into(),
                kernel: name.into(),
                known: known
                    .kernels
                    .iter()
                    .copied()
                    .filter(|kernel| kernel.module().name() == module)
                    .map(|kernel| kernel.name().to_owned())
                    .collect(),
                hint: UNDECLARED,
            }),
        }
    }

    pub(super) fn has_module(&self, module: &str) -> bool {
        self.lock().modules.contains(module)
    }

    /// The kernel that a handle of this backend names.
    pub(super) fn get(&self, handle: KernelHandle) -> Option<&'static Kernel> {
        let index = handle.get().checked_sub(self.first)?;
        self.lock().kernels.get(usize::try_from(index).ok()?).copied()
    }

    fn handle(&self, place: usize) -> KernelHandle {
        KernelHandle::new(self.first + place as u64).expect("a backend's first handle is not zero")
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        // Nothing panics between two steps that belong together.
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
