//! Kernels on matrices and on the cache of keys and values.

// SAFETY of each launch: its buffers are as long as the shapes in the kernel's documentation say, or longer.
#![allow(clippy::undocumented_unsafe_blocks)]

use fastrand::Rng;
use warpcall::backend::{TensorElement, TiledTensor};
use warpcall::{LaunchConfig, div_ceil};
use warpcall_kernels::reference::{self, TILE_HEIGHT, TILE_WIDTH};
use warpcall_kernels::tile_copy;

use super::{
    Case, Element, SHAPES, absolute, block, both_written, case, elements, exact, size, sum_of, unwritten,
    written,
};
use crate::compare::Allowed;

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
    let before =
        if beta == 0.0 { vec![T::from_f32(f32::NAN); (m * n) as usize] } else { elements(rng, m * n, 3.0) };
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
    let caches = [(); 2].map(|()| [elements::<T>(rng, heads * capacity * width, 5.0), unwritten(0)].concat());
    let config = LaunchConfig::new(tokens, block(rng));
    let shape = format!("{tokens} tokens into {heads} heads of {capacity} by {width}");
    case(shape, [Allowed::Nothing, Allowed::Nothing], move |gpu, stream| {
        let (keys, values, positions) = (gpu.upload(&keys)?, gpu.upload(&values)?, gpu.upload(&positions)?);
        let before = [&caches[0][..], &caches[1]];
        both_written(gpu, stream, ["key_cache", "value_cache"], before, |key_cache, value_cache| unsafe {
            T::kv_append(
                stream,
                config,
                key_cache,
                value_cache,
                &keys,
                &values,
                &positions,
                heads,
                width,
                capacity,
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
        &mut magnitudes,
        &widened(&query),
        &widened(&keys),
        &absolute(&values),
        heads,
        kv_heads,
        width,
        context,
        capacity,
        scale,
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
            TensorElement::F32,
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
