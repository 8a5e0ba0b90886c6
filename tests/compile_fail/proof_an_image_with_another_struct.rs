use warpcall::{KernelParam, kernel};

#[derive(Clone, Copy, KernelParam)]
#[repr(C)]
pub struct RopeParams {
    pub theta: f32,
    pub interleaved: bool,
}

#[kernel(module = "norm", image = "cuda/norm.ptx")]
unsafe extern "C" {
    pub unsafe fn rope(query: *mut f32, params: RopeParams);
}

fn main() {}
