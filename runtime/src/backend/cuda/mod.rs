//! The backend on the CUDA driver, loaded at run time.
//!
//! Nothing of a toolkit is needed to build or to run; NVRTC is loaded where a module has source and no image
//! that fits. `libcuda` is looked up by [`CudaBackend::open`], which says what is missing.

mod captures;
mod compile;
mod context;
mod copy;
mod deferred;
mod driver;
mod event;
#[cfg(test)]
mod fake_driver;
mod function;
mod graph;
mod handles;
mod image;
#[cfg(feature = "cudarc-interop")]
pub mod interop;
mod launch;
mod layout;
mod live;
mod load;
mod lookup;
mod memory;
mod module;
mod names;
mod nvrtc;
mod open;
mod owned;
mod parameters;
mod pinned;
mod programs;
mod properties;
mod rectangle;
mod source;
mod staging;
mod stream;
mod tensor_map;

use std::fmt;
use std::sync::Arc;

use super::{BackendId, DeviceInfo, DeviceProperties, LookupAudit, OperationCache};
use crate::error::Result;

pub use compile::CompiledSource;
pub use image::ImageFormat;
pub use module::ModuleOrigin;
pub use open::CudaBackendBuilder;
pub use source::CudaSource;

/// One CUDA device, through the driver.
///
/// Opened with [`open`](Self::open) or, with settings, [`builder`](Self::builder). It holds the device's primary
/// context, which it shares with everything else in the process that does, and makes it current on each thread
/// that uses it.
///
/// ```no_run
/// use warpcall::CudaBackend;
/// use warpcall::backend::DeviceInfo;
///
/// let backend = CudaBackend::open(0)?;
/// println!("{}", backend.properties().name);
/// # Ok::<(), warpcall::Error>(())
/// ```
pub struct CudaBackend {
    // Freed in the order in which they stand, by hand before and by their own `Drop` after; the context is last.
    kernels: function::Kernels,
    modules: module::Modules,
    memory: memory::Allocations,
    pinned: pinned::PinnedAllocations,
    staging: staging::Staging,
    handles: handles::Handles,
    /// Given back before the context, so that another context at its address has its own.
    captures: Arc<captures::Captures>,
    cache: OperationCache,
    audit: LookupAudit,
    nvrtc: compile::NvrtcSettings,
    properties: DeviceProperties,
    features: properties::DeviceFeatures,
    baseline_free: usize,
    ordinal: usize,
    id: BackendId,
    context: context::Context,
}

impl CudaBackend {
    /// The number of the device, as the driver counts.
    pub fn ordinal(&self) -> usize {
        self.ordinal
    }

    /// The version of CUDA that the driver is for, such as 13.0.
    pub fn driver_version(&self) -> (u32, u32) {
        self.context.driver.version()
    }
}

impl DeviceInfo for CudaBackend {
    #[inline]
    fn id(&self) -> BackendId {
        self.id
    }

    fn kind(&self) -> &'static str {
        "cuda"
    }

    fn properties(&self) -> &DeviceProperties {
        &self.properties
    }

    #[inline]
    fn operation_cache(&self) -> &OperationCache {
        &self.cache
    }

    fn bind_to_thread(&self) -> Result<()> {
        self.context.bind()
    }
}

impl fmt::Debug for CudaBackend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CudaBackend")
            .field("id", &self.id)
            .field("ordinal", &self.ordinal)
            .field("device", &self.properties.name)
            .finish_non_exhaustive()
    }
}

impl Drop for CudaBackend {
    fn drop(&mut self) {
        // A refusal, such as that of a context that faulted, has nobody to be reported to.
        if self.context.bind().is_err() {
            self.captures.forget_all(self.id);
            self.leave_all_handles();
            return;
        }
        self.abandon_all_captures();
        if let Ok(_quiet) = self.quiet() {
            let _ = self.synchronize_context();
        } else {
            self.wait_for_all_streams();
        }
        self.kernels.clear();
        self.destroy_all_handles();
        let mut left = self.take_modules();
        left.extend(self.take_staging());
        left.extend(self.take_memory());
        left.extend(self.take_pinned());
        self.dispose(left);
    }
}

#[cfg(test)]
mod tests {
    mod capture;
    mod copy;
    mod handles;
    mod launch;
}
