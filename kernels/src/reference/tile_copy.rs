//! Tiles of a matrix.

/// Columns of a tile.
pub const TILE_WIDTH: u32 = 64;
/// Rows of a tile.
pub const TILE_HEIGHT: u32 = 32;

/// Copies `grid[1]` by `grid[0]` tiles of 32 rows by 64 columns out of a matrix, one after the
/// other: those from column `tile_column` and row `tile_row` of tiles on, which may be negative.
/// What lies outside of the matrix, on any side, reads as zero.
///
/// `output` is [`grid[1]`, `grid[0]`, 32, 64]. `input` is `[height, width]` with `row_pitch`
/// elements from one row to the next: what the kernel's tensor map describes.
pub fn tile_copy(
    grid: [u32; 3],
    output: &mut [f32],
    input: &[f32],
    width: u32,
    height: u32,
    row_pitch: usize,
    tile_column: i32,
    tile_row: i32,
) {
    let (tile_width, tile_height) = (TILE_WIDTH as usize, TILE_HEIGHT as usize);
    let mut index = 0;
    for y in 0..grid[1] {
        for x in 0..grid[0] {
            let tile = &mut output[index * tile_width * tile_height..][..tile_width * tile_height];
            let left = (i64::from(tile_column) + i64::from(x)) * i64::from(TILE_WIDTH);
            let top = (i64::from(tile_row) + i64::from(y)) * i64::from(TILE_HEIGHT);
            for (line, from) in tile.chunks_exact_mut(tile_width).zip(top..) {
                for (element, across) in line.iter_mut().zip(left..) {
                    let inside = index_within(from, height).zip(index_within(across, width));
                    *element = inside.map_or(0.0, |(from, across)| input[from * row_pitch + across]);
                }
            }
            index += 1;
        }
    }
}

fn index_within(coordinate: i64, size: u32) -> Option<usize> {
    usize::try_from(coordinate).ok().filter(|index| *index < size as usize)
}
