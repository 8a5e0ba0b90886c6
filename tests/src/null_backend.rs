//! A backend that does nothing, to measure what stands before it.

use std::ffi::c_void;
use std::sync::atomic::{AtomicU64, Ordering};

use warpcall::backend::{
    Copy2d, CopyMemory, DeviceInfo, DeviceMemory, DeviceProperties, Events, Fill, Graphs, KernelLookup,
    LaunchKernels, LookupAudit, MemoryInfo, OperationCache, PinnedMemory, Streams, TensorMaps,
};
use warpcall::{
    BackendId, DevicePtr, Error, Kernel, KernelHandle, LaunchConfig, Module, Result, StreamHandle,
};

/// A backend that counts launches and reads the first byte of every argument, and has nothing else.
///
/// Every kernel resolves. Memory is refused: pass raw addresses, which nothing follows.
///
/// ```
/// use warpcall::{KernelLaunch, StreamRef};
/// use warpcall_tests::null_backend::{ANY_KERNEL, NullBackend};
///
/// # fn main() -> warpcall::Result<()> {
/// let backend = NullBackend::new();
/// // SAFETY: the backend executes nothing.
/// unsafe { KernelLaunch::new(&backend, ANY_KERNEL).arg_u32(7).launch(&StreamRef::default_of(&backend))? };
/// assert_eq!((backend.launches(), backend.first_bytes()), (1, 7));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct NullBackend {
    properties: DeviceProperties,
    cache: OperationCache,
    audit: LookupAudit,
    launches: AtomicU64,
    first_bytes: AtomicU64,
}

/// The handle of every kernel on a [`NullBackend`].
pub const ANY_KERNEL: KernelHandle = match KernelHandle::new(1) {
    Some(handle) => handle,
    None => panic!("one is not zero"),
};

impl NullBackend {
    /// A backend that has launched nothing yet.
    pub fn new() -> Self {
        Self {
            properties: DeviceProperties::new("nothing"),
            cache: OperationCache::new(BackendId::next()),
            audit: LookupAudit::default(),
            launches: AtomicU64::new(0),
            first_bytes: AtomicU64::new(0),
        }
    }

    /// How many launches there were. Exact while one thread at a time launches.
    pub fn launches(&self) -> u64 {
        self.launches.load(Ordering::Relaxed)
    }

    /// The sum of the first bytes of all arguments of all launches. Exact while one thread at a time launches.
    pub fn first_bytes(&self) -> u64 {
        self.first_bytes.load(Ordering::Relaxed)
    }
}

impl Default for NullBackend {
    fn default() -> Self {
        Self::new()
    }
}

impl DeviceInfo for NullBackend {
    fn kind(&self) -> &'static str {
        "null"
    }

    fn properties(&self) -> &DeviceProperties {
        &self.properties
    }

    fn operation_cache(&self) -> &OperationCache {
        &self.cache
    }
}

impl LaunchKernels for NullBackend {
    #[inline]
    unsafe fn launch_raw(
        &self,
        _kernel: KernelHandle,
        config: &LaunchConfig,
        _stream: StreamHandle,
        params: &[*mut c_void],
    ) -> Result<()> {
        if config.has_attributes() {
            return Err(self.unsupported("launch attributes"));
        }
        // SAFETY: the caller promises that each pointer is valid for its parameter, which has a byte at least.
        let sum: u64 = params.iter().map(|param| u64::from(unsafe { param.cast::<u8>().read() })).sum();
        // Loads and stores instead of additions, which would cost more than all the rest here.
        self.first_bytes.store(self.first_bytes().wrapping_add(sum), Ordering::Relaxed);
        self.launches.store(self.launches() + 1, Ordering::Relaxed);
        Ok(())
    }
}

// SAFETY: a launch does nothing with its handle.
unsafe impl KernelLookup for NullBackend {
    fn register_module(&self, _module: Module) -> Result<()> {
        Ok(())
    }

    fn find_kernel(&self, _module: &str, _name: &str) -> Result<KernelHandle> {
        Ok(ANY_KERNEL)
    }

    fn has_module(&self, _module: &str) -> bool {
        true
    }

    fn resolve_kernel(&self, _kernel: &'static Kernel) -> Result<KernelHandle> {
        Ok(ANY_KERNEL)
    }

    fn lookup_audit(&self) -> &LookupAudit {
        &self.audit
    }
}

impl Streams for NullBackend {
    fn synchronize(&self) -> Result<()> {
        Ok(())
    }

    fn synchronize_stream(&self, _stream: StreamHandle) -> Result<()> {
        Ok(())
    }
}

impl NullBackend {
    fn no_memory(&self) -> Error {
        self.unsupported("memory")
    }
}

// SAFETY: it allocates nothing.
unsafe impl DeviceMemory for NullBackend {
    fn allocate(&self, _bytes: usize) -> Result<DevicePtr> {
        Err(self.no_memory())
    }

    unsafe fn free(&self, _ptr: DevicePtr) -> Result<()> {
        Err(self.no_memory())
    }

    fn memory_info(&self) -> Result<MemoryInfo> {
        Err(self.no_memory())
    }
}

impl CopyMemory for NullBackend {
    fn copy_to_device(&self, _dst: DevicePtr, _src: &[u8]) -> Result<()> {
        Err(self.no_memory())
    }

    fn copy_to_host(&self, _dst: &mut [u8], _src: DevicePtr) -> Result<()> {
        Err(self.no_memory())
    }

    fn copy_within_device(&self, _dst: DevicePtr, _src: DevicePtr, _bytes: usize) -> Result<()> {
        Err(self.no_memory())
    }

    fn copy_to_device_on(&self, _stream: StreamHandle, _dst: DevicePtr, _src: &[u8]) -> Result<()> {
        Err(self.no_memory())
    }

    fn copy_to_host_on(&self, _stream: StreamHandle, _dst: &mut [u8], _src: DevicePtr) -> Result<()> {
        Err(self.no_memory())
    }

    unsafe fn copy_to_device_retained(
        &self,
        _stream: StreamHandle,
        _dst: DevicePtr,
        _src: *const u8,
        _bytes: usize,
    ) -> Result<()> {
        Err(self.no_memory())
    }

    unsafe fn copy_to_host_async(
        &self,
        _stream: StreamHandle,
        _dst: *mut u8,
        _src: DevicePtr,
        _bytes: usize,
    ) -> Result<()> {
        Err(self.no_memory())
    }

    fn copy_within_device_async(
        &self,
        _stream: StreamHandle,
        _dst: DevicePtr,
        _src: DevicePtr,
        _bytes: usize,
    ) -> Result<()> {
        Err(self.no_memory())
    }

    fn copy_2d_async(&self, _stream: StreamHandle, _copy: &Copy2d) -> Result<()> {
        Err(self.no_memory())
    }

    fn memset(&self, _dst: DevicePtr, _fill: Fill, _bytes: usize) -> Result<()> {
        Err(self.no_memory())
    }

    fn memset_async(&self, _stream: StreamHandle, _dst: DevicePtr, _fill: Fill, _bytes: usize) -> Result<()> {
        Err(self.no_memory())
    }
}

// SAFETY: these are the defaults.
unsafe impl PinnedMemory for NullBackend {}

impl Events for NullBackend {}

impl Graphs for NullBackend {}

impl TensorMaps for NullBackend {}
