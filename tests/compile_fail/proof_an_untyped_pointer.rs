use std::ffi::c_void;

use warpcall::kernel;

#[kernel(source = "cuda/norm.cu")]
unsafe extern "C" {
    pub unsafe fn rms_norm(output: *mut f32, input: *const c_void, hidden_size: u32, eps: f32);
}

fn main() {}
