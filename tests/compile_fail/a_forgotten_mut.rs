use warpcall::{Buffer, LaunchConfig, StreamRef, kernel};

#[kernel(module = "add")]
unsafe extern "C" {
    unsafe fn add(a: *const f32, b: *const f32, sum: *mut f32, n: u32);
}

fn call(stream: &StreamRef<'_>, a: Buffer<f32>, b: Buffer<f32>, sum: Buffer<f32>) -> warpcall::Result<()> {
    unsafe { launch_add(stream, LaunchConfig::new(1, 256), &a, &b, &sum, 8) }
}

fn main() {}
