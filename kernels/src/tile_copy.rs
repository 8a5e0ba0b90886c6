//! Tiles of a matrix, fetched by the tensor memory accelerator. Needs compute capability 9.0.

use warpcall::{TensorMap, kernel};

use crate::reference;

#[kernel(module = "tile_copy", source = "cuda/tile_copy.cu", image = "ptx/tile_copy.ptx")]
unsafe extern "C" {
    /// Copies tiles of 32 rows by 64 columns out of a matrix, one after the other. The tile of block `(x, y)` is
    /// the one at column `tile_column + x` and row `tile_row + y` of tiles, which may be negative; what lies
    /// outside of the matrix reads as zero.
    ///
    /// Shapes: `output` is `[grid.y, grid.x, 32, 64]`; `input` describes a float matrix with tiles of 32 rows by
    /// 64 columns.
    ///
    /// Launch: any grid of two dimensions; any block, a multiple of 32 up to 1024.
    #[host(reference::tile_copy, launch)]
    pub unsafe fn tile_copy(output: *mut f32, input: TensorMap, tile_column: i32, tile_row: i32);
}
