//! A backend that does nothing, to measure what stands before it.

use std::ffi::c_void;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use warpcall::backend::{
    Copy2d, CopyMemory, DeviceInfo, DeviceMemory, DeviceProperties, Events, Fill, Graphs, KernelLookup,
    LaunchKernels, LookupAudit, MemoryInfo, OperationCache, PinnedMemory, Streams, TensorMaps,
};
use warpcall::{
    BackendId, DevicePtr, Error, EventHandle, Kernel, KernelHandle, LaunchConfig, Module, Result,
    StreamHandle,
};

/// A backend that counts launches and reads the first byte of every argument, and does nothing else.
///
/// Every kernel resolves. Memory is addresses that nothing follows: it can be filled, as nobody sees what it holds, and copies are
/// refused. All events are reached at once, and no time passes between them. Nothing is captured.
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
    /// The next address, and the next number of an event.
    address: AtomicU64,
    event: AtomicU64,
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
            address: AtomicU64::new(1 << 32),
            event: AtomicU64::new(1),
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
    fn no_copies(&self) -> Error {
        self.unsupported("copies")
    }
}

// SAFETY: each address is given out once, and nothing follows it.
unsafe impl DeviceMemory for NullBackend {
    fn allocate(&self, bytes: usize) -> Result<DevicePtr> {
        let room = bytes.next_multiple_of(256) as u64;
        Ok(DevicePtr::new(self.address.fetch_add(room, Ordering::Relaxed)))
    }

    unsafe fn free(&self, _ptr: DevicePtr) -> Result<()> {
        Ok(())
    }

    fn memory_info(&self) -> Result<MemoryInfo> {
        Err(self.unsupported("an amount of memory"))
    }
}

impl CopyMemory for NullBackend {
    fn copy_to_device(&self, _dst: DevicePtr, _src: &[u8]) -> Result<()> {
        Err(self.no_copies())
    }

    fn copy_to_host(&self, _dst: &mut [u8], _src: DevicePtr) -> Result<()> {
        Err(self.no_copies())
    }

    fn copy_within_device(&self, _dst: DevicePtr, _src: DevicePtr, _bytes: usize) -> Result<()> {
        Err(self.no_copies())
    }

    fn copy_to_device_on(&self, _stream: StreamHandle, _dst: DevicePtr, _src: &[u8]) -> Result<()> {
        Err(self.no_copies())
    }

    fn copy_to_host_on(&self, _stream: StreamHandle, _dst: &mut [u8], _src: DevicePtr) -> Result<()> {
        Err(self.no_copies())
    }

    unsafe fn copy_to_device_retained(
        &self,
        _stream: StreamHandle,
        _dst: DevicePtr,
        _src: *const u8,
        _bytes: usize,
    ) -> Result<()> {
        Err(self.no_copies())
    }

    unsafe fn copy_to_host_async(
        &self,
        _stream: StreamHandle,
        _dst: *mut u8,
        _src: DevicePtr,
        _bytes: usize,
    ) -> Result<()> {
        Err(self.no_copies())
    }

    fn copy_within_device_async(
        &self,
        _stream: StreamHandle,
        _dst: DevicePtr,
        _src: DevicePtr,
        _bytes: usize,
    ) -> Result<()> {
        Err(self.no_copies())
    }

    fn copy_2d_async(&self, _stream: StreamHandle, _copy: &Copy2d) -> Result<()> {
        Err(self.no_copies())
    }

    fn memset(&self, _dst: DevicePtr, _fill: Fill, _bytes: usize) -> Result<()> {
        Ok(())
    }

    fn memset_async(&self, _stream: StreamHandle, _dst: DevicePtr, _fill: Fill, _bytes: usize) -> Result<()> {
        Ok(())
    }
}

// SAFETY: these are the defaults.
unsafe impl PinnedMemory for NullBackend {}

impl Events for NullBackend {
    fn create_event(&self, _timing: bool) -> Result<EventHandle> {
        let number = self.event.fetch_add(1, Ordering::Relaxed);
        EventHandle::new(number).ok_or_else(|| self.unsupported("that many events"))
    }

    unsafe fn destroy_event(&self, _event: EventHandle) -> Result<()> {
        Ok(())
    }

    fn record_event(&self, _event: EventHandle, _stream: StreamHandle) -> Result<()> {
        Ok(())
    }

    fn stream_wait_event(&self, _stream: StreamHandle, _event: EventHandle) -> Result<()> {
        Ok(())
    }

    fn synchronize_event(&self, _event: EventHandle) -> Result<()> {
        Ok(())
    }

    fn is_event_done(&self, _event: EventHandle) -> Result<bool> {
        Ok(true)
    }

    fn elapsed(&self, _start: EventHandle, _end: EventHandle) -> Result<Duration> {
        Ok(Duration::ZERO)
    }
}

impl Graphs for NullBackend {
    fn is_capturing(&self, _stream: StreamHandle) -> Result<bool> {
        Ok(false)
    }
}

impl TensorMaps for NullBackend {}
