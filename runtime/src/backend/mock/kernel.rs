use std::collections::HashMap;
use std::panic::Location;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{Call, MockBackend};
use crate::backend::known_modules::KnownModules;
use crate::backend::{
    BackendId, DeviceInfo, KernelAttributes, KernelHandle, KernelLookup, LookupAudit, Occupancy,
};
use crate::error::{Error, Result};
use crate::launch::{Kernel, Module};

/// The kernels that were asked for, each once.
pub(super) struct MockKernels {
    first: u64,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    modules: KnownModules,
    /// A kernel's handle is its place here, counted from the backend's first.
    kernels: Vec<Arc<MockKernel>>,
    /// The place of each declared kernel, by the address of its declaration.
    declared: HashMap<usize, usize>,
    /// By module, then by name.
    named: HashMap<String, HashMap<String, Named>>,
}

/// The kernels of one module and name.
struct Named {
    /// The place of the first.
    first: usize,
    declaration: Option<&'static Kernel>,
}

pub(super) struct MockKernel {
    pub(super) module: String,
    pub(super) name: String,
    pub(super) declaration: Option<&'static Kernel>,
}

impl State {
    /// Where the kernel stands, if it was asked for. Two declarations of one kernel keep places of their own, as each
    /// has parameters of its own; who looks for it by name gets the first.
    fn place(&self, module: &str, name: &str, declaration: Option<&'static Kernel>) -> Option<usize> {
        match declaration {
            Some(declaration) => self.declared.get(&std::ptr::from_ref(declaration).addr()).copied(),
            None => Some(self.named.get(module)?.get(name)?.first),
        }
    }

    fn push(&mut self, kernel: MockKernel) -> usize {
        let (place, declaration) = (self.kernels.len(), kernel.declaration);
        if let Some(declaration) = declaration {
            self.declared.insert(std::ptr::from_ref(declaration).addr(), place);
        }
        let names = self.named.entry(kernel.module.clone()).or_default();
        let named = names.entry(kernel.name.clone()).or_insert(Named { first: place, declaration });
        named.declaration = named.declaration.or(declaration);
        self.kernels.push(Arc::new(kernel));
        place
    }
}

impl MockKernels {
    pub(super) fn new(backend: BackendId) -> Self {
        Self { first: backend.first_handle(), state: Mutex::default() }
    }

    /// The handle of the kernel `name` of `module`, new or known.
    fn find(&self, module: &str, name: &str) -> KernelHandle {
        let mut state = self.lock();
        state.modules.note_use(module);
        self.intern(&mut state, module, name, None)
    }

    /// The handle of a declared kernel, new or known. Its module is known from now on.
    fn enter(&self, kernel: &'static Kernel) -> Result<KernelHandle> {
        let mut state = self.lock();
        state.modules.declare(*kernel.module())?;
        Ok(self.intern(&mut state, kernel.module().name(), kernel.name(), Some(kernel)))
    }

    fn intern(
        &self,
        state: &mut State,
        module: &str,
        name: &str,
        declaration: Option<&'static Kernel>,
    ) -> KernelHandle {
        let place = state.place(module, name, declaration).unwrap_or_else(|| {
            state.push(MockKernel { module: module.into(), name: name.into(), declaration })
        });
        KernelHandle::new(self.first + place as u64).expect("a backend's first handle is not zero")
    }

    /// The kernel behind a handle, where the mock gave it out.
    pub(super) fn get(&self, handle: KernelHandle) -> Option<Arc<MockKernel>> {
        let place = usize::try_from(handle.get().checked_sub(self.first)?).ok()?;
        self.lock().kernels.get(place).map(Arc::clone)
    }

    /// A declaration of the kernel `name` of `module`, where one was resolved.
    fn declaration_of(&self, module: &str, name: &str) -> Option<&'static Kernel> {
        self.lock().named.get(module)?.get(name)?.declaration
    }

    fn register(&self, module: Module) -> Result<()> {
        self.lock().modules.give(module)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing panics while the tables are held, and they are whole after every push.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl MockBackend {
    /// The kernel behind a handle.
    pub(super) fn known_kernel(
        &self,
        operation: &'static str,
        handle: KernelHandle,
    ) -> Result<Arc<MockKernel>> {
        self.kernels.get(handle).ok_or_else(|| Error::UnknownHandle {
            operation,
            what: "kernel",
            handle: handle.get(),
            backend: self.label(),
        })
    }

    /// The name of the kernel that a call is about.
    pub(super) fn kernel_of(&self, call: &Call) -> Option<Box<str>> {
        match call {
            Call::FindKernel { kernel, .. } => Some(kernel.as_str().into()),
            Call::ResolveKernel { kernel, .. } => Some((*kernel).into()),
            Call::Launch { launch } => Some(self.kernels.get(launch.handle)?.name.as_str().into()),
            Call::LaunchRaw { kernel, .. }
            | Call::KernelAttributes { kernel }
            | Call::Occupancy { kernel, .. } => Some(self.kernels.get(*kernel)?.name.as_str().into()),
            _ => None,
        }
    }

    /// The wrapped backend's handle of a kernel.
    #[track_caller]
    pub(super) fn inner_kernel(&self, kernel: &MockKernel) -> Result<KernelHandle> {
        // One that was found by name may have been declared since.
        let declared = || self.kernels.declaration_of(&kernel.module, &kernel.name);
        match kernel.declaration.or_else(declared) {
            Some(declaration) => declaration.resolve(&*self.inner),
            None => self.inner.find_kernel(&kernel.module, &kernel.name),
        }
    }
}

// SAFETY: a launch looks its handle up, and the cache is this backend's own.
#[deny(clippy::missing_trait_methods)]
unsafe impl KernelLookup for MockBackend {
    fn register_module(&self, module: Module) -> Result<()> {
        self.enter(Call::RegisterModule { module: module.name() })?;
        self.kernels.register(module)?;
        // So that its kernels are found once they are run.
        self.inner.register_module(module)
    }

    fn find_kernel(&self, module: &str, name: &str) -> Result<KernelHandle> {
        let call =
            Call::FindKernel { module: module.into(), kernel: name.into(), location: Location::caller() };
        match self.enter(call) {
            Ok(()) => Ok(self.kernels.find(module, name)),
            Err(error) => {
                self.lookup_audit.record(module, Some(name));
                Err(error)
            }
        }
    }

    fn has_module(&self, module: &str) -> bool {
        self.enter(Call::HasModule { module: module.into() }).is_ok()
    }

    fn resolve_kernel(&self, kernel: &'static Kernel) -> Result<KernelHandle> {
        let (module, name) = (kernel.module().name(), kernel.name());
        let entered = self.enter(Call::ResolveKernel { module, kernel: name, location: Location::caller() });
        let entered = entered.and_then(|()| self.kernels.enter(kernel));
        if entered.is_err() {
            self.lookup_audit.record(module, Some(name));
        }
        entered
    }

    fn lookup_audit(&self) -> &LookupAudit {
        &self.lookup_audit
    }

    fn declaration(&self, kernel: KernelHandle) -> Option<&'static Kernel> {
        self.kernels.get(kernel)?.declaration
    }

    fn kernel_name(&self, kernel: KernelHandle) -> Option<String> {
        Some(self.kernels.get(kernel)?.name.clone())
    }

    /// Those of the wrapped backend while kernels are run; else unsupported, as nothing was compiled.
    fn kernel_attributes(&self, kernel: KernelHandle) -> Result<KernelAttributes> {
        self.enter(Call::KernelAttributes { kernel })?;
        let known = self.known_kernel("kernel attributes", kernel)?;
        if !self.runs_kernels() {
            return Err(self.unsupported("kernel attributes"));
        }
        self.inner.kernel_attributes(self.inner_kernel(&known)?)
    }

    /// That of the wrapped backend while kernels are run; else unsupported, as nothing was compiled.
    fn occupancy(&self, kernel: KernelHandle, block_threads: u32, shared_mem: u32) -> Result<Occupancy> {
        self.enter(Call::Occupancy { kernel, block_threads, shared_mem })?;
        let known = self.known_kernel("occupancy", kernel)?;
        if !self.runs_kernels() {
            return Err(self.unsupported("occupancy"));
        }
        self.inner.occupancy(self.inner_kernel(&known)?, block_threads, shared_mem)
    }
}
