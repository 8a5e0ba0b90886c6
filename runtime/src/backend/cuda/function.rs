//! The kernels that were found: what a handle stands for.

use std::collections::HashMap;
use std::ffi::{c_int, c_uint};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use cudarc::driver::sys::CUfunction;

use super::CudaBackend;
use super::driver::cu;
use super::handles::address;
use super::parameters::LoadedParameter;
use crate::backend::{BackendId, KernelAttributes, KernelHandle};
use crate::error::Result;
use crate::launch::Kernel;

/// Of `CUfunction_attribute`.
mod attribute {
    use std::ffi::c_uint;

    pub(super) const MAX_THREADS_PER_BLOCK: c_uint = 0;
    pub(super) const STATIC_SHARED_MEM: c_uint = 1;
    pub(super) const CONSTANT_MEM: c_uint = 2;
    pub(super) const LOCAL_MEM: c_uint = 3;
    pub(super) const REGISTERS: c_uint = 4;
    pub(super) const MAX_DYNAMIC_SHARED_MEM: c_uint = 8;
}

/// A function of a loaded module.
pub(super) struct Function {
    pub(super) raw: CUfunction,
    pub(super) module: String,
    pub(super) name: String,
    /// Or why neither the driver nor the image tells them, in words.
    pub(super) parameters: Result<Vec<LoadedParameter>, String>,
    pub(super) attributes: KernelAttributes,
    /// How much dynamic shared memory a launch may have as the function is set now.
    dynamic_limit: AtomicU32,
    raising: Mutex<()>,
}

// SAFETY: a function may be used by any thread in whose context it is, and several at once.
unsafe impl Send for Function {}
// SAFETY: as above.
unsafe impl Sync for Function {}

/// What a [`KernelHandle`] is the address of.
pub(super) struct KernelRecord {
    pub(super) raw: CUfunction,
    pub(super) backend: BackendId,
    /// How many parameters a launch must have; `None` where nobody tells.
    pub(super) parameter_count: Option<u32>,
    pub(super) function: Arc<Function>,
    pub(super) declaration: Option<&'static Kernel>,
}

// SAFETY: as for `Function`.
unsafe impl Send for KernelRecord {}
// SAFETY: as for `Function`.
unsafe impl Sync for KernelRecord {}

/// What makes a function one of its own: overloads have one name, and the programs of a module may have one symbol.
#[derive(PartialEq, Eq, Hash)]
pub(super) struct FunctionKey {
    pub(super) module: String,
    /// As it was asked for.
    pub(super) name: String,
    pub(super) symbol: String,
    /// The driver's handle of the program.
    pub(super) program: u64,
}

/// All functions and records, kept until the backend is dropped.
#[derive(Default)]
pub(super) struct Kernels {
    functions: Mutex<HashMap<FunctionKey, Arc<Function>>>,
    /// What a name that nothing was declared of was found to mean.
    undeclared: Mutex<HashMap<(String, String), Arc<Function>>>,
    records: RwLock<HashMap<u64, Arc<KernelRecord>>>,
}

impl Kernels {
    /// The function that a name alone was found to mean before.
    pub(super) fn undeclared(&self, module: &str, name: &str) -> Option<Arc<Function>> {
        let undeclared = self.undeclared.lock().unwrap_or_else(PoisonError::into_inner);
        undeclared.get(&(module.to_owned(), name.to_owned())).cloned()
    }

    /// Keeps what a name alone was found to mean.
    pub(super) fn keep_undeclared(&self, module: &str, name: &str, function: &Arc<Function>) {
        let mut undeclared = self.undeclared.lock().unwrap_or_else(PoisonError::into_inner);
        undeclared.insert((module.to_owned(), name.to_owned()), Arc::clone(function));
    }

    /// The function of this key, made by `make` where there is none yet.
    pub(super) fn function(
        &self,
        key: FunctionKey,
        make: impl FnOnce() -> Result<Function>,
    ) -> Result<Arc<Function>> {
        let mut functions = self.functions.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(function) = functions.get(&key) {
            return Ok(Arc::clone(function));
        }
        let function = Arc::new(make()?);
        functions.insert(key, Arc::clone(&function));
        Ok(function)
    }

    /// The record of this function under this declaration.
    pub(super) fn record(
        &self,
        backend: BackendId,
        function: &Arc<Function>,
        declaration: Option<&'static Kernel>,
    ) -> Option<KernelHandle> {
        let mut records = self.records.write().unwrap_or_else(PoisonError::into_inner);
        let is_same = |record: &KernelRecord| {
            Arc::ptr_eq(&record.function, function)
                && match (record.declaration, declaration) {
                    (Some(left), Some(right)) => std::ptr::eq(left, right),
                    (left, right) => left.is_none() && right.is_none(),
                }
        };
        if let Some((address, _)) = records.iter().find(|(_, record)| is_same(record)) {
            return KernelHandle::new(*address);
        }
        let record = Arc::new(KernelRecord {
            raw: function.raw,
            backend,
            parameter_count: function
                .parameters
                .as_ref()
                .ok()
                .and_then(|parameters| u32::try_from(parameters.len()).ok()),
            function: Arc::clone(function),
            declaration,
        });
        let address = address(Arc::as_ptr(&record));
        records.insert(address, record);
        KernelHandle::new(address)
    }

    /// The record of this function under the one declaration that it has; `None` where it has none, or several.
    pub(super) fn only_declared(&self, function: &Arc<Function>) -> Option<KernelHandle> {
        let records = self.records.read().unwrap_or_else(PoisonError::into_inner);
        let mut declared = records
            .iter()
            .filter(|(_, record)| Arc::ptr_eq(&record.function, function) && record.declaration.is_some());
        match (declared.next(), declared.next()) {
            (Some((address, _)), None) => KernelHandle::new(*address),
            _ => None,
        }
    }

    /// The record behind any number that claims to be a handle.
    pub(super) fn find(&self, kernel: KernelHandle) -> Option<Arc<KernelRecord>> {
        self.records.read().unwrap_or_else(PoisonError::into_inner).get(&kernel.get()).cloned()
    }

    pub(super) fn clear(&self) {
        self.records.write().unwrap_or_else(PoisonError::into_inner).clear();
        self.functions.lock().unwrap_or_else(PoisonError::into_inner).clear();
        self.undeclared.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

impl CudaBackend {
    /// The record behind a handle.
    pub(super) fn record(&self, operation: &'static str, kernel: KernelHandle) -> Result<Arc<KernelRecord>> {
        self.kernels.find(kernel).ok_or_else(|| self.unknown(operation, "kernel", kernel.get()))
    }

    /// What is to be known of a function of the driver. The context is current.
    pub(super) fn describe(
        &self,
        raw: CUfunction,
        module: &str,
        name: &str,
        parameters: Result<Vec<LoadedParameter>, String>,
    ) -> Result<Function> {
        let ask = |attribute: c_uint| -> Result<u32> {
            let mut value: c_int = 0;
            // SAFETY: the number outlives the call, and the function is loaded.
            unsafe { cu!(self.context.driver, cuFuncGetAttribute(&raw mut value, attribute, raw)) }?;
            Ok(u32::try_from(value).unwrap_or(0))
        };
        let mut attributes = KernelAttributes::new(ask(attribute::MAX_THREADS_PER_BLOCK)?);
        attributes.registers = ask(attribute::REGISTERS)?;
        attributes.static_shared_mem = ask(attribute::STATIC_SHARED_MEM)?;
        attributes.local_mem = ask(attribute::LOCAL_MEM)?;
        attributes.constant_mem = ask(attribute::CONSTANT_MEM)?;
        attributes.max_dynamic_shared_mem =
            self.properties.limits.max_shared_mem_per_block.saturating_sub(attributes.static_shared_mem);
        Ok(Function {
            raw,
            module: module.to_owned(),
            name: name.to_owned(),
            parameters,
            attributes,
            dynamic_limit: AtomicU32::new(ask(attribute::MAX_DYNAMIC_SHARED_MEM)?),
            raising: Mutex::default(),
        })
    }
}

impl Function {
    /// Whether a launch may have this much dynamic shared memory as the function is set now.
    #[inline]
    pub(super) fn allows_dynamic(&self, bytes: u32) -> bool {
        bytes <= self.dynamic_limit.load(Ordering::Relaxed)
    }

    /// Lets launches have as much dynamic shared memory as the device gives this function. Done once, since
    /// setting it costs as much as several launches, and never undone, since another thread's launch may need it.
    ///
    /// A launch that wants more than that is left for the driver to refuse. The context is current.
    #[cold]
    #[inline(never)]
    pub(super) fn raise_dynamic(&self, backend: &CudaBackend) -> Result<()> {
        let _raising = self.raising.lock().unwrap_or_else(PoisonError::into_inner);
        let most = self.attributes.max_dynamic_shared_mem;
        if self.allows_dynamic(most) {
            return Ok(());
        }
        // The launch's own check of the context is a guess; this call would not be repeated after a wrong one.
        backend.context.bind()?;
        let value = c_int::try_from(most).unwrap_or(c_int::MAX);
        // SAFETY: the function is loaded.
        unsafe {
            cu!(
                backend.context.driver,
                cuFuncSetAttribute(self.raw, attribute::MAX_DYNAMIC_SHARED_MEM, value)
            )
        }?;
        self.dynamic_limit.store(most, Ordering::Relaxed);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::time::Duration;

    use crate::backend::cuda::fake_driver::Device;
    use crate::backend::{KernelLookup as _, StreamHandle};
    use crate::device::StreamRef;
    use crate::launch::KernelLaunch;

    const PTX: &str = ".version 7.0\n.target sm_50\n.address_size 64\n.visible .entry k()\n{\n    ret;\n}\n";

    #[test]
    fn a_launch_that_is_put_together_waits_for_no_lock() {
        let device = Device::new();
        let backend = device.open();
        backend.load_module("m", PTX).expect("PTX");
        let kernel = backend.find_kernel("m", "k").expect("it is there");
        let ((ready, is_ready), (go, may_go)) = (mpsc::channel(), mpsc::channel());
        let launching = std::sync::Arc::clone(&backend);
        std::thread::spawn(move || {
            let launch = KernelLaunch::new(&*launching, kernel);
            ready.send(None).expect("the test waits");
            may_go.recv().expect("the test says so");
            let stream = StreamRef::new(&*launching, StreamHandle::DEFAULT);
            // SAFETY: nothing is executed.
            ready.send(Some(unsafe { launch.launch(&stream) })).expect("the test waits");
        });
        assert!(is_ready.recv().expect("it is put together").is_none());
        let _records = backend.kernels.records.write();
        let _functions = backend.kernels.functions.lock();
        go.send(()).expect("the thread waits");
        let launched = is_ready.recv_timeout(Duration::from_secs(20)).expect("it waits for a lock");
        launched.expect("an outcome").expect("nothing refuses");
        assert!(device.calls().contains(&"cuLaunchKernel"));
    }
}
