//! The runtime crate under another path.
#![no_implicit_prelude]

/// A crate that hands warpcall on.
pub mod gpu {
    pub use ::warpcall as compute;
}

use ::core::clone::Clone;
use ::core::marker::Copy;

use gpu::compute::{KernelParam, kernel};

#[derive(Clone, Copy, KernelParam)]
#[kernel_param(crate = gpu::compute)]
#[repr(C)]
pub struct Params {
    pub rows: u32,
}

#[kernel(module = "renamed", crate = gpu::compute)]
unsafe extern "C" {
    pub unsafe fn renamed(x: *mut f32, params: Params);
}

#[kernel(module = "renamed", crate = crate::through_another_crate::gpu::compute)]
pub unsafe fn alone(x: *mut f32);
