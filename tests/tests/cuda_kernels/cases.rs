//! What each kernel is launched with: shapes, most of them odd, and how far a device may be from the host.
//!
//! The host adds from left to right and a device in another order. The roundings that are allowed follow from the kernel:
//! those of its own steps, with CUDA's own functions as exact as the CUDA C++ Programming Guide says ("Mathematical
//! Functions"), and for a sum of `n` random terms the square root of `n`.

mod elementwise;
mod matrices;
mod rows;

use fastrand::Rng;
use warpcall::{Gpu, LaunchConfig, Result, Stream};
use warpcall_kernels::reference;

pub(crate) use self::elementwise::*;
pub(crate) use self::matrices::*;
pub(crate) use self::rows::*;

use super::compare::{Allowed, Number, Output};
use super::launches::Launches;

/// The shapes that each kernel is launched with.
pub(crate) const SHAPES: usize = 10;

/// Elements behind the last that a kernel writes.
const BEHIND: usize = 37;

/// An element type that there are kernels for.
pub(crate) trait Element: Number + Launches + reference::Element {}

impl<T: Number + Launches + reference::Element> Element for T {}

/// A launch with its data: what it writes, on any backend, and how far each of its outputs may be from the host's.
pub(crate) struct Case {
    pub(crate) shape: String,
    pub(crate) run: Run,
    pub(crate) allowed: Vec<Allowed>,
}

type Run = Box<dyn Fn(&Gpu) -> Result<Vec<Output>>>;

fn case(
    shape: String,
    allowed: impl Into<Vec<Allowed>>,
    run: impl Fn(&Gpu, &Stream) -> Result<Vec<Output>> + 'static,
) -> Case {
    let run = move |gpu: &Gpu| {
        let stream = gpu.create_stream()?;
        run(gpu, &stream)
    };
    Case { shape, run: Box::new(run), allowed: allowed.into() }
}

/// From 1 to `largest`: the edges of warps and blocks first, and odd ones after them.
fn size(rng: &mut Rng, step: usize, largest: u32) -> u32 {
    let edges = [1, 3, 31, 33, 255, 1025, largest];
    edges.get(step).map_or_else(|| rng.u32(1..=largest) | 1, |edge| *edge).min(largest)
}

/// A block of so many threads that every kernel takes.
fn block(rng: &mut Rng) -> u32 {
    rng.choice([32, 64, 96, 160, 256, 512, 1024]).unwrap_or(32)
}

/// A grid with a thread for each of `n` elements, and sometimes one of fewer blocks that go over them several times.
fn any_grid(rng: &mut Rng, step: usize, n: u32) -> LaunchConfig {
    let block = block(rng);
    if step.is_multiple_of(3) {
        LaunchConfig::new(rng.u32(1..4), block)
    } else {
        LaunchConfig::for_elements(n, block)
    }
}

fn elements<T: Element>(rng: &mut Rng, count: u32, spread: f32) -> Vec<T> {
    (0..count).map(|_| T::from_f32((rng.f32() * 2.0 - 1.0) * spread)).collect()
}

/// Something that no kernel computes, as long as the output and a little longer.
fn unwritten<T: Element>(count: u32) -> Vec<T> {
    vec![T::from_f32(-1234.0); count as usize + BEHIND]
}

fn absolute<T: Element>(elements: &[T]) -> Vec<f32> {
    elements.iter().map(|element| element.to_f32().abs()).collect()
}

fn exact(magnitudes: &[f32]) -> Vec<f64> {
    magnitudes.iter().map(|magnitude| f64::from(*magnitude)).collect()
}

/// The error that a sum of `count` random terms has, in roundings.
fn sum_of(count: u32) -> f64 {
    f64::from(count).sqrt()
}

/// Uploads one output, launches, and reads it back.
fn written<T: Number>(
    gpu: &Gpu,
    stream: &Stream,
    parameter: &'static str,
    before: &[T],
    launch: impl FnOnce(&mut warpcall::Buffer<T>) -> Result<()>,
) -> Result<Vec<Output>> {
    let mut output = gpu.upload(before)?;
    launch(&mut output)?;
    Ok(vec![Output::new(parameter, &output.to_vec(stream)?)])
}

/// As [`written`], of two outputs of one type.
fn both_written<T: Number>(
    gpu: &Gpu,
    stream: &Stream,
    parameters: [&'static str; 2],
    before: [&[T]; 2],
    launch: impl FnOnce(&mut warpcall::Buffer<T>, &mut warpcall::Buffer<T>) -> Result<()>,
) -> Result<Vec<Output>> {
    let (mut first, mut second) = (gpu.upload(before[0])?, gpu.upload(before[1])?);
    launch(&mut first, &mut second)?;
    let first = Output::new(parameters[0], &first.to_vec(stream)?);
    Ok(vec![first, Output::new(parameters[1], &second.to_vec(stream)?)])
}
