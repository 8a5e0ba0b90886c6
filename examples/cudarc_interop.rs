//! A program on cudarc that adopts one generated launch, and leaves the rest as it was.
//!
//! `cargo run -p warpcall-examples --features cudarc-interop --example cudarc_interop`. cudarc needs a CUDA device, and so
//! does this program: without one it says so and does nothing.

// Double precision is rounded where it is compared.
#![allow(clippy::cast_possible_truncation)]

use anyhow::ensure;
use cudarc::driver::{CudaContext, LaunchConfig as CudarcConfig, PushKernelArg as _};
use cudarc::nvrtc::Ptx;
use warpcall::backend::cuda::interop::CudarcStream;
use warpcall::{CudaBackend, Error, Gpu, LaunchConfig};
use warpcall_examples::{largest_difference, random};
use warpcall_kernels::norm::launch_rms_norm;
use warpcall_kernels::saxpy::SAXPY;

const ROWS: u32 = 33;
const HIDDEN: u32 = 1000;
const EPS: f32 = 1e-5;

fn main() -> anyhow::Result<()> {
    // cudarc panics where there is no driver, so that is asked first.
    match CudaBackend::device_count() {
        Err(error @ Error::NoDevice { .. }) => {
            println!("NOT RUN: {error}");
            return Ok(());
        }
        counted => println!("CUDA devices: {}", counted?),
    }

    // What was there: cudarc's context, stream, module and memory, and a launch by its builder.
    let context = CudaContext::new(0)?;
    let stream = context.new_stream()?;
    let n = ROWS * HIDDEN;
    let (host_x, host_y, host_weight) =
        (random(1, n as usize), random(2, n as usize), random(3, HIDDEN as usize));
    let (x, weight) = (stream.clone_htod(&host_x)?, stream.clone_htod(&host_weight)?);
    let mut y = stream.clone_htod(&host_y)?;
    let image = SAXPY.module().image().map_or(&[][..], |image| image.bytes);
    let saxpy = context.load_module(Ptx::from_src(std::str::from_utf8(image)?))?.load_function("saxpy")?;
    let a = 0.5_f32;
    let mut launch = stream.launch_builder(&saxpy);
    launch.arg(&mut y).arg(&x).arg(&a).arg(&n);
    // SAFETY: the arguments are, in order and type, those of `saxpy` – which nothing has checked.
    unsafe { launch.launch(CudarcConfig::for_num_elems(n))? };

    // What is adopted: the next kernel, with the same stream and the same memory. Its arguments are checked as it is
    // compiled, and its declaration when it is loaded.
    let gpu = Gpu::from_cudarc(&context)?;
    let adopted = CudarcStream::new(&gpu, &stream)?;
    let mut normed = stream.alloc_zeros::<f32>(n as usize)?;
    // SAFETY: input and output hold ROWS rows of HIDDEN elements, and the weight one row; the grid has a block a row.
    unsafe {
        launch_rms_norm(&adopted, LaunchConfig::new(ROWS, 256), &mut normed, &y, &weight, HIDDEN, EPS)?;
    }

    // What follows is cudarc's again: its other streams wait for that launch as for any other.
    let other = context.new_stream()?;
    let found = other.clone_dtoh(&normed)?;
    other.synchronize()?;

    let sums: Vec<f64> =
        host_y.iter().zip(&host_x).map(|(y, x)| f64::from(*y) + f64::from(a) * f64::from(*x)).collect();
    let expected: Vec<f32> = sums
        .chunks(HIDDEN as usize)
        .flat_map(|row| {
            let mean_square = row.iter().map(|x| x * x).sum::<f64>() / f64::from(HIDDEN);
            let factor = 1.0 / (mean_square + f64::from(EPS)).sqrt();
            row.iter().zip(&host_weight).map(move |(x, weight)| (x * factor * f64::from(*weight)) as f32)
        })
        .collect();
    let difference = largest_difference(&found, &expected)?;
    println!("result:  {:?} …", &found[..4]);
    println!("largest difference to double precision: {difference:e}");
    ensure!(difference < 1e-5, "the difference is larger than rounding explains");
    Ok(())
}
