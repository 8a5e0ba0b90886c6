//! The reference of the rotary embedding, against rotations of complex numbers in `f64`, and the
//! layout of its parameters.

// Sizes are small, and what is compared exactly is exact.
#![allow(clippy::cast_precision_loss, clippy::float_cmp)]

mod support;

use std::mem::{align_of, offset_of, size_of};

use support::{CASES, TestElement, assert_close, blocks, elements, exact, rng};
use warpcall_kernels::reference::{RopeParams, rope};

for_every_element! {
    rope_turns_each_pair_and_leaves_the_rest => check_rope,
}

fn check_rope<T: TestElement>() {
    let mut rng = rng(30);
    for case in 0..CASES {
        let rotary_dim = 2 * rng.u32(1..40);
        let head_dim = rotary_dim + rng.u32(0..5);
        let head_count = rng.u32(1..6);
        let token_stride = (head_count * head_dim) as usize + rng.usize(0..4);
        let params = RopeParams {
            head_count,
            head_dim,
            rotary_dim,
            token_stride,
            theta_base: [10_000.0, 500_000.0][case % 2],
            position_scale: [1.0, 0.25][case / 2 % 2],
            interleaved: case % 3 == 0,
        };
        let tokens = rng.u32(1..8);
        let positions: Vec<u32> = (0..tokens).map(|_| rng.u32(0..300)).collect();
        let before: Vec<T> = elements(&mut rng, tokens as usize * token_stride + 1, 3.0);
        let mut data = before.clone();
        rope(&blocks(tokens), &mut data, &positions, params);

        for (i, (after, before_it)) in data.iter().zip(&before).enumerate() {
            let (token, within) = (i / token_stride, i % token_stride);
            let (head, element) = (within / head_dim as usize, within % head_dim as usize);
            if token >= tokens as usize || head >= head_count as usize || element >= rotary_dim as usize {
                assert_eq!(after, before_it, "element {i} does not turn");
                continue;
            }
            let (expected, tolerance) = turned(&before, i, element, positions[token], params);
            assert_close(*after, expected, tolerance, 1.0);
        }
    }
}

/// What element `i` becomes, and by how many roundings it may be off.
fn turned<T: TestElement>(
    before: &[T],
    i: usize,
    element: usize,
    position: u32,
    params: RopeParams,
) -> (f64, f64) {
    let half_dim = params.rotary_dim as usize / 2;
    let (pair, is_second) = if params.interleaved {
        (element / 2, element % 2 == 1)
    } else {
        (element % half_dim, element >= half_dim)
    };
    let distance = if params.interleaved { 1 } else { half_dim };
    let partner = if is_second { i - distance } else { i + distance };
    let frequency =
        (-f64::from(params.theta_base).ln() * 2.0 * pair as f64 / f64::from(params.rotary_dim)).exp();
    let angle = f64::from(position) * f64::from(params.position_scale) * frequency;
    // (x + iy) e^(i angle), by its parts.
    let side = if is_second { 1.0 } else { -1.0 };
    let (own, other) = (exact(before[i]), exact(before[partner]));
    let expected = own * angle.cos() + side * other * angle.sin();
    // A power of e has a relative error of its exponent's absolute one, which is that of a logarithm
    // of up to 13; the position carries it into the angle.
    (expected, (4.0 + 8.0 * angle) * (own.abs() + other.abs()))
}

#[test]
fn rope_params_are_laid_out_as_the_kernel_has_them() {
    assert_eq!((size_of::<RopeParams>(), align_of::<RopeParams>()), (40, 8));
    let offsets = [
        offset_of!(RopeParams, head_count),
        offset_of!(RopeParams, head_dim),
        offset_of!(RopeParams, rotary_dim),
        offset_of!(RopeParams, token_stride),
        offset_of!(RopeParams, theta_base),
        offset_of!(RopeParams, position_scale),
        offset_of!(RopeParams, interleaved),
    ];
    assert_eq!(offsets, [0, 4, 8, 16, 24, 28, 32]);
}
