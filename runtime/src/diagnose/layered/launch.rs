//! Looking kernels up, and launching them.

use std::ffi::c_void;

use super::{Layered, around, pass, work};
use crate::backend::{
    KernelAttributes, KernelHandle, KernelLookup, Launch, LaunchKernels, LookupAudit, Occupancy, StreamHandle,
};
use crate::diagnose::{Layer, Operation};
use crate::error::Result;
use crate::launch::{Kernel, LaunchConfig, Module};

#[deny(clippy::missing_trait_methods)]
impl<L: Layer> LaunchKernels for Layered<L> {
    unsafe fn launch(&self, launch: &Launch<'_>) -> Result<()> {
        let call = self.call_from("launch", Operation::Launch(launch), Some(launch.location));
        // SAFETY: handles and streams are those of the backend underneath, and the caller answers for the rest.
        around!(self, call, call => unsafe { self.layer.launch(call, launch) })?;
        self.layer.verify(&call)
    }

    unsafe fn launch_raw(
        &self,
        kernel: KernelHandle,
        config: &LaunchConfig,
        stream: StreamHandle,
        params: &[*mut c_void],
    ) -> Result<()> {
        // SAFETY: as above.
        work!(self, "launch_raw", Operation::LaunchRaw { kernel, config, stream, params }, call => unsafe {
            self.layer.launch_raw(call, kernel, config, stream, params)
        })
    }
}

// SAFETY: handles and cache are those of the backend underneath.
#[deny(clippy::missing_trait_methods)]
unsafe impl<L: Layer> KernelLookup for Layered<L> {
    fn register_module(&self, module: Module) -> Result<()> {
        pass!(self, "register_module", Operation::RegisterModule(&module), call => {
            call.inner.register_module(module)
        })
    }

    fn find_kernel(&self, module: &str, name: &str) -> Result<KernelHandle> {
        pass!(self, "find_kernel", Operation::FindKernel { module, name }, call => {
            call.inner.find_kernel(module, name)
        })
    }

    fn has_module(&self, module: &str) -> bool {
        let call = self.call("has_module", Operation::HasModule(module));
        // There is no error to return: a layer that refuses the question has found no module.
        self.layer.before(&call).is_ok() && {
            let found = call.inner.has_module(module);
            self.tell(&call, &Ok(found));
            found
        }
    }

    fn resolve_kernel(&self, kernel: &'static Kernel) -> Result<KernelHandle> {
        pass!(self, "resolve_kernel", Operation::ResolveKernel(kernel), call => {
            call.inner.resolve_kernel(kernel)
        })
    }

    fn lookup_audit(&self) -> &LookupAudit {
        self.inner.lookup_audit()
    }

    fn declaration(&self, kernel: KernelHandle) -> Option<&'static Kernel> {
        self.inner.declaration(kernel)
    }

    fn kernel_name(&self, kernel: KernelHandle) -> Option<String> {
        self.inner.kernel_name(kernel)
    }

    fn kernel_attributes(&self, kernel: KernelHandle) -> Result<KernelAttributes> {
        pass!(self, "kernel_attributes", Operation::KernelAttributes(kernel), call => {
            call.inner.kernel_attributes(kernel)
        })
    }

    fn occupancy(&self, kernel: KernelHandle, block_threads: u32, shared_mem: u32) -> Result<Occupancy> {
        let operation = Operation::Occupancy { kernel, block_threads, shared_mem };
        pass!(self, "occupancy", operation, call => call.inner.occupancy(kernel, block_threads, shared_mem))
    }
}
