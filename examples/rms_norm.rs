//! A kernel of `warpcall-kernels` on rows of random numbers, checked against plain Rust.

// Double precision is rounded where it is compared.
#![allow(clippy::cast_possible_truncation)]

use anyhow::ensure;
use warpcall::{Gpu, LaunchConfig};
use warpcall_examples::{largest_difference, random};
use warpcall_kernels::norm::launch_rms_norm;

const ROWS: u32 = 64;
const HIDDEN: u32 = 4096;
const EPS: f32 = 1e-5;

fn main() -> anyhow::Result<()> {
    let gpu = Gpu::open()?;
    println!("device:  {} ({})", gpu.properties().name, gpu.kind());
    let stream = gpu.create_stream()?;

    let rows = random(1, (ROWS * HIDDEN) as usize);
    let scale = random(2, HIDDEN as usize);
    let input = gpu.upload(&rows)?;
    let weight = gpu.upload(&scale)?;
    let mut output = gpu.zeros::<f32>(rows.len())?;

    // SAFETY: input and output hold ROWS rows of HIDDEN elements, and the weight one row; the grid has a block a row.
    unsafe {
        launch_rms_norm(&stream, LaunchConfig::new(ROWS, 256), &mut output, &input, &weight, HIDDEN, EPS)?;
    }

    let output = output.to_vec(&stream)?;
    let expected: Vec<f32> = rows
        .chunks(HIDDEN as usize)
        .flat_map(|row| {
            let mean_square = row.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>() / f64::from(HIDDEN);
            let factor = 1.0 / (mean_square + f64::from(EPS)).sqrt();
            row.iter()
                .zip(&scale)
                .map(move |(x, weight)| (f64::from(*x) * factor * f64::from(*weight)) as f32)
        })
        .collect();
    let difference = largest_difference(&output, &expected)?;
    println!("result:  {:?} …", &output[..4]);
    println!("largest difference to double precision: {difference:e}");
    ensure!(difference < 1e-5, "the difference is larger than rounding explains");
    Ok(())
}
