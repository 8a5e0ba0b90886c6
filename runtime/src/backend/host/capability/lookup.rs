use crate::backend::host::HostBackend;
use crate::backend::{DeviceInfo, KernelAttributes, KernelHandle, KernelLookup, LookupAudit, Occupancy};
use crate::error::{Error, Result};
use crate::launch::{Kernel, Module};

// SAFETY: a launch looks its handle up.
unsafe impl KernelLookup for HostBackend {
    fn register_module(&self, module: Module) -> Result<()> {
        self.kernels.give_module(module)
    }

    fn find_kernel(&self, module: &str, name: &str) -> Result<KernelHandle> {
        // Not in a closure, whose caller would be here.
        let found = self.kernels.find(module, name);
        if found.is_err() {
            self.audit.record(module, Some(name));
        }
        found
    }

    fn has_module(&self, module: &str) -> bool {
        self.kernels.has_module(module)
    }

    fn resolve_kernel(&self, kernel: &'static Kernel) -> Result<KernelHandle> {
        let entered = self.kernels.enter(kernel);
        if entered.is_err() {
            self.audit.record(kernel.module().name(), Some(kernel.name()));
        }
        entered
    }

    fn lookup_audit(&self) -> &LookupAudit {
        &self.audit
    }

    fn declaration(&self, kernel: KernelHandle) -> Option<&'static Kernel> {
        self.kernels.get(kernel)
    }

    /// A host function needs no registers and no shared memory; it allows what the device allows.
    fn kernel_attributes(&self, kernel: KernelHandle) -> Result<KernelAttributes> {
        self.known("kernel_attributes", kernel)?;
        let limits = &self.properties.limits;
        Ok(KernelAttributes {
            max_dynamic_shared_mem: limits.max_shared_mem_per_block,
            ..KernelAttributes::new(limits.max_threads_per_block)
        })
    }

    /// One block on each of the host's threads.
    fn occupancy(&self, kernel: KernelHandle, block_threads: u32, shared_mem: u32) -> Result<Occupancy> {
        const NAME: &str = "occupancy";
        self.known(NAME, kernel)?;
        let limits = &self.properties.limits;
        for (what, found, least, most) in [
            ("the number of threads a block", block_threads, 1, limits.max_threads_per_block),
            ("the shared memory a block", shared_mem, 0, limits.max_shared_mem_per_block),
        ] {
            if !(least..=most).contains(&found) {
                return Err(Error::InvalidArgument {
                    operation: NAME,
                    what: what.into(),
                    found: found.to_string().into(),
                    expected: format!("{least} to {most}").into(),
                });
            }
        }
        Ok(Occupancy { blocks_per_multiprocessor: 1, blocks: self.properties.multiprocessors })
    }
}

impl HostBackend {
    /// The declaration behind a handle.
    pub(super) fn known(&self, operation: &'static str, kernel: KernelHandle) -> Result<&'static Kernel> {
        self.kernels.get(kernel).ok_or_else(|| Error::UnknownHandle {
            operation,
            what: "kernel",
            handle: kernel.get(),
            backend: self.label(),
        })
    }
}
