//! The kernels that are launched: they do nothing, so that a launch is all there is to measure.

use warpcall::kernel;

#[kernel(module = "launch_cost", source = "cuda/launch_cost.cu", image = "ptx/launch_cost.ptx")]
unsafe extern "C" {
    /// Three pointers and three values, as an engine's median kernel has.
    pub unsafe fn six(
        output: *mut f32,
        input: *const f32,
        weight: *const f32,
        rows: u32,
        columns: u32,
        eps: f32,
    );

    /// Sixteen parameters of mixed kinds.
    pub unsafe fn sixteen(
        p0: *mut f32,
        p1: *const f32,
        p2: *const f32,
        p3: *const f32,
        p4: *const i32,
        p5: u32,
        p6: u32,
        p7: u32,
        p8: u32,
        p9: f32,
        p10: f32,
        p11: u64,
        p12: i32,
        p13: bool,
        p14: f64,
        p15: *mut f32,
    );
}
