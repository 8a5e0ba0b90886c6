//! A few kernels that are traced.

// Each test program uses a part of it.
#![allow(dead_code)]

use warpcall::diagnose::{Trace, TraceOptions};
use warpcall::{Buffer, Gpu, KernelParam, LaunchConfig, Result, Stream, kernel};

#[repr(C)]
#[derive(Clone, Copy, KernelParam)]
pub(crate) struct Rotation {
    pub(crate) theta: f32,
    pub(crate) interleaved: bool,
    pub(crate) dims: [u32; 2],
}

#[kernel(module = "traced")]
unsafe extern "C" {
    #[host(norm_on_the_host)]
    pub(crate) unsafe fn norm(
        output: *mut f32,
        input: *const f32,
        #[nullable] bias: *const f32,
        n: u32,
        eps: f32,
    );

    #[host(rotate_on_the_host)]
    pub(crate) unsafe fn rotate(values: *mut f32, position: u32, rotation: Rotation);
}

fn norm_on_the_host(output: &mut [f32], input: &[f32], bias: Option<&[f32]>, n: u32, eps: f32) {
    for index in 0..n as usize {
        output[index] = input[index] + bias.map_or(0.0, |bias| bias[index]) + eps;
    }
}

fn rotate_on_the_host(values: &mut [f32], position: u32, rotation: Rotation) {
    values[0] += rotation.theta * f32::from(u16::try_from(position).expect("positions are small"));
}

/// A program with two buffers and a stream.
pub(crate) struct Program {
    pub(crate) gpu: Gpu,
    pub(crate) stream: Stream,
    pub(crate) input: Buffer<f32>,
    pub(crate) output: Buffer<f32>,
}

impl Program {
    pub(crate) fn new(trace: &Trace) -> Result<Self> {
        Self::on(Gpu::builder().host().trace(trace).open()?)
    }

    pub(crate) fn on(gpu: Gpu) -> Result<Self> {
        let (stream, input, output) = (gpu.create_stream()?, gpu.upload(&[1.0; 64])?, gpu.zeros(64)?);
        Ok(Self { gpu, stream, input, output })
    }

    pub(crate) fn norm(&mut self, eps: f32) -> Result<()> {
        // SAFETY: both have 64 elements.
        unsafe { launch_norm(&self.stream, config(), &mut self.output, &self.input, None, 64, eps) }
    }

    pub(crate) fn rotate(&mut self, position: u32) -> Result<()> {
        // SAFETY: the kernel uses the first element.
        unsafe { launch_rotate(&self.stream, config(), &mut self.output, position, ROTATION) }
    }
}

pub(crate) const ROTATION: Rotation = Rotation { theta: 0.5, interleaved: true, dims: [1, 2] };

pub(crate) fn config() -> LaunchConfig {
    LaunchConfig::new(1, 64)
}

pub(crate) fn timed() -> Trace {
    Trace::new(TraceOptions::default().device_times(true))
}

/// The calls as text, with those that were recorded into graphs.
pub(crate) fn calls(trace: &Trace) -> Vec<String> {
    trace.recording().all().iter().map(ToString::to_string).collect()
}
