use core::ffi::c_void;

use warpcall::{LaunchConfig, Stream, kernel};

#[kernel(module = "clear")]
unsafe extern "C" {
    pub unsafe fn clear(memory: *mut c_void, bytes: u64);
}

fn call(stream: &Stream, mut memory: Vec<f32>) -> warpcall::Result<()> {
    unsafe { launch_clear(stream, LaunchConfig::new(1, 256), &mut memory, 8) }
}

fn main() {}
