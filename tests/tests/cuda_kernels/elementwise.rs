//! Kernels that go element by element, or pair by pair.

// SAFETY of each launch: its buffers are as long as the shapes in the kernel's documentation say, or longer.
#![allow(clippy::undocumented_unsafe_blocks)]

use fastrand::Rng;
use warpcall::LaunchConfig;
use warpcall_kernels::convert::{ConvertInstance, launch_convert};
use warpcall_kernels::rope::RopeParams;
use warpcall_kernels::saxpy;

use super::{Case, Element, absolute, any_grid, block, case, elements, exact, size, unwritten, written};
use crate::compare::Allowed;

pub(crate) fn saxpy(rng: &mut Rng, step: usize) -> Case {
    let n = size(rng, step, 50_001);
    let x: Vec<f32> = elements(rng, n, 3.0);
    let y = [elements::<f32>(rng, n, 3.0), unwritten(0)].concat();
    let config = any_grid(rng, step, n);
    // One rounding, the same one on both.
    case(format!("{n} elements"), [Allowed::Nothing], move |gpu, stream| {
        let x = gpu.upload(&x)?;
        written(gpu, stream, "y", &y, |y| unsafe { saxpy::launch_saxpy(stream, config, y, &x, 1.7, n) })
    })
}

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

pub(crate) fn convert<From: Element + ConvertInstance<To>, To: Element>(rng: &mut Rng, step: usize) -> Case {
    let n = size(rng, step, 20_001);
    let input: Vec<From> = elements(rng, n, 9.0);
    let config = any_grid(rng, step, n);
    // One rounding, the same one on both.
    case(format!("{n} elements"), [Allowed::Nothing], move |gpu, stream| {
        let input = gpu.upload(&input)?;
        written(gpu, stream, "output", &unwritten::<To>(n), |output| unsafe {
            launch_convert(stream, config, output, &input, n)
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
    let config = any_grid(rng, step, n);
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
    let config = any_grid(rng, step, n);
    // Below zero `1 + tanh` cancels: what is left of the error is in proportion to the input.
    let allowed = Allowed::Of { roundings: 12.0, magnitudes: exact(&absolute(&input)) };
    case(format!("{n} elements"), [allowed], move |gpu, stream| {
        let input = gpu.upload(&input)?;
        written(gpu, stream, "output", &unwritten::<T>(n), |output| unsafe {
            T::gelu(stream, config, output, &input, n)
        })
    })
}
