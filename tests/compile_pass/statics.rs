//! Statics, constants and unit structs of the user's, called like what an expansion might bind.
#![allow(non_upper_case_globals, non_camel_case_types, dead_code)]

use warpcall::{KernelParam, TensorMap, kernel};

static stream: i32 = 0;
static bytes: i32 = 0;
static call: i32 = 0;
static argument_0: i32 = 0;
static arguments: i32 = 0;
const config: i32 = 0;
const name: i32 = 0;
const index: i32 = 0;
const M: u32 = 128;
struct launch;
struct argument_1;
struct kernel_;
struct Rows;

/// A struct whose fields are called like the statics.
#[derive(Clone, Copy, KernelParam)]
#[repr(C)]
pub struct Params {
    bytes: u32,
    stream: f32,
}

fn reference(_x: &mut [f32], _bias: Option<&[f32]>, _params: Params, _map: &TensorMap, _m: u32) {}

#[kernel(module = "statics")]
unsafe extern "C" {
    #[host(reference)]
    pub unsafe fn every_kind(
        x: *mut f32,
        #[nullable] bias: *const f32,
        params: Params,
        map: TensorMap,
        m: u32,
    );
    /// With parameters called like a constant, a unit struct, a kernel of another block, and a kernel of this one.
    pub unsafe fn gemm(A: *const f32, a: f32, M: u32, Rows: u32, N: u32, n: u32);
    pub unsafe fn n();
}

#[kernel(module = "statics")]
pub unsafe fn a(n: u32);
