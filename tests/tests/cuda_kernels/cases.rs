//! What each kernel is launched with: shapes, most of them odd, and how far a device may be from the host.
//!
//! The host adds from left to right and a device in another order. The roundings that are allowed follow from the kernel:
//! those of its own steps, with CUDA's own functions as exact as the CUDA C++ Programming Guide says ("Mathematical
//! Functions"), and for a sum of `n` random terms the square root of `n`.

use fastrand::Rng;
use warpcall::backend::TiledTensor;
use warpcall::{Gpu, LaunchConfig, Result, Stream, div_ceil};
use warpcall_kernels::reference::{self, TILE_HEIGHT, TILE_WIDTH};
use warpcall_kernels::rope::RopeParams;
use warpcall_kernels::{argmax, quantize, saxpy, tile_copy};

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
fn elementwise(rng: &mut Rng, step: usize, n: u32) -> LaunchConfig {
    let block = block(rng);
    if step.is_multiple_of(3) { LaunchConfig::new(rng.u32(1..4), block) } else { LaunchConfig::for_elements(n, block) }
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

// SAFETY of the launches below: each buffer is as long as the shapes in its kernel's documentation say, or longer.
#[allow(clippy::undocumented_unsafe_blocks)]
mod cases {
    use super::*;

    pub(crate) fn embedding<T: Element>(rng: &mut Rng, step: usize) -> Case {
        let (tokens, width, vocabulary) = (rng.u32(1..20), size(rng, step, 3000), rng.u32(1..50));
        let table: Vec<T> = elements(rng, vocabulary * width, 9.0);
        // Some of them outside of the vocabulary.
        let ids: Vec<u32> = (0..tokens).map(|_| rng.u32(0..vocabulary + 3)).collect();
        let config = LaunchConfig::new(tokens, block(rng));
        case(format!("{tokens} of {vocabulary} rows of {width}"), [Allowed::Nothing], move |gpu, stream| {
            let (table, ids) = (gpu.upload(&table)?, gpu.upload(&ids)?);
            written(gpu, stream, "output", &unwritten::<T>(tokens * width), |output| unsafe {
                T::embedding(stream, config, output, &table, &ids, width, vocabulary)
            })
        })
    }

    pub(crate) fn rms_norm<T: Element>(rng: &mut Rng, step: usize) -> Case {
        let (rows, width) = (rng.u32(1..6), size(rng, step, 8191));
        let input: Vec<T> = elements(rng, rows * width, 3.0);
        let weight: Vec<T> = elements(rng, width, 2.0);
        let config = LaunchConfig::new(rows, block(rng));
        let allowed = Allowed::OfItself { roundings: 8.0 + sum_of(width), length: input.len() };
        case(format!("{rows} rows of {width}"), [allowed], move |gpu, stream| {
            let (input, weight) = (gpu.upload(&input)?, gpu.upload(&weight)?);
            written(gpu, stream, "output", &unwritten::<T>(rows * width), |output| unsafe {
                T::rms_norm(stream, config, output, &input, &weight, width, 1e-5)
            })
        })
    }

    pub(crate) fn add_rms_norm<T: Element>(rng: &mut Rng, step: usize) -> Case {
        let (rows, width) = (rng.u32(1..6), size(rng, step, 8191));
        let [input, residual] = [(); 2].map(|()| elements::<T>(rng, rows * width, 3.0));
        let residual = [residual, unwritten(0)].concat();
        let weight: Vec<T> = elements(rng, width, 2.0);
        let config = LaunchConfig::new(rows, block(rng));
        let normed = Allowed::OfItself { roundings: 8.0 + sum_of(width), length: input.len() };
        // The sum is one rounding, the same one everywhere.
        case(format!("{rows} rows of {width}"), [normed, Allowed::Nothing], move |gpu, stream| {
            let (input, weight) = (gpu.upload(&input)?, gpu.upload(&weight)?);
            let before = [&unwritten(rows * width)[..], &residual];
            both_written(gpu, stream, ["output", "residual"], before, |output, residual| unsafe {
                T::add_rms_norm(stream, config, output, residual, &input, &weight, width, 1e-5)
            })
        })
    }

    pub(crate) fn layer_norm<T: Element>(rng: &mut Rng, step: usize) -> Case {
        let (rows, width, eps) = (rng.u32(1..6), size(rng, step, 8191), 1e-3);
        let shift = if step.is_multiple_of(2) { 0.0 } else { 5.0 };
        let input: Vec<T> = elements::<f32>(rng, rows * width, 3.0).iter().map(|x| T::from_f32(x + shift)).collect();
        let [weight, bias] = [(); 2].map(|()| elements::<T>(rng, width, 2.0));
        let config = LaunchConfig::new(rows, block(rng));
        let count = f64::from(width);
        let magnitudes = input.chunks(width as usize).flat_map(|row| {
            let row: Vec<f64> = row.iter().map(|x| x.exact()).collect();
            let mean = row.iter().sum::<f64>() / count;
            let deviation =
                (row.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / count + f64::from(eps)).sqrt();
            // The mean is as wrong as the sum of all magnitudes is, and carries over to each element.
            let spread = row.iter().map(|x| x.abs()).sum::<f64>() / count;
            let scaled = weight.iter().zip(&bias).zip(row).map(move |((weight, bias), x)| {
                (spread + (x - mean).abs()) / deviation * weight.exact().abs() + bias.exact().abs()
            });
            scaled.collect::<Vec<_>>()
        });
        let allowed = Allowed::Of { roundings: 8.0 + sum_of(width), magnitudes: magnitudes.collect() };
        case(format!("{rows} rows of {width}, shifted by {shift}"), [allowed], move |gpu, stream| {
            let (input, weight, bias) = (gpu.upload(&input)?, gpu.upload(&weight)?, gpu.upload(&bias)?);
            written(gpu, stream, "output", &unwritten::<T>(rows * width), |output| unsafe {
                T::layer_norm(stream, config, output, &input, &weight, &bias, width, eps)
            })
        })
    }

    pub(crate) fn rope<T: Element>(rng: &mut Rng, step: usize) -> Case {
        let (tokens, heads, pairs) = (rng.u32(1..6), rng.u32(1..9), size(rng, step, 64));
        let (rotary_dim, head_dim) = (2 * pairs, 2 * pairs + rng.u32(0..5));
        let stride = heads * head_dim + rng.u32(0..7);
        let params = RopeParams {
            head_count: heads,
            head_dim,
            rotary_dim,
            token_stride: stride as usize,
            theta_base: rng.choice([10_000.0, 500_000.0]).unwrap_or(1.0),
            position_scale: rng.choice([1.0, 0.25]).unwrap_or(1.0),
            interleaved: step.is_multiple_of(2),
        };
        let data = [elements::<T>(rng, tokens * stride, 2.0), unwritten(0)].concat();
        let positions: Vec<u32> = (0..tokens).map(|_| rng.u32(0..4000)).collect();
        let config = LaunchConfig::new(tokens, block(rng));
        // The angle is as wrong as it is large: `powf` is off by 9 ulps at most, and a position is a factor.
        let mut magnitudes = vec![0.0; data.len()];
        for (token, position) in positions.iter().enumerate() {
            for (head, pair) in (0..heads).flat_map(|head| (0..pairs).map(move |pair| (head, pair))) {
                let exponent = f64::from(2 * pair) / f64::from(rotary_dim);
                let angle = f64::from(*position) * f64::from(params.position_scale)
                    / f64::from(params.theta_base).powf(exponent);
                let start = token * stride as usize + (head * head_dim) as usize;
                let pair = pair as usize;
                let (first, second) = if params.interleaved {
                    (start + 2 * pair, start + 2 * pair + 1)
                } else {
                    (start + pair, start + pair + pairs as usize)
                };
                let size = data[first].exact().abs() + data[second].exact().abs();
                magnitudes[first] = size * (1.0 + angle);
                magnitudes[second] = magnitudes[first];
            }
        }
        let allowed = Allowed::Of { roundings: 24.0, magnitudes };
        let shape = format!("{tokens} tokens of {heads} heads of {head_dim}, {rotary_dim} turned");
        case(shape, [allowed], move |gpu, stream| {
            let positions = gpu.upload(&positions)?;
            written(gpu, stream, "data", &data, |data| unsafe {
                T::rope(stream, config, data, &positions, params)
            })
        })
    }

    pub(crate) fn silu_mul<T: Element>(rng: &mut Rng, step: usize) -> Case {
        let n = size(rng, step, 20_001);
        let [gate, up] = [6.0, 3.0].map(|spread| elements::<T>(rng, n, spread));
        let config = elementwise(rng, step, n);
        // The exponential twice 2 ulps, a sum, a quotient and a product, twice each.
        let allowed = Allowed::OfItself { roundings: 16.0, length: gate.len() };
        case(format!("{n} elements"), [allowed], move |gpu, stream| {
            let (gate, up) = (gpu.upload(&gate)?, gpu.upload(&up)?);
            written(gpu, stream, "output", &unwritten::<T>(n), |output| unsafe {
                T::silu_mul(stream, config, output, &gate, &up, n)
            })
        })
    }

    pub(crate) fn gelu<T: Element>(rng: &mut Rng, step: usize) -> Case {
        let n = size(rng, step, 20_001);
        let input: Vec<T> = elements(rng, n, 5.0);
        let config = elementwise(rng, step, n);
        // Below zero `1 + tanh` cancels: what is left of the error is in proportion to the input.
        let allowed = Allowed::Of { roundings: 12.0, magnitudes: exact(&absolute(&input)) };
        case(format!("{n} elements"), [allowed], move |gpu, stream| {
            let input = gpu.upload(&input)?;
            written(gpu, stream, "output", &unwritten::<T>(n), |output| unsafe {
                T::gelu(stream, config, output, &input, n)
            })
        })
    }

    pub(crate) fn softmax<T: Element>(rng: &mut Rng, step: usize) -> Case {
        let (rows, width) = (rng.u32(1..6), size(rng, step, 8191));
        let mut input: Vec<T> = elements(rng, rows * width, 8.0);
        // A masked element, beside others that are not.
        if width > 2 {
            input[rng.usize(..width as usize)] = T::from_f32(f32::NEG_INFINITY);
        }
        let config = LaunchConfig::new(rows, block(rng));
        let allowed = Allowed::OfItself { roundings: 16.0 + sum_of(width), length: input.len() };
        case(format!("{rows} rows of {width}"), [allowed], move |gpu, stream| {
            let input = gpu.upload(&input)?;
            written(gpu, stream, "output", &unwritten::<T>(rows * width), |output| unsafe {
                T::softmax(stream, config, output, &input, width)
            })
        })
    }

    pub(crate) fn gemv<T: Element>(rng: &mut Rng, step: usize) -> Case {
        let (rows, columns) = (rng.u32(1..120), size(rng, step, 4099));
        let matrix: Vec<T> = elements(rng, rows * columns, 1.0);
        let vector: Vec<T> = elements(rng, columns, 1.0);
        let block = block(rng);
        let grid = if step.is_multiple_of(3) { 2 } else { div_ceil(rows, block / 32) };
        let config = LaunchConfig::new(grid, block);
        // Terms of both signs cancel, and the sum of their magnitudes is what the error is in proportion to.
        let mut magnitudes = vec![0.0_f32; rows as usize];
        reference::gemv(&mut magnitudes, &absolute(&matrix), &absolute(&vector), rows, columns);
        let allowed = Allowed::Of { roundings: 8.0, magnitudes: exact(&magnitudes) };
        case(format!("{rows} by {columns}"), [allowed], move |gpu, stream| {
            let (matrix, vector) = (gpu.upload(&matrix)?, gpu.upload(&vector)?);
            written(gpu, stream, "output", &unwritten::<T>(rows), |output| unsafe {
                T::gemv(stream, config, output, &matrix, &vector, rows, columns)
            })
        })
    }

    pub(crate) fn gemm<T: Element>(rng: &mut Rng, step: usize) -> Case {
        let (m, n, k) = (size(rng, step, 131), rng.u32(1..140), rng.u32(1..200) | 1);
        let (a, b): (Vec<T>, Vec<T>) = (elements(rng, m * k, 1.0), elements(rng, k * n, 1.0));
        let alpha = rng.choice([1.0, -0.75]).unwrap_or(1.0);
        let beta = if step.is_multiple_of(2) { 0.0 } else { 0.5 };
        let mut c = unwritten::<T>(m * n);
        // With a beta of 0 what is in `c` must not matter.
        let before = if beta == 0.0 { vec![T::from_f32(f32::NAN); (m * n) as usize] } else { elements(rng, m * n, 3.0) };
        c[..before.len()].copy_from_slice(&before);
        let mut magnitudes = absolute(&before);
        reference::gemm(&mut magnitudes, &absolute(&a), &absolute(&b), m, n, k, f32::abs(alpha), beta);
        let allowed = Allowed::Of { roundings: 12.0, magnitudes: exact(&magnitudes) };
        let grid = if step.is_multiple_of(3) { [1, 2] } else { [div_ceil(n, 64), div_ceil(m, 64)] };
        let shape = format!("{m} by {n} by {k}, alpha {alpha}, beta {beta}");
        case(shape, [allowed], move |gpu, stream| {
            let (a, b) = (gpu.upload(&a)?, gpu.upload(&b)?);
            written(gpu, stream, "c", &c, |c| unsafe {
                T::gemm(stream, LaunchConfig::new(grid, 256), c, &a, &b, m, n, k, alpha, beta)
            })
        })
    }

    pub(crate) fn kv_append<T: Element>(rng: &mut Rng, step: usize) -> Case {
        let (heads, width, capacity) = (rng.u32(1..5), size(rng, step, 257), rng.u32(8..40));
        let tokens = rng.u32(1..9);
        // All different, and some past the end of the cache.
        let mut positions: Vec<u32> = (0..capacity + 4).collect();
        rng.shuffle(&mut positions);
        positions.truncate(tokens as usize);
        let [keys, values] = [(); 2].map(|()| elements::<T>(rng, tokens * heads * width, 5.0));
        let caches = [(); 2].map(|()| {
            [elements::<T>(rng, heads * capacity * width, 5.0), unwritten(0)].concat()
        });
        let config = LaunchConfig::new(tokens, block(rng));
        let shape = format!("{tokens} tokens into {heads} heads of {capacity} by {width}");
        case(shape, [Allowed::Nothing, Allowed::Nothing], move |gpu, stream| {
            let (keys, values, positions) = (gpu.upload(&keys)?, gpu.upload(&values)?, gpu.upload(&positions)?);
            let before = [&caches[0][..], &caches[1]];
            both_written(gpu, stream, ["key_cache", "value_cache"], before, |key_cache, value_cache| unsafe {
                T::kv_append(
                    stream, config, key_cache, value_cache, &keys, &values, &positions, heads, width, capacity,
                )
            })
        })
    }

    pub(crate) fn attention_decode<T: Element>(rng: &mut Rng, step: usize) -> Case {
        let (kv_heads, group, width) = (rng.u32(1..4), rng.u32(1..5), size(rng, step, 161));
        let (heads, context) = (kv_heads * group, if step == 1 { 0 } else { size(rng, SHAPES - step, 700) });
        let capacity = context + rng.u32(1..9);
        let query: Vec<T> = elements(rng, heads * width, 1.0);
        let [keys, values] = [(); 2].map(|()| elements::<T>(rng, kv_heads * capacity * width, 1.0));
        let scale = 1.0 / f32::from(u16::try_from(width).unwrap_or(u16::MAX)).sqrt();
        let block = block(rng);
        let config = LaunchConfig::new(if step.is_multiple_of(3) { 2 } else { heads }, block);
        // The weights are positive: with positive values too, nothing cancels.
        let mut magnitudes = vec![0.0_f32; query.len()];
        let widened = |elements: &[T]| elements.iter().map(|x| x.to_f32()).collect::<Vec<f32>>();
        reference::attention_decode(
            &mut magnitudes, &widened(&query), &widened(&keys), &absolute(&values), heads, kv_heads, width,
            context, capacity, scale,
        );
        // A score is a sum as `gemv`'s is, of a quarter of `width` in magnitude; its error is that of its exponential.
        let roundings = 24.0 + 4.0 * f64::from(scale) * f64::from(width) + sum_of(context);
        let allowed = Allowed::Of { roundings, magnitudes: exact(&magnitudes) };
        let shape = format!("{heads} heads on {kv_heads} of {width}, {context} of {capacity}");
        case(shape, [allowed], move |gpu, stream| {
            let (query, keys, values) = (gpu.upload(&query)?, gpu.upload(&keys)?, gpu.upload(&values)?);
            written(gpu, stream, "output", &unwritten::<T>(heads * width), |output| unsafe {
                T::attention_decode(
                    stream, config, output, &query, &keys, &values, heads, kv_heads, width, context, capacity,
                    scale,
                )
            })
        })
    }

    pub(crate) fn saxpy(rng: &mut Rng, step: usize) -> Case {
        let n = size(rng, step, 50_001);
        let x: Vec<f32> = elements(rng, n, 3.0);
        let y = [elements::<f32>(rng, n, 3.0), unwritten(0)].concat();
        let config = elementwise(rng, step, n);
        // One rounding, the same one on both.
        case(format!("{n} elements"), [Allowed::Nothing], move |gpu, stream| {
            let x = gpu.upload(&x)?;
            written(gpu, stream, "y", &y, |y| unsafe { saxpy::launch_saxpy(stream, config, y, &x, 1.7, n) })
        })
    }

    pub(crate) fn argmax(rng: &mut Rng, step: usize) -> Case {
        let (rows, width) = (rng.u32(1..9), size(rng, step, 9001));
        // Few different values, so that the largest comes up several times; and no numbers at all in one row.
        let mut input: Vec<f32> = (0..rows * width).map(|_| f32::from(rng.i8(-20..20))).collect();
        let masked = rng.usize(..input.len());
        input[masked] = f32::NAN;
        if step == 4 {
            input[..width as usize].fill(f32::NAN);
        }
        let config = LaunchConfig::new(rows, block(rng));
        case(format!("{rows} rows of {width}"), [Allowed::Nothing], move |gpu, stream| {
            let input = gpu.upload(&input)?;
            written(gpu, stream, "output", &vec![77_u32; rows as usize + BEHIND], |output| unsafe {
                argmax::launch_argmax(stream, config, output, &input, width)
            })
        })
    }

    pub(crate) fn quantize_int8(rng: &mut Rng, step: usize) -> Case {
        let (rows, width) = (rng.u32(1..9), size(rng, step, 5001));
        let mut input: Vec<f32> = elements(rng, rows * width, 4.0);
        if step == 3 {
            input[..width as usize].fill(0.0);
        }
        let config = LaunchConfig::new(rows, block(rng));
        case(format!("{rows} rows of {width}"), [Allowed::Nothing, Allowed::Nothing], move |gpu, stream| {
            let input = gpu.upload(&input)?;
            let mut output = gpu.upload(&vec![99_i8; (rows * width) as usize + BEHIND])?;
            let mut scales = gpu.upload(&unwritten::<f32>(rows))?;
            unsafe { quantize::launch_quantize_int8(stream, config, &mut output, &mut scales, &input, width)? };
            Ok(vec![
                Output::new("output", &output.to_vec(stream)?),
                Output::new("scales", &scales.to_vec(stream)?),
            ])
        })
    }

    pub(crate) fn dequantize_int8(rng: &mut Rng, step: usize) -> Case {
        let (rows, width) = (rng.u32(1..9), size(rng, step, 5001));
        let input: Vec<i8> = (0..rows * width).map(|_| rng.i8(-127..=127)).collect();
        let scales: Vec<f32> = (0..rows).map(|_| rng.f32()).collect();
        let config = LaunchConfig::new(rows, block(rng));
        case(format!("{rows} rows of {width}"), [Allowed::Nothing], move |gpu, stream| {
            let (input, scales) = (gpu.upload(&input)?, gpu.upload(&scales)?);
            written(gpu, stream, "output", &unwritten::<f32>(rows * width), |output| unsafe {
                quantize::launch_dequantize_int8(stream, config, output, &input, &scales, width)
            })
        })
    }

    pub(crate) fn tile_copy(rng: &mut Rng, step: usize) -> Case {
        let (width, height) = (size(rng, step, 333), rng.u32(1..200));
        let pitch = width.next_multiple_of(4) + 4 * rng.u32(0..3);
        let matrix: Vec<f32> = elements(rng, pitch * height, 5.0);
        let (across, down) = (rng.u32(1..4), rng.u32(1..4));
        let (column, row) = (rng.i32(-2..3), rng.i32(-2..3));
        let config = LaunchConfig::new([across, down], block(rng));
        let shape = format!("{across} by {down} tiles from ({column}, {row}) of {height} by {width}");
        case(shape, [Allowed::Nothing], move |gpu, stream| {
            let matrix = gpu.upload(&matrix)?;
            let map = gpu.encode_tensor_map(&TiledTensor::matrix(
                matrix.device_ptr(),
                size_of::<f32>(),
                [height.into(), width.into()],
                u64::from(pitch) * 4,
                [TILE_HEIGHT, TILE_WIDTH],
            ))?;
            let count = across * down * TILE_WIDTH * TILE_HEIGHT;
            let written = written(gpu, stream, "output", &unwritten::<f32>(count), |output| unsafe {
                tile_copy::launch_tile_copy(stream, config, output, &map, column, row)
            });
            drop(matrix);
            written
        })
    }
}

pub(crate) use cases::*;
