//! The smallest program: one kernel, declared and launched.
//!
//! `cargo run --example saxpy` runs on the first CUDA device, or on the host where there is none.

use anyhow::ensure;
use warpcall::{Gpu, LaunchConfig, kernel};

#[kernel(module = "saxpy", source = "../kernels/cuda/saxpy.cu", image = "../kernels/ptx/saxpy.ptx")]
unsafe extern "C" {
    /// `y[i] += a * x[i]` for every `i < n`, one thread an element.
    #[host(saxpy_on_the_host)]
    pub unsafe fn saxpy(y: *mut f32, x: *const f32, a: f32, n: u32);
}

/// What the host backend runs in the kernel's place.
fn saxpy_on_the_host(y: &mut [f32], x: &[f32], a: f32, n: u32) {
    for (y, x) in y.iter_mut().zip(x).take(n as usize) {
        *y += a * x;
    }
}

fn main() -> anyhow::Result<()> {
    let gpu = Gpu::open()?;
    println!("device:  {}", gpu.properties().name);
    println!("backend: {}", gpu.kind());

    let stream = gpu.create_stream()?;
    let n = 1_000_000;
    let x = gpu.upload(&vec![1.5_f32; n as usize])?;
    let mut y = gpu.upload(&vec![0.25_f32; n as usize])?;

    // SAFETY: `x` and `y` hold `n` elements, and the kernel touches no others.
    unsafe { launch_saxpy(&stream, LaunchConfig::for_elements(n, 256), &mut y, &x, 2.0, n)? };

    let y = y.to_vec(&stream)?;
    ensure!(y.iter().all(|y| y.total_cmp(&3.25).is_eq()), "2 * 1.5 + 0.25 is not 3.25 everywhere");
    println!("result:  {:?} … {} elements, all 2 * 1.5 + 0.25", &y[..4], y.len());
    Ok(())
}
