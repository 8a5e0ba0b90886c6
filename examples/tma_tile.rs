//! Tiles of a matrix, fetched by the tensor memory accelerator through a tensor map, also past the matrix' edges.
//!
//! Needs compute capability 9.0 on a CUDA device; on an older one it says so. The host backend reads through tensor maps too.

use anyhow::ensure;
use warpcall::backend::{TensorElement, TiledTensor};
use warpcall::{Error, Gpu, LaunchConfig, TensorMap};
use warpcall_examples::random;
use warpcall_kernels::reference::{TILE_HEIGHT, TILE_WIDTH};
use warpcall_kernels::tile_copy::launch_tile_copy;

/// The matrix: no multiple of the tile, so that the last tiles reach past its edges.
const ROWS: u32 = 100;
const COLUMNS: u32 = 200;

fn main() -> anyhow::Result<()> {
    let gpu = Gpu::open()?;
    println!("device:  {} ({})", gpu.properties().name, gpu.kind());
    let stream = gpu.create_stream()?;

    let matrix = random(1, (ROWS * COLUMNS) as usize);
    let input = gpu.upload(&matrix)?;
    let tensor = TiledTensor::matrix(
        input.device_ptr(),
        TensorElement::F32,
        [ROWS.into(), COLUMNS.into()],
        u64::from(COLUMNS) * 4,
        [TILE_HEIGHT, TILE_WIDTH],
    );
    let map = match TensorMap::encode_tiled(&*gpu, &tensor) {
        Err(error @ Error::Unsupported { .. }) => {
            println!("this device has no tensor memory accelerator, so there is nothing to show: {error}");
            return Ok(());
        }
        encoded => encoded?,
    };

    // One block a tile, from one tile left of the matrix and one above it.
    let (first_column, first_row) = (-1, -1);
    let (across, down) = (COLUMNS.div_ceil(TILE_WIDTH) + 1, ROWS.div_ceil(TILE_HEIGHT) + 1);
    let mut tiles = gpu.zeros::<f32>((across * down * TILE_WIDTH * TILE_HEIGHT) as usize)?;
    // SAFETY: the output holds `down` by `across` tiles, and the map is that of `input`, which is still there.
    unsafe {
        launch_tile_copy(
            &stream,
            LaunchConfig::new([across, down], 128),
            &mut tiles,
            &map,
            first_column,
            first_row,
        )?;
    }

    let tiles = tiles.to_vec(&stream)?;
    let mut outside = 0;
    for (index, found) in (0_i32..).zip(&tiles) {
        let [width, height, across] = [TILE_WIDTH, TILE_HEIGHT, across].map(u32::cast_signed);
        let (tile, inside) = (index / (width * height), index % (width * height));
        let column = (first_column + tile % across) * width + inside % width;
        let row = (first_row + tile / across) * height + inside / width;
        let element = match (u32::try_from(row), u32::try_from(column)) {
            (Ok(row), Ok(column)) if row < ROWS && column < COLUMNS => {
                Some(matrix[(row * COLUMNS + column) as usize])
            }
            _ => None,
        };
        outside += usize::from(element.is_none());
        let expected = element.unwrap_or(0.0);
        ensure!(found.total_cmp(&expected).is_eq(), "row {row}, column {column}: {found}, not {expected}");
    }
    println!(
        "result:  {across} by {down} tiles of {TILE_HEIGHT} by {TILE_WIDTH}; {} elements of the matrix, and {outside} zeros around it",
        tiles.len() - outside
    );
    Ok(())
}
