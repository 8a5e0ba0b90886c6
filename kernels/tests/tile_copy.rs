//! The tile copy on the host backend, against windows of a matrix with a border of zeros.

// Sizes are small, and what is compared exactly is exact.
#![allow(clippy::cast_precision_loss, clippy::float_cmp)]

mod support;

use support::{CASES, elements, rng};
use warpcall::backend::{TensorElement, TiledTensor};
use warpcall::{Error, Gpu, LaunchConfig};
use warpcall_kernels::reference::{TILE_HEIGHT, TILE_WIDTH};
use warpcall_kernels::tile_copy::launch_tile_copy;

/// Wide enough for every corner that the test picks.
const BORDER: usize = 400;

#[test]
fn tile_copy_cuts_windows_out_of_the_zero_padded_matrix() {
    let mut rng = rng(60);
    let gpu = Gpu::host().unwrap();
    let stream = gpu.create_stream().unwrap();
    for _ in 0..CASES {
        let (width, height) = (rng.u32(1..150), rng.u32(1..150));
        let pitch = width.next_multiple_of(4) as usize + 4 * rng.usize(0..3);
        let input: Vec<f32> = elements(&mut rng, pitch * height as usize, 5.0);
        let grid = [rng.u32(1..4), rng.u32(1..4), 1];
        let (column, row) = (rng.i32(-3..3), rng.i32(-3..3));
        let tile = (TILE_WIDTH * TILE_HEIGHT) as usize;
        let count = (grid[0] * grid[1]) as usize * tile;
        let memory = gpu.upload(&input).unwrap();
        let matrix = TiledTensor::matrix(
            memory.device_ptr(),
            TensorElement::F32,
            [height.into(), width.into()],
            (pitch * size_of::<f32>()) as u64,
            [TILE_HEIGHT, TILE_WIDTH],
        );
        let map = gpu.encode_tensor_map(&matrix).unwrap();
        let mut copied = gpu.upload(&vec![9.0; count + 1]).unwrap();
        // SAFETY: the output holds the tiles of the grid, and the map describes the matrix.
        unsafe { launch_tile_copy(&stream, LaunchConfig::new(grid, 32), &mut copied, &map, column, row) }
            .unwrap();
        let output = copied.to_vec(&stream).unwrap();

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

#[test]
fn a_map_of_other_elements_is_an_error_that_names_the_kernel() {
    let gpu = Gpu::host().unwrap();
    let stream = gpu.create_stream().unwrap();
    let memory = gpu.zeros::<f32>(64 * 32).unwrap();
    let matrix = TiledTensor::matrix(
        memory.device_ptr(),
        TensorElement::F16,
        [64, 64],
        128,
        [TILE_HEIGHT, TILE_WIDTH],
    );
    let map = gpu.encode_tensor_map(&matrix).unwrap();
    let mut copied = gpu.zeros::<f32>(64 * 32).unwrap();
    // SAFETY: the output holds the one tile, and the map is refused.
    let launched = unsafe { launch_tile_copy(&stream, LaunchConfig::new(1, 32), &mut copied, &map, 0, 0) };
    let error = launched.unwrap_err();
    assert!(
        matches!(&error, Error::HostFunctionFailed { kernel, .. } if &**kernel == "tile_copy"),
        "{error:?}"
    );
    assert!(error.to_string().contains("the size of an element is 4; expected 2"), "{error}");
}
