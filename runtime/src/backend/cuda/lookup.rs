//! Finding kernels by module and name.

use std::sync::Arc;

use super::driver::cu;
use super::function::{Function, FunctionKey};
use super::handles::address;
use super::image::ImageFormat;
use super::load::load_error;
use super::module::LoadedModule;
use super::names::Found;
use super::{CudaBackend, layout, parameters};
use crate::backend::{KernelAttributes, KernelHandle, KernelLookup, LookupAudit, Occupancy};
use crate::error::{Error, Result};
use crate::launch::{Kernel, Module};

// SAFETY: a handle is the address of a record that is kept until the backend is dropped, and the cache is its own.
unsafe impl KernelLookup for CudaBackend {
    fn register_module(&self, module: Module) -> Result<()> {
        self.modules.give(&module)
    }

    #[track_caller]
    fn find_kernel(&self, module: &str, name: &str) -> Result<KernelHandle> {
        let function = if let Some(known) = self.kernels.undeclared(module, name) {
            known
        } else {
            let found = self.audited(module, name, self.function(module, name, None))?;
            self.kernels.keep_undeclared(module, name, &found);
            found
        };
        // With its declaration where there is one, so that the arguments of its launches are compared with it.
        self.kernels
            .only_declared(&function)
            .or_else(|| self.kernels.record(self.id, &function, None))
            .ok_or_else(|| self.unknown("find_kernel", "kernel", 0))
    }

    fn has_module(&self, module: &str) -> bool {
        self.modules.find(module).is_some()
    }

    #[track_caller]
    fn resolve_kernel(&self, kernel: &'static Kernel) -> Result<KernelHandle> {
        let module = kernel.module();
        self.modules.declare(module)?;
        let found = self.function(module.name(), kernel.name(), Some(kernel));
        let function = self.audited(module.name(), kernel.name(), found)?;
        match &function.parameters {
            Ok(loaded) => layout::check(kernel.name(), kernel.parameters(), loaded)?,
            Err(reason) => return Err(self.nobody_vouches(module.name(), reason)),
        }
        self.kernels
            .record(self.id, &function, Some(kernel))
            .ok_or_else(|| self.unknown("resolve_kernel", "kernel", 0))
    }

    fn lookup_audit(&self) -> &LookupAudit {
        &self.audit
    }

    fn declaration(&self, kernel: KernelHandle) -> Option<&'static Kernel> {
        self.kernels.find(kernel)?.declaration
    }

    fn kernel_name(&self, kernel: KernelHandle) -> Option<String> {
        Some(self.kernels.find(kernel)?.function.name.clone())
    }

    fn kernel_attributes(&self, kernel: KernelHandle) -> Result<KernelAttributes> {
        Ok(self.record("kernel_attributes", kernel)?.function.attributes)
    }

    fn occupancy(&self, kernel: KernelHandle, block_threads: u32, shared_mem: u32) -> Result<Occupancy> {
        let record = self.record("occupancy", kernel)?;
        self.context.bind()?;
        if !record.function.allows_dynamic(shared_mem) {
            record.function.raise_dynamic(self)?;
        }
        let threads = i32::try_from(block_threads).unwrap_or(i32::MAX);
        let mut blocks = 0;
        // SAFETY: the number outlives the call, and the function is loaded.
        unsafe {
            cu!(
                self.context.driver,
                cuOccupancyMaxActiveBlocksPerMultiprocessor(
                    &raw mut blocks,
                    record.raw,
                    threads,
                    shared_mem as usize
                )
            )
        }?;
        let blocks_per_multiprocessor = u32::try_from(blocks).unwrap_or(0);
        Ok(Occupancy {
            blocks_per_multiprocessor,
            blocks: blocks_per_multiprocessor.saturating_mul(self.properties.multiprocessors),
        })
    }
}

impl CudaBackend {
    /// Notes a look-up that found nothing.
    #[track_caller]
    fn audited<T>(&self, module: &str, kernel: &str, found: Result<T>) -> Result<T> {
        if let Err(
            Error::UnknownModule { .. } | Error::UnknownKernel { .. } | Error::AmbiguousKernel { .. },
        ) = &found
        {
            self.audit.record(module, Some(kernel));
        }
        found
    }

    /// The function `name` of a module that is known, loaded where need be.
    fn function(&self, module: &str, name: &str, declared: Option<&'static Kernel>) -> Result<Arc<Function>> {
        let Some(entry) = self.modules.find(module) else {
            return Err(Error::UnknownModule {
                module: module.into(),
                kernel: Some(name.into()),
                known: self.modules.names(),
            });
        };
        let (program, found) = self.place(&entry, name, declared).map_err(|error| match error {
            Error::UnknownModule { module, known, .. } => {
                Error::UnknownModule { module, kernel: Some(name.into()), known }
            }
            other => other,
        })?;
        let key = FunctionKey {
            module: module.into(),
            name: name.into(),
            symbol: found.symbol.clone(),
            program: address(program.raw),
        };
        self.kernels.function(key, || self.load_function(&program, module, name, &found))
    }

    fn load_function(
        &self,
        program: &LoadedModule,
        module: &str,
        name: &str,
        found: &Found,
    ) -> Result<Function> {
        let device = self.features.compute_capability;
        let image = parameters::of_image(&program.image, &found.symbol, device);
        // The images of a fatbin may differ, and which one the driver took is not told.
        let is_one_image = ImageFormat::detect(&program.image) != Some(ImageFormat::Fatbin);
        let count =
            image.as_ref().ok().and_then(|lists| lists.first()).filter(|_| is_one_image).map(Vec::len);
        let parameters =
            parameters::merge(parameters::of_function(self.context.driver, found.raw, count)?, image);
        self.describe(found.raw, module, name, parameters)
    }

    /// A declaration that cannot be compared with the kernel that was loaded.
    #[cold]
    fn nobody_vouches(&self, module: &str, reason: &str) -> Error {
        let (major, minor) = self.driver_version();
        let problem = format!(
            "nothing tells what the parameters of the kernel are, so its declaration cannot be checked: {reason}, and the \
             driver, which is for CUDA {major}.{minor}, tells them from 12.4 on; compile the image again, or update the \
             driver; unchecked, the kernel is launched with a `KernelLaunch` of the handle that `find_kernel` returns"
        );
        let origin = self.module_origin(module).map_or_else(String::new, |origin| origin.to_string());
        load_error(module, &origin, problem, String::new())
    }
}
