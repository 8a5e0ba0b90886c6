//! Types under other names, arrays whose lengths are constants, and structs that lie as CUDA's types do.
#![deny(warnings)]

use warpcall::{DevicePtr, KernelParam, kernel};

pub const AXES: usize = 3;
pub type Order = [[i32; 4]; 2];
pub type Count = i32;
pub type Table = DevicePtr;
pub type Weights = [half::f16; 2];

#[derive(Clone, Copy, KernelParam)]
#[repr(C, align(8))]
pub struct Complex {
    pub re: f32,
    pub im: f32,
}

#[derive(Clone, Copy, KernelParam)]
#[repr(C)]
pub struct Rotation {
    // Written flat, it lies as the rows do.
    pub matrix: [f32; 2 * AXES],
    pub center: Complex,
    pub count: Count,
    pub table: Table,
    pub weights: Weights,
}

#[kernel(module = "other_names", source = "compile_pass/other_names.cu")]
unsafe extern "C" {
    pub unsafe fn rotate(
        points: *mut [f32; AXES],
        axis: *const f32,
        order: *const Order,
        origin: warpcall::Float4,
        rotation: Rotation,
    );
}
