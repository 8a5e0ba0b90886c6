//! Tiles of a matrix.

use warpcall::{HostLaunch, Result, TensorMap};

/// Columns of a tile.
pub const TILE_WIDTH: u32 = 64;
/// Rows of a tile.
pub const TILE_HEIGHT: u32 = 32;

/// Copies `grid.y` by `grid.x` tiles of 32 rows by 64 columns out of a matrix, one after the other: those from
/// column `tile_column` and row `tile_row` of tiles on, which may be negative. What lies outside of the
/// matrix, on any side, reads as zero.
///
/// `output` is [`grid.y`, `grid.x`, 32, 64]. `input` describes the matrix.
///
/// # Errors
///
/// Where `input` is no tensor map of a matrix of `f32` with tiles of that size, or the matrix is not memory of the backend.
pub fn tile_copy(
    launch: &HostLaunch<'_>,
    output: &mut [f32],
    input: &TensorMap,
    tile_column: i32,
    tile_row: i32,
) -> Result<()> {
    let grid = launch.grid();
    let mut tiles = output.chunks_exact_mut((TILE_WIDTH * TILE_HEIGHT) as usize);
    for y in 0..grid.y {
        for x in 0..grid.x {
            let column = tile_column.saturating_add_unsigned(x).saturating_mul(TILE_WIDTH.cast_signed());
            let row = tile_row.saturating_add_unsigned(y).saturating_mul(TILE_HEIGHT.cast_signed());
            let tile = tiles.next().unwrap_or_else(|| panic!("the output ends before tile ({x}, {y})"));
            launch.tile(input, &[column, row], tile)?;
        }
    }
    Ok(())
}
