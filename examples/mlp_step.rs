//! A whole feed-forward step of a language model out of several kernels, checked against plain Rust:
//!
//! `residual + down(silu(gate(x)) * up(x))`, with `x = rms_norm(residual)`.

// Sizes are small, and double precision is rounded where it is compared.
#![allow(clippy::cast_possible_truncation, clippy::cast_precision_loss)]

use anyhow::ensure;
use warpcall::{Buffer, Gpu, LaunchConfig, Stream, div_ceil};
use warpcall_examples::{largest_difference, random};
use warpcall_kernels::activation::launch_silu_mul;
use warpcall_kernels::gemv::launch_gemv;
use warpcall_kernels::norm::launch_rms_norm;
use warpcall_kernels::saxpy::launch_saxpy;

const HIDDEN: u32 = 512;
const INNER: u32 = 1376;
const EPS: f32 = 1e-6;

/// The weights of one layer, as the host holds them. Matrices are row-major, one row an output.
struct Weights {
    norm: Vec<f32>,
    gate: Vec<f32>,
    up: Vec<f32>,
    down: Vec<f32>,
}

impl Weights {
    fn random() -> Self {
        let matrix = |seed, rows: u32, columns: u32| {
            let scale = 1.0 / (columns as f32).sqrt();
            random(seed, (rows * columns) as usize).into_iter().map(|x| x * scale).collect()
        };
        Self {
            norm: random(11, HIDDEN as usize),
            gate: matrix(12, INNER, HIDDEN),
            up: matrix(13, INNER, HIDDEN),
            down: matrix(14, HIDDEN, INNER),
        }
    }
}

/// The weights on the device, and the memory that a step works in.
struct Layer {
    norm: Buffer<f32>,
    gate: Buffer<f32>,
    up: Buffer<f32>,
    down: Buffer<f32>,
    normalised: Buffer<f32>,
    gated: Buffer<f32>,
    raised: Buffer<f32>,
    activated: Buffer<f32>,
    lowered: Buffer<f32>,
}

impl Layer {
    fn new(gpu: &Gpu, weights: &Weights) -> warpcall::Result<Self> {
        Ok(Self {
            norm: gpu.upload(&weights.norm)?,
            gate: gpu.upload(&weights.gate)?,
            up: gpu.upload(&weights.up)?,
            down: gpu.upload(&weights.down)?,
            normalised: gpu.zeros(HIDDEN as usize)?,
            gated: gpu.zeros(INNER as usize)?,
            raised: gpu.zeros(INNER as usize)?,
            activated: gpu.zeros(INNER as usize)?,
            lowered: gpu.zeros(HIDDEN as usize)?,
        })
    }

    /// Adds the step's result to `residual`. Everything is enqueued on `stream`; nothing waits.
    fn step(&mut self, stream: &Stream, residual: &mut Buffer<f32>) -> warpcall::Result<()> {
        let row = LaunchConfig::new(1, 256);
        let matrix = |rows| LaunchConfig::new(div_ceil(rows, 8), 256);
        // SAFETY: each buffer was made with the size that its kernel takes, above.
        unsafe {
            launch_rms_norm(stream, row, &mut self.normalised, residual, &self.norm, HIDDEN, EPS)?;
            launch_gemv(stream, matrix(INNER), &mut self.gated, &self.gate, &self.normalised, INNER, HIDDEN)?;
            launch_gemv(stream, matrix(INNER), &mut self.raised, &self.up, &self.normalised, INNER, HIDDEN)?;
            let elements = LaunchConfig::for_elements(INNER, 256);
            launch_silu_mul(stream, elements, &mut self.activated, &self.gated, &self.raised, INNER)?;
            launch_gemv(
                stream,
                matrix(HIDDEN),
                &mut self.lowered,
                &self.down,
                &self.activated,
                HIDDEN,
                INNER,
            )?;
            launch_saxpy(
                stream,
                LaunchConfig::for_elements(HIDDEN, 256),
                residual,
                &self.lowered,
                1.0,
                HIDDEN,
            )
        }
    }
}

/// The same step in plain Rust and double precision.
fn expected_step(weights: &Weights, residual: &[f32]) -> Vec<f32> {
    let product = |matrix: &[f32], vector: &[f64]| -> Vec<f64> {
        matrix
            .chunks(vector.len())
            .map(|row| row.iter().zip(vector).map(|(weight, x)| f64::from(*weight) * x).sum())
            .collect()
    };
    let mean_square = residual.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>() / residual.len() as f64;
    let factor = 1.0 / (mean_square + f64::from(EPS)).sqrt();
    let normalised: Vec<f64> = residual
        .iter()
        .zip(&weights.norm)
        .map(|(x, weight)| f64::from(*x) * factor * f64::from(*weight))
        .collect();
    let gated = product(&weights.gate, &normalised);
    let raised = product(&weights.up, &normalised);
    let activated: Vec<f64> =
        gated.iter().zip(&raised).map(|(gate, up)| gate / (1.0 + (-gate).exp()) * up).collect();
    let lowered = product(&weights.down, &activated);
    residual.iter().zip(&lowered).map(|(x, y)| (f64::from(*x) + y) as f32).collect()
}

fn main() -> anyhow::Result<()> {
    let gpu = Gpu::open()?;
    println!("device:  {} ({})", gpu.properties().name, gpu.kind());
    let stream = gpu.create_stream()?;

    let weights = Weights::random();
    let mut layer = Layer::new(&gpu, &weights)?;
    let mut expected = random(15, HIDDEN as usize);
    let mut residual = gpu.upload(&expected)?;
    for step in 1..=4 {
        layer.step(&stream, &mut residual)?;
        expected = expected_step(&weights, &expected);
        let difference = largest_difference(&residual.to_vec(&stream)?, &expected)?;
        println!("step {step}: largest difference to double precision {difference:e}");
        ensure!(difference < 1e-4, "the difference is larger than rounding explains");
    }
    Ok(())
}
