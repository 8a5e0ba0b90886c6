use std::ffi::c_void;

use warpcall::kernel;

#[kernel(source = "cuda/norm.cu", image = "cuda/norm.ptx")]
unsafe extern "C" {
    pub unsafe fn fill(memory: *mut c_void, value: i8, count: i32);
}

fn main() {}
