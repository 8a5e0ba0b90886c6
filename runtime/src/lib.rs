//! Calling CUDA kernels from Rust: declared once, launched typed, proved against the real kernel.
//!
//! `cuLaunchKernel` takes a `void**` and believes it. Here a kernel is declared once, as an `extern` function; [`kernel`](macro@kernel)
//! compares the declaration with the CUDA source or the compiled image that it names, and generates a function that launches
//! it:
//!
//! ```
//! use warpcall::{Gpu, LaunchConfig, kernel};
//!
//! #[kernel(module = "saxpy")] // with `source = "cuda/saxpy.cu"` or `image = "ptx/saxpy.ptx"`, or both, it is proved
//! unsafe extern "C" {
//!     /// `y[i] += a * x[i]` for every `i < n`.
//!     #[host(saxpy_on_the_host)]
//!     pub unsafe fn saxpy(y: *mut f32, x: *const f32, a: f32, n: u32);
//! }
//!
//! /// What runs where there is no GPU.
//! fn saxpy_on_the_host(y: &mut [f32], x: &[f32], a: f32, n: u32) {
//!     y.iter_mut().zip(x).take(n as usize).for_each(|(y, x)| *y += a * x);
//! }
//!
//! # fn main() -> warpcall::Result<()> {
//! let gpu = Gpu::host()?; // `Gpu::open()` takes a CUDA device if there is one, `Gpu::cuda(0)` nothing else
//! let stream = gpu.create_stream()?;
//! let x = gpu.upload(&[1.0_f32, 2.0, 3.0])?;
//! let mut y = gpu.zeros::<f32>(3)?;
//! // SAFETY: `saxpy` stays within the `n` elements that both buffers have.
//! unsafe { launch_saxpy(&stream, LaunchConfig::for_elements(3, 256), &mut y, &x, 2.0, 3)? };
//! assert_eq!(y.to_vec(&stream)?, [2.0, 4.0, 6.0]);
//! # Ok(())
//! # }
//! ```
//!
//! # Parameters
//!
//! | declared | the launch function takes |
//! |---|---|
//! | `*const T` | `&` of a [`Buffer<T>`](Buffer), a [`Slice`], or a raw [`DevicePtr`]: any [`DeviceRef<T>`](DeviceRef) |
//! | `*mut T` | `&mut` of a [`Buffer<T>`](Buffer), a [`SliceMut`], or a raw [`DevicePtr`]: any [`DeviceMut<T>`](DeviceMut) |
//! | `*const c_void`, `*mut c_void` | the same, of any element type ([`Void`]) |
//! | a pointer with `#[nullable]` | the same, an `Option<&Buffer<T>>`, or `None` ([`NullableRef`], [`NullableMut`]) |
//! | `bool`, `i8` … `i64`, `u8` … `u64`, `isize`, `usize`, `f32`, `f64` | exactly that type, never converted |
//! | `f16`, `bf16` (crate `half`), `F8E4M3`, `F8E5M2` (crate `float8`) | that type |
//! | [`Float4`], [`Int3`], … | that type, with CUDA's size and alignment |
//! | a `#[repr(C)]` struct with [`#[derive(KernelParam)]`](macro@KernelParam) | the struct by value; padding is zero |
//! | [`TensorMap`] | `&TensorMap` |
//!
//! # Copies from the host
//!
//! | promise | of a buffer or a slice | of a backend | the source |
//! |---|---|---|---|
//! | plain | [`copy_from_host`](Buffer::copy_from_host) | [`copy_to_device_async`](backend::CopyMemory::copy_to_device_async) | may be dropped or rewritten as soon as the call returns, also where it is pinned |
//! | retained | [`copy_from_retained`](Buffer::copy_from_retained) | [`copy_to_device_retained`](backend::CopyMemory::copy_to_device_retained) | is kept by the caller until the stream has been synchronised; adds no ordering |
//!
//! # Kernels known at run time
//!
//! A module is given its code by name while the program runs, and its kernels are found by name. What is given takes the
//! place of what declarations carry for a module of that name.
//!
//! ```no_run
//! use warpcall::{Gpu, KernelLaunch, LaunchConfig, Module};
//!
//! # static PTX: &str = "";
//! # fn main() -> warpcall::Result<()> {
//! let gpu = Gpu::open()?;
//! let mut values = gpu.zeros::<u32>(1000)?;
//! // Bytes that come to be at run time: `gpu.as_cuda()`, and `load_module` or `load_module_source`.
//! gpu.register_module(Module::new("plugin").with_image("plugin.ptx", PTX.as_bytes()))?;
//! let kernel = gpu.find_kernel("plugin", "fill")?;
//! // SAFETY: `fill` takes a pointer and a number, and stays within so many elements.
//! unsafe {
//!     KernelLaunch::new(&*gpu, kernel)
//!         .config(LaunchConfig::for_elements(1000, 256))
//!         .arg_ptr(&mut values)
//!         .arg_u32(1000)
//!         .launch(&gpu.default_stream())?;
//! }
//! # Ok(())
//! # }
//! ```
//!
//! # Where to look
//!
//! - Memory, streams, events and graphs that free themselves: [`Gpu`], [`Buffer`], [`PinnedBuffer`], [`Stream`], [`Event`],
//!   [`Graph`].
//! - The attributes, and what a wrong declaration is told: [`kernel`](macro@kernel), [`KernelParam`](macro@KernelParam).
//! - A declared kernel, as data: [`Kernel`], [`Parameter`]. How it is launched: [`LaunchConfig`].
//! - Kernels that are known only at run time: [`KernelLaunch`], argument by argument.
//! - Tensor maps for the tensor memory accelerator: [`TensorMap::encode_tiled`] of a [`TiledTensor`](backend::TiledTensor).
//! - Code that has a `&dyn GpuBackend` and a raw stream: [`StreamRef`].
//! - A program on cudarc: `backend::cuda::interop` (feature `cudarc-interop`).
//! - The backends: `CudaBackend` (feature `cuda`), [`HostBackend`], and for tests of code that launches, [`MockBackend`]. One of your own:
//!   [`GpuBackend`].
//! - What goes wrong: [`Error`]. Finding out why: [`diagnose`].

pub mod argument;
pub mod backend;
pub mod device;
pub mod diagnose;
mod error;
pub mod launch;
#[cfg(any(feature = "cuda", feature = "nvtx"))]
mod library;
mod proof;
mod words;

pub use argument::*;
#[cfg(feature = "cuda")]
pub use backend::cuda::{CudaBackend, CudaBackendBuilder, ModuleOrigin};
pub use backend::mock::MockBackend;
pub use backend::{
    BackendId, EventHandle, GpuBackend, GraphHandle, HostBackend, HostCall, HostFunction, HostLaunch,
    HostOutcome, KernelHandle, StreamHandle,
};
/// What a [`Buffer`] holds: plain data, of which any bytes are a value. It is the trait of the crate `bytemuck`.
pub use bytemuck::Pod;
/// The version of cudarc that this crate is built with.
#[cfg(feature = "cudarc-interop")]
pub use cudarc;
pub use device::*;
pub use error::{Error, MemoryProblem, Result};
pub use launch::{
    Dim3, Header, Image, Kernel, KernelLaunch, LaunchConfig, Module, Parameter, Source, div_ceil,
};
pub use warpcall_macros::{KernelParam, kernel};

/// What generated code calls. Not meant to be called by hand, and free to change.
#[doc(hidden)]
pub mod __private {
    pub use crate::argument::slots_for;
    pub use crate::launch::{Call, generated::*};
    pub mod proof {
        pub use crate::proof::*;
    }
    #[cfg(feature = "fp8")]
    pub use float8::{F8E4M3, F8E5M2};
    #[cfg(feature = "half")]
    pub use half::{bf16, f16};
}
