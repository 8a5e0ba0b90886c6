//! Finding kernels by module and name.

use std::ffi::{CStr, CString, c_char};
use std::sync::Arc;

use super::driver::{code, cu};
use super::function::Function;
use super::module::{LoadedModule, ModuleCode};
use super::{CudaBackend, image, layout, parameters};
use crate::backend::{KernelAttributes, KernelHandle, KernelLookup, LookupAudit, Occupancy};
use crate::error::{Error, Result};
use crate::launch::{Kernel, Module};

// SAFETY: a handle is the address of a record that is kept until the backend is dropped, and the cache is its own.
unsafe impl KernelLookup for CudaBackend {
    fn register_module(&self, module: Module) -> Result<()> {
        self.modules.register(module.name(), ModuleCode::of(&module))
    }

    #[track_caller]
    fn find_kernel(&self, module: &str, name: &str) -> Result<KernelHandle> {
        let function = self.audited(module, name, self.function(module, name))?;
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
        self.modules.register(module.name(), ModuleCode::of(module))?;
        let function =
            self.audited(module.name(), kernel.name(), self.function(module.name(), kernel.name()))?;
        if let Some(loaded) = &function.parameters {
            layout::check(kernel.name(), kernel.parameters(), loaded)?;
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
        if let Err(Error::UnknownModule { .. } | Error::UnknownKernel { .. }) = &found {
            self.audit.record(module, Some(kernel));
        }
        found
    }

    /// The function `name` of a module that is known, loaded where need be.
    fn function(&self, module: &str, name: &str) -> Result<Arc<Function>> {
        let Some(entry) = self.modules.find(module) else {
            return Err(Error::UnknownModule {
                module: module.into(),
                kernel: Some(name.into()),
                known: self.modules.names(),
            });
        };
        let loaded = self.loaded_module(&entry).map_err(|error| match error {
            Error::UnknownModule { module, known, .. } => {
                Error::UnknownModule { module, kernel: Some(name.into()), known }
            }
            other => other,
        })?;
        self.context.bind()?;
        self.kernels.function(module, name, || self.load_function(&loaded, module, name))
    }

    fn load_function(&self, loaded: &LoadedModule, module: &str, name: &str) -> Result<Function> {
        let unknown = || Error::UnknownKernel {
            module: module.into(),
            kernel: name.into(),
            known: self.kernel_names(loaded),
            hint: "",
        };
        let symbol = CString::new(name).map_err(|_| unknown())?;
        let driver = self.context.driver;
        let mut raw = std::ptr::null_mut();
        // SAFETY: the handle outlives the call, the name ends with a zero, and the module is loaded.
        match unsafe { (driver.cuModuleGetFunction)(&raw mut raw, loaded.raw, symbol.as_ptr()) } {
            code::SUCCESS => {}
            code::NOT_FOUND => return Err(unknown()),
            code => return Err(driver.error("cuModuleGetFunction", code)),
        }
        let image = parameters::of_image(&loaded.image, name);
        // The images of a fatbin may differ, and which one the driver took is not told.
        let is_one_image =
            warpcall_signature::detect(&loaded.image) != Some(warpcall_signature::Format::Fatbin);
        let count = image.as_ref().filter(|_| is_one_image).map(Vec::len);
        let parameters = parameters::merge(parameters::of_function(driver, raw, count)?, image);
        self.describe(raw, module, name, parameters)
    }

    /// The names of a module's kernels: from the driver where it tells them, else from the image.
    fn kernel_names(&self, loaded: &LoadedModule) -> Vec<String> {
        self.names_by_driver(loaded).unwrap_or_else(|| image::kernel_names(&loaded.image))
    }

    /// `None` where the driver is older than CUDA 12.4, or refuses.
    fn names_by_driver(&self, loaded: &LoadedModule) -> Option<Vec<String>> {
        let driver = self.context.driver;
        let (count_of, enumerate, name_of) =
            (driver.cuModuleGetFunctionCount?, driver.cuModuleEnumerateFunctions?, driver.cuFuncGetName?);
        let mut count = 0;
        // SAFETY: the number outlives the call, and the module is loaded.
        if unsafe { count_of(&raw mut count, loaded.raw) } != code::SUCCESS {
            return None;
        }
        let mut functions = vec![std::ptr::null_mut(); count as usize];
        // SAFETY: the array holds as many handles as are asked for, and the module is loaded.
        if unsafe { enumerate(functions.as_mut_ptr(), count, loaded.raw) } != code::SUCCESS {
            return None;
        }
        let mut names = Vec::new();
        for function in functions {
            let mut name: *const c_char = std::ptr::null();
            // SAFETY: the pointer outlives the call, and the function is one of the module's.
            if unsafe { name_of(&raw mut name, function) } != code::SUCCESS || name.is_null() {
                return None;
            }
            // SAFETY: the driver's name ends with a zero, and lives as long as the module.
            names.push(unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned());
        }
        names.sort_unstable();
        Some(names)
    }
}
