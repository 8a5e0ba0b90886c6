use std::panic::Location;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::{Call, MockBackend};
use crate::backend::{DeviceInfo, KernelAttributes, KernelHandle, KernelLookup, LookupAudit, Occupancy};
use crate::error::{Error, Result};
use crate::launch::{Image, Kernel, Module, Source};

/// The kernels that were asked for, each once.
#[derive(Default)]
pub(super) struct MockKernels {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    modules: Vec<Module>,
    // A kernel's handle is its place here, counted from 1.
    kernels: Vec<MockKernel>,
}

#[derive(Clone)]
pub(super) struct MockKernel {
    pub(super) module: String,
    pub(super) name: String,
    pub(super) declaration: Option<&'static Kernel>,
}

impl MockKernels {
    /// The handle of a kernel, new or known.
    fn intern(&self, module: &str, name: &str, declaration: Option<&'static Kernel>) -> Result<KernelHandle> {
        let mut state = self.lock();
        let is_same = |known: &MockKernel| {
            known.module == module
                && known.name == name
                // Two declarations of one kernel keep their own handles, as each has parameters of its own.
                && match (known.declaration, declaration) {
                    (Some(known), Some(asked)) => std::ptr::eq(known, asked),
                    (None, Some(_)) => false,
                    (_, None) => true,
                }
        };
        let index = state.kernels.iter().position(is_same).unwrap_or_else(|| {
            state.kernels.push(MockKernel { module: module.into(), name: name.into(), declaration });
            state.kernels.len() - 1
        });
        KernelHandle::new(index as u64 + 1).ok_or_else(|| Error::UnknownKernel {
            module: module.into(),
            kernel: name.into(),
            known: Vec::new(),
            hint: "",
        })
    }

    /// The kernel behind a handle, where the mock gave it out.
    pub(super) fn get(&self, handle: KernelHandle) -> Option<MockKernel> {
        let index = usize::try_from(handle.get() - 1).ok()?;
        self.lock().kernels.get(index).cloned()
    }

    /// A declaration of the kernel `name` of `module`, where one was resolved.
    fn declaration_of(&self, module: &str, name: &str) -> Option<&'static Kernel> {
        let state = self.lock();
        let mut named = state.kernels.iter().filter(|known| known.module == module && known.name == name);
        named.find_map(|known| known.declaration)
    }

    fn register(&self, module: Module) -> Result<()> {
        let mut state = self.lock();
        match state.modules.iter().find(|known| known.name() == module.name()) {
            Some(known) if !same_code(known, &module) => {
                Err(Error::ModuleConflict { module: module.name().into() })
            }
            Some(_) => Ok(()),
            None => {
                state.modules.push(module);
                Ok(())
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing panics while the lists are held, and they are whole after every push.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn same_code(a: &Module, b: &Module) -> bool {
    let source = |module: &Module| module.source().map(|Source { text, .. }| text);
    let image = |module: &Module| module.image().map(|Image { bytes, .. }| bytes);
    source(a) == source(b) && image(a) == image(b)
}

impl MockBackend {
    /// The kernel behind a handle.
    pub(super) fn known_kernel(&self, operation: &'static str, handle: KernelHandle) -> Result<MockKernel> {
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
            Call::Launch { launch } => Some(self.kernels.get(launch.handle)?.name.into()),
            Call::LaunchRaw { kernel, .. }
            | Call::KernelAttributes { kernel }
            | Call::Occupancy { kernel, .. } => Some(self.kernels.get(*kernel)?.name.into()),
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
            Ok(()) => self.kernels.intern(module, name, None),
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
        match self.enter(Call::ResolveKernel { module, kernel: name, location: Location::caller() }) {
            Ok(()) => self.kernels.intern(module, name, Some(kernel)),
            Err(error) => {
                self.lookup_audit.record(module, Some(name));
                Err(error)
            }
        }
    }

    fn lookup_audit(&self) -> &LookupAudit {
        &self.lookup_audit
    }

    fn declaration(&self, kernel: KernelHandle) -> Option<&'static Kernel> {
        self.kernels.get(kernel)?.declaration
    }

    fn kernel_name(&self, kernel: KernelHandle) -> Option<String> {
        Some(self.kernels.get(kernel)?.name)
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
