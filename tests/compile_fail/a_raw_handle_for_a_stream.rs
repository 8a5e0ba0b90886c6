use warpcall::{LaunchConfig, kernel};

#[kernel(module = "m")]
unsafe extern "C" {
    unsafe fn k(n: u32);
}

fn call(stream: *mut std::ffi::c_void) -> warpcall::Result<()> {
    unsafe { launch_k(&stream, LaunchConfig::new(1, 256), 8) }
}

fn main() {}
