use super::DeviceInfo;
use crate::argument::{DevicePtr, TensorMap};
use crate::error::Result;

/// A tensor in device memory, and the tile of it that one bulk copy moves: what a tensor map is made of.
///
/// The dimensions go from the fastest-varying to the slowest, as in `cuTensorMapEncodeTiled`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TiledTensor {
    /// The first element. Aligned to 16 bytes.
    pub base: DevicePtr,
    /// The size of an element in bytes.
    pub element_bytes: usize,
    /// Elements in each dimension, one to five of them.
    pub extents: Vec<u64>,
    /// Bytes from one element to the next in each dimension but the first. Multiples of 16.
    pub strides: Vec<u64>,
    /// Elements of a tile in each dimension, at most 256 each.
    pub tile: Vec<u32>,
}

impl TiledTensor {
    /// A matrix of `rows` rows of `columns` elements, one row `row_bytes` bytes after the other, read in tiles of
    /// `tile_rows` by `tile_columns`.
    pub fn matrix(
        base: DevicePtr,
        element_bytes: usize,
        [rows, columns]: [u64; 2],
        row_bytes: u64,
        [tile_rows, tile_columns]: [u32; 2],
    ) -> Self {
        Self {
            base,
            element_bytes,
            extents: vec![columns, rows],
            strides: vec![row_bytes],
            tile: vec![tile_columns, tile_rows],
        }
    }
}

/// Tensor maps, for devices with a tensor memory accelerator.
pub trait TensorMaps: DeviceInfo {
    /// The tensor map of `tensor`. Elements outside the extents read as zero.
    ///
    /// # Errors
    ///
    /// Where rank, strides, alignment or the tile break a rule, which the error names; or where the
    /// backend has no tensor maps.
    fn encode_tensor_map(&self, tensor: &TiledTensor) -> Result<TensorMap> {
        let _ = tensor;
        Err(self.unsupported("tensor maps"))
    }
}
