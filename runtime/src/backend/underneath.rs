//! From `dyn GpuBackend` to a certain backend.

use std::any::Any;

use super::GpuBackend;
use super::host::HostBackend;
use super::mock::MockBackend;

impl dyn GpuBackend {
    /// This backend as a `B`, or the first one that it wraps ([`inner`](crate::backend::DeviceInfo::inner)) that is a `B`. It
    /// has the same id: handles and memory of the one are those of the other.
    ///
    /// ```
    /// use warpcall::{Gpu, HostBackend, MockBackend};
    ///
    /// let gpu = Gpu::host()?;
    /// assert!(gpu.downcast_ref::<HostBackend>().is_some());
    /// assert!(gpu.downcast_ref::<MockBackend>().is_none());
    /// # Ok::<(), warpcall::Error>(())
    /// ```
    pub fn downcast_ref<B: GpuBackend>(&self) -> Option<&B> {
        let mut backend = self;
        loop {
            let any: &dyn Any = backend;
            match any.downcast_ref() {
                None => backend = backend.inner()?,
                found => return found,
            }
        }
    }

    /// The CUDA backend that this is or wraps.
    ///
    /// ```
    /// let gpu = warpcall::Gpu::open()?;
    /// if let Some(cuda) = gpu.as_cuda() {
    ///     println!("the driver is for CUDA {:?}", cuda.driver_version());
    /// }
    /// # Ok::<(), warpcall::Error>(())
    /// ```
    #[cfg(feature = "cuda")]
    pub fn as_cuda(&self) -> Option<&super::cuda::CudaBackend> {
        self.downcast_ref()
    }

    /// The host backend that this is or wraps.
    pub fn as_host(&self) -> Option<&HostBackend> {
        self.downcast_ref()
    }

    /// The mock backend that this is or wraps.
    pub fn as_mock(&self) -> Option<&MockBackend> {
        self.downcast_ref()
    }
}
