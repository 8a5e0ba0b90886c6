//! A backend that takes every launch as it comes, or refuses it as a driver does: what stands in the way of a launch
//! then stands in this crate. Memory and copies are the host's.
#![allow(dead_code, reason = "each test takes what it needs")]
#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "calls are passed on with what their caller answers for"
)]

use std::ffi::c_void;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use warpcall::backend::{
    Copy2d, CopyMemory, DeviceInfo, DeviceMemory, DeviceProperties, Events, Fill, Graphs, KernelAttributes,
    KernelLookup, Launch, LaunchKernels, LookupAudit, MemoryInfo, Occupancy, OperationCache, PinnedMemory,
    Streams, TensorMaps,
};
use warpcall::{
    DevicePtr, Error, GraphHandle, HostBackend, Kernel, KernelHandle, LaunchConfig, Module, Result,
    StreamHandle,
};

#[derive(Debug)]
pub(crate) struct FakeBackend {
    inner: HostBackend,
    pub(crate) properties: DeviceProperties,
    /// What the compiled kernels are said to need and allow.
    pub(crate) attributes: Option<KernelAttributes>,
    pub(crate) occupancy: Option<Occupancy>,
    refuses: bool,
    launches: AtomicUsize,
    graphs: AtomicU64,
}

impl FakeBackend {
    /// One that takes every launch and runs none.
    pub(crate) fn accepting() -> Self {
        Self {
            inner: HostBackend::new(),
            properties: DeviceProperties::new("fake"),
            attributes: None,
            occupancy: None,
            refuses: false,
            launches: AtomicUsize::new(0),
            graphs: AtomicU64::new(0),
        }
    }

    /// One that refuses every launch without saying why.
    pub(crate) fn refusing() -> Self {
        Self { refuses: true, ..Self::accepting() }
    }

    /// How many launches came here.
    pub(crate) fn launches(&self) -> usize {
        self.launches.load(Ordering::Relaxed)
    }
}

impl DeviceInfo for FakeBackend {
    fn kind(&self) -> &'static str {
        "fake"
    }

    fn properties(&self) -> &DeviceProperties {
        &self.properties
    }

    fn operation_cache(&self) -> &OperationCache {
        self.inner.operation_cache()
    }
}

impl LaunchKernels for FakeBackend {
    unsafe fn launch_raw(
        &self,
        _: KernelHandle,
        _: &LaunchConfig,
        _: StreamHandle,
        _: &[*mut c_void],
    ) -> Result<()> {
        unreachable!("every launch is typed")
    }

    unsafe fn launch(&self, _: &Launch<'_>) -> Result<()> {
        self.launches.fetch_add(1, Ordering::Relaxed);
        if !self.refuses {
            return Ok(());
        }
        Err(Error::Driver {
            call: "cuLaunchKernel",
            code: 1,
            name: "CUDA_ERROR_INVALID_VALUE".into(),
            message: "invalid argument".into(),
        })
    }
}

/// What `find_kernel` finds: a kernel without a declaration or a name.
pub(crate) const UNDECLARED: u64 = 0x77;

unsafe impl KernelLookup for FakeBackend {
    fn register_module(&self, module: Module) -> Result<()> {
        self.inner.register_module(module)
    }

    fn find_kernel(&self, _: &str, _: &str) -> Result<KernelHandle> {
        Ok(KernelHandle::new(UNDECLARED).unwrap())
    }

    fn has_module(&self, module: &str) -> bool {
        self.inner.has_module(module)
    }

    fn resolve_kernel(&self, kernel: &'static Kernel) -> Result<KernelHandle> {
        self.inner.resolve_kernel(kernel)
    }

    fn lookup_audit(&self) -> &LookupAudit {
        self.inner.lookup_audit()
    }

    fn declaration(&self, kernel: KernelHandle) -> Option<&'static Kernel> {
        self.inner.declaration(kernel)
    }

    fn kernel_attributes(&self, _: KernelHandle) -> Result<KernelAttributes> {
        self.attributes.ok_or_else(|| self.unsupported("kernel attributes"))
    }

    fn occupancy(&self, _: KernelHandle, _: u32, _: u32) -> Result<Occupancy> {
        self.occupancy.ok_or_else(|| self.unsupported("occupancy"))
    }
}

unsafe impl DeviceMemory for FakeBackend {
    fn allocate(&self, bytes: usize) -> Result<DevicePtr> {
        self.inner.allocate(bytes)
    }

    unsafe fn free(&self, ptr: DevicePtr) -> Result<()> {
        unsafe { self.inner.free(ptr) }
    }

    fn memory_info(&self) -> Result<MemoryInfo> {
        self.inner.memory_info()
    }
}

impl CopyMemory for FakeBackend {
    fn copy_to_device(&self, dst: DevicePtr, src: &[u8]) -> Result<()> {
        self.inner.copy_to_device(dst, src)
    }

    fn copy_to_host(&self, dst: &mut [u8], src: DevicePtr) -> Result<()> {
        self.inner.copy_to_host(dst, src)
    }

    fn copy_within_device(&self, dst: DevicePtr, src: DevicePtr, bytes: usize) -> Result<()> {
        self.inner.copy_within_device(dst, src, bytes)
    }

    fn copy_to_device_on(&self, stream: StreamHandle, dst: DevicePtr, src: &[u8]) -> Result<()> {
        self.inner.copy_to_device_on(stream, dst, src)
    }

    fn copy_to_host_on(&self, stream: StreamHandle, dst: &mut [u8], src: DevicePtr) -> Result<()> {
        self.inner.copy_to_host_on(stream, dst, src)
    }

    unsafe fn copy_to_device_retained(
        &self,
        stream: StreamHandle,
        dst: DevicePtr,
        src: *const u8,
        bytes: usize,
    ) -> Result<()> {
        unsafe { self.inner.copy_to_device_retained(stream, dst, src, bytes) }
    }

    unsafe fn copy_to_host_async(
        &self,
        stream: StreamHandle,
        dst: *mut u8,
        src: DevicePtr,
        bytes: usize,
    ) -> Result<()> {
        unsafe { self.inner.copy_to_host_async(stream, dst, src, bytes) }
    }

    fn copy_within_device_async(
        &self,
        stream: StreamHandle,
        dst: DevicePtr,
        src: DevicePtr,
        bytes: usize,
    ) -> Result<()> {
        self.inner.copy_within_device_async(stream, dst, src, bytes)
    }

    fn copy_2d_async(&self, stream: StreamHandle, copy: &Copy2d) -> Result<()> {
        self.inner.copy_2d_async(stream, copy)
    }

    fn memset(&self, dst: DevicePtr, fill: Fill, bytes: usize) -> Result<()> {
        self.inner.memset(dst, fill, bytes)
    }

    fn memset_async(&self, stream: StreamHandle, dst: DevicePtr, fill: Fill, bytes: usize) -> Result<()> {
        self.inner.memset_async(stream, dst, fill, bytes)
    }
}

impl Streams for FakeBackend {
    fn synchronize(&self) -> Result<()> {
        self.inner.synchronize()
    }

    fn synchronize_stream(&self, stream: StreamHandle) -> Result<()> {
        self.inner.synchronize_stream(stream)
    }

    fn create_stream(&self, priority: Option<i32>) -> Result<StreamHandle> {
        self.inner.create_stream(priority)
    }

    unsafe fn destroy_stream(&self, stream: StreamHandle) -> Result<()> {
        unsafe { self.inner.destroy_stream(stream) }
    }
}

/// Graphs that hold nothing, and may be launched within another as a driver allows it.
impl Graphs for FakeBackend {
    fn begin_capture(&self, _: StreamHandle) -> Result<()> {
        Ok(())
    }

    fn end_capture(&self, _: StreamHandle) -> Result<GraphHandle> {
        let before = self.graphs.fetch_add(1, Ordering::Relaxed);
        Ok(GraphHandle::new(before + 1).unwrap())
    }

    unsafe fn launch_graph(&self, _: GraphHandle, _: StreamHandle) -> Result<()> {
        Ok(())
    }

    unsafe fn destroy_graph(&self, _: GraphHandle) -> Result<()> {
        Ok(())
    }
}

unsafe impl PinnedMemory for FakeBackend {}
impl Events for FakeBackend {}
impl TensorMaps for FakeBackend {}
