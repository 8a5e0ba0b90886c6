//! Several devices in one process: each is a `Gpu` of its own, with its own streams and memory, and what belongs to one is
//! refused by name on another.
//!
//! Runs on all CUDA devices where there are several, and on two host backends elsewhere.

use anyhow::{Context as _, ensure};
use warpcall::{CudaBackend, Error, Gpu, LaunchConfig};
use warpcall_examples::{largest_difference, random};
use warpcall_kernels::saxpy::launch_saxpy;

const ELEMENTS: u32 = 1_000_003;
const A: f32 = 2.5;

/// All CUDA devices, or two host backends where there are not several.
fn devices() -> warpcall::Result<Vec<Gpu>> {
    match CudaBackend::device_count() {
        Ok(count) if count > 1 => (0..count).map(Gpu::cuda).collect(),
        counted => {
            match counted {
                Ok(count) => println!("CUDA devices: {count}"),
                Err(error) => println!("CUDA devices: none ({error})"),
            }
            println!("with fewer than two of them, this runs on two host backends");
            (0..2).map(|_| Gpu::host()).collect()
        }
    }
}

/// One device's part of `y + A * x`, on the thread that calls.
fn part(gpu: &Gpu, y: &[f32], x: &[f32]) -> anyhow::Result<Vec<f32>> {
    let stream = gpu.create_stream()?;
    let (mut result, x) = (gpu.upload(y)?, gpu.upload(x)?);
    let n = u32::try_from(y.len())?;
    // SAFETY: both buffers hold `n` elements.
    unsafe { launch_saxpy(&stream, LaunchConfig::for_elements(n, 256), &mut result, &x, A, n)? };
    Ok(result.to_vec(&stream)?)
}

fn main() -> anyhow::Result<()> {
    let gpus = devices()?;
    for gpu in &gpus {
        println!("device:  {}", gpu.label());
    }

    // Each device computes a part, all at the same time.
    let (x, y) = (random(1, ELEMENTS as usize), random(2, ELEMENTS as usize));
    let length = x.len().div_ceil(gpus.len());
    let parts: Vec<Vec<f32>> = std::thread::scope(|scope| {
        let work = gpus.iter().zip(y.chunks(length)).zip(x.chunks(length));
        let threads: Vec<_> = work.map(|((gpu, y), x)| scope.spawn(move || part(gpu, y, x))).collect();
        threads
            .into_iter()
            .map(|thread| thread.join().expect("no thread panics"))
            .collect::<anyhow::Result<_>>()
    })?;
    let expected: Vec<f32> = y.iter().zip(&x).map(|(y, x)| A.mul_add(*x, *y)).collect();
    let difference = largest_difference(&parts.concat(), &expected)?;
    ensure!(difference == 0.0, "the parts differ from plain Rust by {difference:e}");
    println!("result:  {ELEMENTS} elements in {} parts, as plain Rust computes them", parts.len());

    // A stream of one with a buffer of another is refused before anything is launched.
    let [first, second, ..] = &gpus[..] else { anyhow::bail!("two devices were opened") };
    let stream = first.create_stream()?;
    let x = first.upload(&[1.0_f32; 8])?;
    let mut foreign = second.upload(&[0.0_f32; 8])?;
    // SAFETY: both buffers hold eight elements; the launch is refused.
    let refused = unsafe { launch_saxpy(&stream, LaunchConfig::new(1, 8), &mut foreign, &x, A, 8) };
    let error = refused.err().context("a launch with another device's memory went through")?;
    ensure!(matches!(error, Error::ForeignMemory { .. }), "refused for another reason: {error}");
    println!("refused: {error}");

    // So is reading a buffer on a stream that cannot order it.
    let error = foreign.to_vec(&stream).err().context("another device's stream was taken")?;
    ensure!(matches!(error, Error::ForeignStream { .. }), "refused for another reason: {error}");
    println!("refused: {error}");
    Ok(())
}
