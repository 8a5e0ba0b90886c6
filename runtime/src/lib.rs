//! Calling CUDA kernels from Rust: declared once, launched typed, proved against the real kernel.

pub mod argument;
pub mod backend;
pub mod device;
mod error;
pub mod launch;

pub use argument::*;
#[cfg(feature = "cuda")]
pub use backend::cuda::{CudaBackend, CudaBackendBuilder, ModuleOrigin};
pub use backend::mock::MockBackend;
pub use backend::{
    BackendId, EventHandle, GpuBackend, GraphHandle, HostBackend, HostCall, HostFunction, HostLaunch,
    KernelHandle, StreamHandle,
};
pub use device::*;
pub use error::{Error, MemoryProblem, Result};
pub use launch::{Dim3, Image, Kernel, KernelLaunch, LaunchConfig, Module, Parameter, Source, div_ceil};
pub use warpcall_macros::{KernelParam, kernel};

/// What generated code calls. Not meant to be called by hand, and free to change.
#[doc(hidden)]
pub mod __private {
    pub use crate::argument::slots_for;
    pub use crate::launch::Call;

    /// The argument for a tensor map.
    #[inline]
    pub fn tensor_map(map: &crate::TensorMap) -> crate::KernelArg<'_> {
        map.arg()
    }
}
