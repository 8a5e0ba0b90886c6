//! The references of the cache and of attention over it, against formulas in `f64`.

// Sizes are small, and what is compared exactly is exact.
#![allow(clippy::cast_precision_loss, clippy::float_cmp)]

mod support;

use support::{CASES, TestElement, assert_close, blocks, elements, exact, rng, size};
use warpcall_kernels::reference::{attention_decode, kv_append};

for_every_element! {
    kv_append_writes_each_token_at_its_position => check_kv_append,
    attention_weighs_the_values_by_the_scores => check_attention,
}

fn check_kv_append<T: TestElement>() {
    let mut rng = rng(40);
    for case in 0..CASES {
        let (heads, width) = (rng.u32(1..5), size(&mut rng, case, 70));
        let capacity = rng.u32(1..40);
        let mut positions: Vec<u32> = (0..capacity).collect();
        rng.shuffle(&mut positions);
        positions.truncate(rng.usize(0..=capacity as usize));
        positions.push(capacity + rng.u32(0..3));
        rng.shuffle(&mut positions);
        let tokens = positions.len();

        let count = heads as usize * capacity as usize * width as usize;
        let before: [Vec<T>; 2] = [elements(&mut rng, count, 1.0), elements(&mut rng, count, 1.0)];
        let size = tokens * (heads * width) as usize;
        let new: [Vec<T>; 2] = [elements(&mut rng, size, 1.0), elements(&mut rng, size, 1.0)];
        let [mut keys, mut values] = before.clone();
        kv_append(
            &blocks(u32::try_from(tokens).unwrap()),
            &mut keys,
            &mut values,
            &new[0],
            &new[1],
            &positions,
            heads,
            width,
            capacity,
        );
        // Every element of a cache says where it must have come from.
        for (cache, before, new) in [(&keys, &before[0], &new[0]), (&values, &before[1], &new[1])] {
            for (i, element) in cache.iter().enumerate() {
                let (slot, d) = (i / width as usize, i % width as usize);
                let (head, position) = (slot / capacity as usize, slot % capacity as usize);
                let token = positions.iter().position(|p| *p as usize == position);
                let from = token.map(|t| (t * heads as usize + head) * width as usize + d);
                assert_eq!(*element, from.map_or(before[i], |from| new[from]));
            }
        }
    }
}

fn check_attention<T: TestElement>() {
    let mut rng = rng(41);
    for case in 0..CASES {
        let (kv_heads, group) = (rng.u32(1..4), rng.u32(1..5));
        let (query_heads, width) = (kv_heads * group, size(&mut rng, case, 130));
        let context = size(&mut rng, CASES - case, 600);
        let capacity = context + rng.u32(0..4);
        let scale = 1.0 / (width as f32).sqrt();
        let query: Vec<T> = elements(&mut rng, (query_heads * width) as usize, 2.0);
        let keys: Vec<T> = elements(&mut rng, (kv_heads * capacity * width) as usize, 2.0);
        let values: Vec<T> = elements(&mut rng, keys.len(), 2.0);
        let mut output = vec![T::from_f32(7.0); query.len() + 1];
        attention_decode(
            &mut output,
            &query,
            &keys,
            &values,
            query_heads,
            kv_heads,
            width,
            context,
            capacity,
            scale,
        );

        let at = |cache: &[T], head: u32, position: u32, d: u32| {
            exact(cache[(((head / group) * capacity + position) * width + d) as usize])
        };
        for head in 0..query_heads {
            // Unnormalised weights: the scores are small enough for their exponentials.
            let weights: Vec<f64> = (0..context)
                .map(|position| {
                    let dot = |d| exact(query[(head * width + d) as usize]) * at(&keys, head, position, d);
                    ((0..width).map(dot).sum::<f64>() * f64::from(scale)).exp()
                })
                .collect();
            for d in 0..width {
                let terms = (0..context).map(|p| weights[p as usize] * at(&values, head, p, d));
                let total = weights.iter().sum::<f64>();
                let expected = terms.clone().sum::<f64>() / total;
                let magnitude = terms.map(f64::abs).sum::<f64>() / total;
                // What a score is off by, its weight is off by in proportion; a score is a sum of
                // `width` products that scale down to 4 / sqrt(width) at most.
                let score = 4.0 * f64::from(width).sqrt();
                let operations = score + f64::from(context) / 2.0 + 8.0;
                assert_close(output[(head * width + d) as usize], expected, operations, magnitude);
            }
        }
        assert_eq!(output[query.len()], T::from_f32(7.0));
    }
}

#[test]
fn attention_over_no_context_is_zero() {
    let mut output = [7.0_f32; 2];
    attention_decode(&mut output, &[1.0, 2.0], &[], &[], 1, 1, 2, 0, 0, 1.0);
    assert_eq!(output, [0.0, 0.0]);
}
