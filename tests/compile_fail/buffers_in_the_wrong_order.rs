use warpcall::{Buffer, LaunchConfig, StreamRef, kernel};

#[kernel(module = "saxpy")]
unsafe extern "C" {
    unsafe fn saxpy(y: *mut f32, x: *const f32, a: f32, n: u32);
}

fn call(stream: &StreamRef<'_>, y: &mut Buffer<f32>, x: &Buffer<f32>) -> warpcall::Result<()> {
    unsafe { launch_saxpy(stream, LaunchConfig::new(1, 256), x, y, 2.0, 8) }
}

fn main() {}
