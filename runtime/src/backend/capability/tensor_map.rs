use super::DeviceInfo;
use crate::argument::{DevicePtr, TensorMap};
use crate::error::{Error, Result};

/// A tensor in device memory, and the tile of it that one bulk copy moves: what a tensor map is made of.
///
/// The dimensions go from the fastest-varying to the slowest, as in `cuTensorMapEncodeTiled`.
///
/// ```
/// use warpcall::Gpu;
/// use warpcall::backend::TiledTensor;
///
/// let gpu = Gpu::host()?;
/// let (rows, columns) = (100_u32, 256_u32);
/// let matrix = gpu.zeros::<f32>((rows * columns) as usize)?;
/// // Tiles of 32 rows by 64 columns.
/// let mut tensor =
///     TiledTensor::matrix(matrix.device_ptr(), 4, [rows.into(), columns.into()], 4 * u64::from(columns), [32, 64]);
/// let map = gpu.encode_tensor_map(&tensor)?; // what a kernel's `TensorMap` parameter takes
///
/// tensor.tile[0] = 300;
/// let error = gpu.encode_tensor_map(&tensor).unwrap_err();
/// assert!(error.to_string().ends_with("the tile's extent in dimension 0 is 300; expected 1 to 256"));
/// # Ok::<(), warpcall::Error>(())
/// ```
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

    /// Whether it keeps the rules that `cuTensorMapEncodeTiled` documents (CUDA Driver API, "Tensor Map Object
    /// Management"), for tensors that are not interleaved. A backend calls this before it encodes.
    ///
    /// # Errors
    ///
    /// Names the first rule that is broken, with what was found.
    pub fn check(&self) -> Result<()> {
        let rank = self.extents.len();
        require(
            (1..=5).contains(&rank),
            "the number of extents".into(),
            rank.to_string(),
            "1 to 5, one a dimension",
        )?;
        require(
            self.strides.len() == rank - 1,
            "the number of strides".into(),
            self.strides.len().to_string(),
            &format!("{}, one a dimension but the first", rank - 1),
        )?;
        require(
            self.tile.len() == rank,
            "the number of the tile's extents".into(),
            self.tile.len().to_string(),
            &format!("{rank}, one a dimension"),
        )?;
        require(
            matches!(self.element_bytes, 1 | 2 | 4 | 8),
            "the size of an element".into(),
            format!("{} bytes", self.element_bytes),
            "1, 2, 4 or 8 bytes",
        )?;
        require(
            !self.base.is_null() && self.base.address().is_multiple_of(16),
            "the address of the first element".into(),
            self.base.to_string(),
            "device memory aligned to 16 bytes",
        )?;
        for (dimension, extent) in self.extents.iter().enumerate() {
            require(
                (1..=1 << 32).contains(extent),
                format!("the extent of dimension {dimension}"),
                extent.to_string(),
                "1 to 2^32",
            )?;
        }
        for (dimension, stride) in (1..).zip(&self.strides) {
            require(
                stride.is_multiple_of(16) && *stride < 1 << 40,
                format!("the stride of dimension {dimension}"),
                format!("{stride} bytes"),
                "a multiple of 16 below 2^40",
            )?;
        }
        for (dimension, extent) in self.tile.iter().enumerate() {
            require(
                (1..=256).contains(extent),
                format!("the tile's extent in dimension {dimension}"),
                extent.to_string(),
                "1 to 256",
            )?;
        }
        let row = self.tile[0] as usize * self.element_bytes;
        require(
            row.is_multiple_of(16),
            "a row of the tile".into(),
            format!("{row} bytes"),
            "a multiple of 16 bytes",
        )
    }
}

/// The error that names a rule, unless it holds.
fn require(holds: bool, what: String, found: String, expected: &str) -> Result<()> {
    if holds {
        return Ok(());
    }
    Err(Error::InvalidArgument {
        operation: "encode_tensor_map",
        what: what.into(),
        found: found.into(),
        expected: expected.into(),
    })
}

/// Tensor maps, for devices with a tensor memory accelerator.
pub trait TensorMaps: DeviceInfo {
    /// The tensor map of `tensor`. Elements outside the extents read as zero.
    ///
    /// # Errors
    ///
    /// Where rank, strides, alignment or the tile break a rule, which the error names; or where the
    /// backend has no tensor maps.
    #[track_caller]
    fn encode_tensor_map(&self, tensor: &TiledTensor) -> Result<TensorMap> {
        let _ = tensor;
        Err(self.unsupported("tensor maps"))
    }
}
