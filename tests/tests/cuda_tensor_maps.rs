//! What a tensor map says of its tiles, as the tensor memory accelerator understands it. Needs compute capability 9.0.

mod cuda_support;

use cuda_support::{cuda_or_skip, not_run};
use warpcall::backend::DeviceInfo as _;
use warpcall::backend::{Interleave, L2Promotion, OutsideFill, Swizzle, TensorElement, TiledTensor};
use warpcall::{Buffer, Gpu, LaunchConfig};
use warpcall_kernels::reference::{TILE_HEIGHT, TILE_WIDTH};
use warpcall_kernels::tile_copy::launch_tile_copy;

const ROWS: u32 = 128;
const COLUMNS: u32 = 64;
/// The elements that the kernel copies out of shared memory, whatever the shape of the tile.
const TILE: usize = (TILE_WIDTH * TILE_HEIGHT) as usize;

/// A device, and a matrix in which each element is its number.
fn device_and_matrix() -> Option<(Gpu, Buffer<f32>)> {
    let backend = cuda_or_skip()?;
    if backend.properties().compute_capability < Some((9, 0)) {
        not_run("the device has no tensor memory accelerator");
        return None;
    }
    let gpu = Gpu::from_backend(backend);
    let elements: Vec<f32> =
        (0..ROWS * COLUMNS).map(|index| f32::from(u16::try_from(index).expect("few"))).collect();
    let matrix = gpu.upload(&elements).expect("memory");
    Some((gpu, matrix))
}

/// The matrix in tiles of so many columns and rows.
fn tiles(matrix: &Buffer<f32>, tile: [u32; 2]) -> TiledTensor {
    TiledTensor::new(matrix.device_ptr(), TensorElement::F32, [COLUMNS.into(), ROWS.into()], tile)
}

/// What stands in shared memory after the tile at the start of the matrix, or left of it and above, was fetched.
fn fetched(gpu: &Gpu, tensor: &TiledTensor, corner: i32) -> Vec<f32> {
    assert_eq!(tensor.tile_bytes(), 4 * TILE, "the kernel's barrier expects that many");
    let stream = gpu.create_stream().expect("a stream");
    let map = gpu.encode_tensor_map(tensor).expect("a map");
    let mut output = gpu.upload(&[-1.0_f32; TILE]).expect("memory");
    // SAFETY: the output holds one tile, and the tensor is alive.
    unsafe { launch_tile_copy(&stream, LaunchConfig::new(1, 128), &mut output, &map, corner, corner) }
        .expect("a launch");
    output.to_vec(&stream).expect("a copy back")
}

fn element(row: usize, column: usize) -> f32 {
    f32::from(u16::try_from(row * COLUMNS as usize + column).expect("few"))
}

#[track_caller]
fn equal(found: &[f32], expected: impl Fn(usize) -> f32) {
    for (index, found) in found.iter().enumerate() {
        assert!(
            found.total_cmp(&expected(index)).is_eq(),
            "element {index}: {found}, not {}",
            expected(index)
        );
    }
}

#[test]
fn a_swizzle_shuffles_the_chunks_of_each_row() {
    let Some((gpu, matrix)) = device_and_matrix() else { return };
    // Chunks of 16 bytes, and rows of 128. The pattern begins at a multiple of 1,024 bytes of shared memory, the kernel's tile at
    // one of 128.
    let found = fetched(&gpu, &tiles(&matrix, [32, 64]).swizzle(Swizzle::Bytes128), 0);
    let fits = |first: &usize| {
        found.iter().enumerate().all(|(index, found)| {
            let (row, place) = (index / 32, index % 32 / 4);
            let shuffled = place ^ ((row + first) % 8);
            found.to_bits() == element(row, shuffled * 4 + index % 4).to_bits()
        })
    };
    assert!((0..8).any(|first| fits(&first)), "no tile with Bytes128: {:?}", &found[..64]);

    equal(&fetched(&gpu, &tiles(&matrix, [32, 64]), 0), |index| element(index / 32, index % 32));

    // A tile one span wide of 32 bytes: the two chunks change places every four rows of 32 bytes.
    let narrow = tiles(&matrix, [8, 256]).swizzle(Swizzle::Bytes32);
    let found = fetched(&gpu, &narrow, 0);
    let fits = |first: &usize| {
        found[..8 * ROWS as usize].iter().enumerate().all(|(index, found)| {
            let (row, place) = (index / 8, index % 8 / 4);
            let shuffled = place ^ ((row / 4 + first) % 2);
            found.to_bits() == element(row, shuffled * 4 + index % 4).to_bits()
        })
    };
    assert!((0..2).any(|first| fits(&first)), "no tile with Bytes32: {:?}", &found[..64]);
}

#[test]
fn elements_outside_read_as_what_the_map_says() {
    let Some((gpu, matrix)) = device_and_matrix() else { return };
    let tensor = tiles(&matrix, [TILE_WIDTH, TILE_HEIGHT]);
    equal(&fetched(&gpu, &tensor, -1), |_| 0.0);
    let found = fetched(&gpu, &tensor.clone().outside(OutsideFill::Nan), -1);
    assert!(found.iter().all(|element| element.is_nan()), "{:?}", &found[..16]);
    let inside = |index| element(index / TILE_WIDTH as usize, index % TILE_WIDTH as usize);
    equal(&fetched(&gpu, &tensor.clone().outside(OutsideFill::Nan), 0), inside);
    equal(&fetched(&gpu, &tensor.l2_promotion(L2Promotion::Bytes256), 0), inside);
}

#[test]
fn an_element_stride_leaves_rows_out() {
    let Some((gpu, matrix)) = device_and_matrix() else { return };
    let tensor = tiles(&matrix, [TILE_WIDTH, 3 * TILE_HEIGHT]).element_strides([1, 3]);
    equal(&fetched(&gpu, &tensor, 0), |index| {
        element(3 * (index / TILE_WIDTH as usize), index % TILE_WIDTH as usize)
    });
}

#[test]
fn the_driver_takes_what_keeps_the_rules() {
    let Some((gpu, matrix)) = device_and_matrix() else { return };
    let base = matrix.device_ptr();
    let takes = |tensor: TiledTensor| {
        gpu.encode_tensor_map(&tensor).unwrap_or_else(|error| panic!("{tensor:?}: {error}"));
    };
    for rank in 1..=5 {
        takes(TiledTensor::new(base, TensorElement::F32, vec![8; rank], vec![4; rank]));
    }
    for element in [
        TensorElement::U8,
        TensorElement::U16,
        TensorElement::U32,
        TensorElement::I32,
        TensorElement::U64,
        TensorElement::I64,
        TensorElement::F16,
        TensorElement::F32,
        TensorElement::F64,
        TensorElement::BF16,
        TensorElement::F32Ftz,
        TensorElement::Tf32,
        TensorElement::Tf32Ftz,
    ] {
        let tensor = TiledTensor::new(base, element, [64, 16], [16, 16]);
        takes(tensor.clone());
        if element.is_float() {
            takes(tensor.outside(OutsideFill::Nan));
        }
    }
    for swizzle in [Swizzle::None, Swizzle::Bytes32, Swizzle::Bytes64, Swizzle::Bytes128] {
        takes(tiles(&matrix, [8, 16]).swizzle(swizzle));
        takes(
            TiledTensor::new(base, TensorElement::F16, [8, 8, 4], [8, 4, 2])
                .interleave(Interleave::Bytes16)
                .swizzle(swizzle),
        );
    }
    for promotion in [L2Promotion::None, L2Promotion::Bytes64, L2Promotion::Bytes128, L2Promotion::Bytes256] {
        takes(tiles(&matrix, [8, 16]).l2_promotion(promotion));
    }
    takes(
        TiledTensor::new(base, TensorElement::F16, [16, 8, 4], [16, 4, 2])
            .interleave(Interleave::Bytes32)
            .swizzle(Swizzle::Bytes32),
    );
    takes(tiles(&matrix, [8, 16]).element_strides([1, 8]));
}
