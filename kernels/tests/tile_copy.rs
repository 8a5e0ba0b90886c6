//! The reference of the tile copy, against windows of a matrix with a border of zeros.

// Sizes are small, and what is compared exactly is exact.
#![allow(clippy::cast_precision_loss, clippy::float_cmp)]

mod support;

use support::{CASES, elements, rng};
use warpcall_kernels::reference::{TILE_HEIGHT, TILE_WIDTH, tile_copy};

/// Wide enough for every corner that the test picks.
const BORDER: usize = 400;

#[test]
fn tile_copy_cuts_windows_out_of_the_zero_padded_matrix() {
    let mut rng = rng(60);
    for _ in 0..CASES {
        let (width, height) = (rng.u32(1..150), rng.u32(1..150));
        let pitch = width as usize + rng.usize(0..9);
        let input: Vec<f32> = elements(&mut rng, pitch * height as usize, 5.0);
        let grid = [rng.u32(1..4), rng.u32(1..4), 1];
        let (column, row) = (rng.i32(-3..3), rng.i32(-3..3));
        let tile = (TILE_WIDTH * TILE_HEIGHT) as usize;
        let count = (grid[0] * grid[1]) as usize * tile;
        let mut output = vec![9.0; count + 1];
        tile_copy(grid, &mut output, &input, width, height, pitch, column, row);

        let mut padded = vec![vec![0.0; 2 * BORDER + width as usize]; 2 * BORDER + height as usize];
        for (line, from) in padded[BORDER..].iter_mut().zip(input.chunks(pitch)) {
            line[BORDER..][..width as usize].copy_from_slice(&from[..width as usize]);
        }
        for (index, tile) in output[..count].chunks(tile).enumerate() {
            let (x, y) = (index % grid[0] as usize, index / grid[0] as usize);
            let left = BORDER.checked_add_signed((column * 64) as isize).unwrap() + x * 64;
            let top = BORDER.checked_add_signed((row * 32) as isize).unwrap() + y * 32;
            for (line, expected) in tile.chunks(TILE_WIDTH as usize).zip(&padded[top..]) {
                assert_eq!(line, &expected[left..][..TILE_WIDTH as usize]);
            }
        }
        assert_eq!(output[count..], [9.0]);
    }
}
