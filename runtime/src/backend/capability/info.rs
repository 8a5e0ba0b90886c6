use crate::backend::{BackendId, GpuBackend, OperationCache};
use crate::error::{Error, Result};
use crate::launch::Dim3;

/// What a device is and can do. Asked once, when the backend is opened.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct DeviceProperties {
    /// The device's name, such as `NVIDIA H200`.
    pub name: String,
    /// The compute capability as major and minor number; `None` for what is no CUDA device.
    pub compute_capability: Option<(u32, u32)>,
    /// The number of multiprocessors.
    pub multiprocessors: u32,
    /// The threads that execute in step.
    pub warp_size: u32,
    /// The memory of the device in bytes.
    pub total_memory: usize,
    /// What a launch may ask for.
    pub limits: DeviceLimits,
}

/// The limits of a launch on a device.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeviceLimits {
    /// Blocks in each dimension of the grid.
    pub max_grid: Dim3,
    /// Threads in each dimension of a block.
    pub max_block: Dim3,
    /// Threads in a block.
    pub max_threads_per_block: u32,
    /// Static and dynamic shared memory of a block together, in bytes.
    pub max_shared_mem_per_block: u32,
    /// Registers of a block.
    pub max_registers_per_block: u32,
}

impl Default for DeviceLimits {
    /// What every CUDA device since compute capability 7.5 allows (CUDA C++ Programming Guide,
    /// "Technical Specifications per Compute Capability"), with 48 KiB of shared memory.
    fn default() -> Self {
        Self {
            max_grid: Dim3 { x: 0x7fff_ffff, y: 65_535, z: 65_535 },
            max_block: Dim3 { x: 1024, y: 1024, z: 64 },
            max_threads_per_block: 1024,
            max_shared_mem_per_block: 48 * 1024,
            max_registers_per_block: 65_536,
        }
    }
}

impl DeviceProperties {
    /// A device of this name with the default limits and nothing else known.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            compute_capability: None,
            multiprocessors: 1,
            warp_size: 32,
            total_memory: 0,
            limits: DeviceLimits::default(),
        }
    }
}

/// What the backend and its device are.
pub trait DeviceInfo {
    /// Tells this backend from every other of the process. A wrapping backend returns that of what it wraps.
    fn id(&self) -> BackendId {
        self.operation_cache().backend()
    }

    /// The kind of backend, in one word: `cuda`, `host`, `mock`.
    fn kind(&self) -> &'static str;

    /// What the device is and can do.
    fn properties(&self) -> &DeviceProperties;

    /// What this backend has worked out once and keeps.
    fn operation_cache(&self) -> &OperationCache;

    /// The backend that this one wraps and passes handles and memory on to; `None` for one that has its own, as each does
    /// that has an id of its own. [`downcast_ref`](GpuBackend#method.downcast_ref), `as_cuda` and the like look through it.
    fn inner(&self) -> Option<&dyn GpuBackend> {
        None
    }

    /// Makes the device's context current on the calling thread.
    ///
    /// A backend does this itself where it must; a caller needs it only before calling the device's own
    /// interface directly.
    ///
    /// # Errors
    ///
    /// Where the driver refuses.
    fn bind_to_thread(&self) -> Result<()> {
        Ok(())
    }

    /// The backend as error messages name it: kind, number and device.
    fn label(&self) -> Box<str> {
        format!("{} backend {} ({})", self.kind(), self.id().get(), self.properties().name).into()
    }

    /// The error of an operation that this backend does not have.
    fn unsupported(&self, operation: &'static str) -> Error {
        Error::Unsupported { backend: self.label(), operation }
    }
}
