//! The expansion is clean under the strictest lints.
#![deny(
    warnings,
    missing_docs,
    unused,
    nonstandard_style,
    rust_2018_idioms,
    unreachable_pub,
    unused_qualifications,
    unsafe_op_in_unsafe_fn,
    clippy::all,
    clippy::pedantic,
    clippy::undocumented_unsafe_blocks,
    clippy::missing_safety_doc,
    clippy::allow_attributes_without_reason
)]

use std::ffi::c_void;

use warpcall::{KernelParam, TensorMap, kernel};

/// What the kernel is told of its work.
#[derive(Clone, Copy, Debug, PartialEq, KernelParam)]
#[repr(C, align(16))]
pub struct Params {
    /// How many rows.
    pub rows: u32,
    /// What they are multiplied with.
    pub scale: f32,
}

/// None of it.
#[derive(Clone, Copy, Debug, KernelParam)]
#[repr(C)]
pub struct Nothing;

#[kernel(module = "strict")]
unsafe extern "C" {
    /// A family.
    #[instance("family<float, int>", T = f32, U = i32)]
    #[instance("family<int, float>", T = i32, U = f32)]
    pub unsafe fn family<T, U>(to: *mut U, from: *const T, value: U);

    #[instance("private<float>", T = f32)]
    unsafe fn private<T>(to: *mut T);
}

#[kernel(module = "strict")]
unsafe extern "C" {
    /// Documented.
    pub unsafe fn documented(
        read: *const f32,
        write: *mut f32,
        untyped: *mut c_void,
        #[nullable] bias: *const f32,
        params: Params,
        nothing: Nothing,
        map: TensorMap,
    );
    pub unsafe fn undocumented(rows: u32);
    /// Many single letters.
    pub unsafe fn gemm(
        a: *const f32,
        b: *const f32,
        c: *mut f32,
        M: u32,
        N: u32,
        K: u32,
        d: f32,
        e: f32,
        _f: f32,
    );
    /// With CUDA's spelling.
    pub unsafe fn addKernel(blockRows: u32);
    /// With a name that begins with an underscore, and one that has two in it.
    pub unsafe fn _private(row__count: u32);
    /// With letters beyond ASCII, one of which has no capital.
    pub unsafe fn größe_ĸ(länge: u32);
}
