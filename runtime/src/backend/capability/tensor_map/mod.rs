//! Tensor maps, and what they are made of.

mod options;
mod rules;

pub use options::{Interleave, L2Promotion, OutsideFill, Swizzle, TensorElement};

use super::DeviceInfo;
use crate::argument::{DevicePtr, TensorMap};
use crate::error::Result;

/// A tensor in device memory, and the tile of it that one bulk copy moves: what a tensor map is made of.
///
/// The dimensions go from the fastest-varying to the slowest, as in `cuTensorMapEncodeTiled`.
///
/// ```
/// use warpcall::Gpu;
/// use warpcall::backend::{L2Promotion, Swizzle, TensorElement, TiledTensor};
///
/// let gpu = Gpu::host()?;
/// let (columns, rows) = (256_u64, 100_u64);
/// let matrix = gpu.zeros::<f32>((columns * rows) as usize)?;
/// // Tiles of 64 rows by 32 columns, whose rows of 128 bytes are shuffled over the banks of shared memory.
/// let mut tensor = TiledTensor::new(matrix.device_ptr(), TensorElement::F32, [columns, rows], [32, 64])
///     .swizzle(Swizzle::Bytes128)
///     .l2_promotion(L2Promotion::Bytes256);
/// let map = gpu.encode_tensor_map(&tensor)?; // what a kernel's `TensorMap` parameter takes
/// assert_eq!(tensor.tile_bytes(), 8192); // what the kernel's barrier expects
///
/// tensor.tile[0] = 64;
/// let error = gpu.encode_tensor_map(&tensor).unwrap_err();
/// assert!(error.to_string().ends_with("a row of the tile is 256 bytes; expected at most 128, the span of the swizzle"));
/// # Ok::<(), warpcall::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TiledTensor {
    /// The first element. Aligned to 16 bytes; to 32 where slices of 32 bytes are interleaved.
    pub base: DevicePtr,
    /// The type of the elements.
    pub element: TensorElement,
    /// Elements in each dimension, one to five of them.
    pub extents: Vec<u64>,
    /// Bytes from one element to the next in each dimension but the first. Multiples of 16; of 32 where slices of 32 bytes are
    /// interleaved.
    pub strides: Vec<u64>,
    /// Elements that a tile spans in each dimension, at most 256 each.
    pub tile: Vec<u32>,
    /// Every how many elements one is copied in each dimension, at most 8. Of the first dimension it counts only where it is
    /// interleaved.
    pub element_strides: Vec<u32>,
    /// How the first dimension is laid out.
    pub interleave: Interleave,
    /// How a tile is shuffled in shared memory.
    pub swizzle: Swizzle,
    /// How much is fetched into the L2 cache at once.
    pub l2_promotion: L2Promotion,
    /// What elements outside of the tensor read as.
    pub outside: OutsideFill,
}

impl TiledTensor {
    /// A tensor of one to five dimensions whose elements follow one another without gaps, fastest-varying dimension
    /// first, in tiles of so many elements in each dimension.
    pub fn new(
        base: DevicePtr,
        element: TensorElement,
        extents: impl Into<Vec<u64>>,
        tile: impl Into<Vec<u32>>,
    ) -> Self {
        let extents = extents.into();
        let outer = extents.len().saturating_sub(1);
        let strides = extents[..outer]
            .iter()
            .scan(element.bytes() as u64, |stride, extent| {
                // One that is too large is refused, and this is.
                *stride = stride.saturating_mul(*extent);
                Some(*stride)
            })
            .collect();
        Self {
            base,
            element,
            element_strides: vec![1; extents.len()],
            extents,
            strides,
            tile: tile.into(),
            interleave: Interleave::default(),
            swizzle: Swizzle::default(),
            l2_promotion: L2Promotion::default(),
            outside: OutsideFill::default(),
        }
    }

    /// A matrix of `rows` rows of `columns` elements, one row `row_bytes` bytes after the other, read in tiles of
    /// `tile_rows` by `tile_columns`.
    ///
    /// ```
    /// use warpcall::DevicePtr;
    /// use warpcall::backend::{TensorElement, TiledTensor};
    ///
    /// let at = DevicePtr::new(0x1000);
    /// let tensor = TiledTensor::matrix(at, TensorElement::F16, [100, 256], 512, [64, 32]);
    /// assert_eq!((&tensor.extents[..], &tensor.tile[..]), (&[256, 100][..], &[32, 64][..]));
    /// ```
    pub fn matrix(
        base: DevicePtr,
        element: TensorElement,
        [rows, columns]: [u64; 2],
        row_bytes: u64,
        [tile_rows, tile_columns]: [u32; 2],
    ) -> Self {
        Self::new(base, element, [columns, rows], [tile_columns, tile_rows]).strides([row_bytes])
    }

    /// Bytes from one element to the next in each dimension but the first.
    #[must_use]
    pub fn strides(mut self, strides: impl Into<Vec<u64>>) -> Self {
        self.strides = strides.into();
        self
    }

    /// Every how many elements one is copied, in each dimension.
    #[must_use]
    pub fn element_strides(mut self, strides: impl Into<Vec<u32>>) -> Self {
        self.element_strides = strides.into();
        self
    }

    /// How the first dimension is laid out.
    #[must_use]
    pub fn interleave(mut self, interleave: Interleave) -> Self {
        self.interleave = interleave;
        self
    }

    /// How a tile is shuffled in shared memory.
    #[must_use]
    pub fn swizzle(mut self, swizzle: Swizzle) -> Self {
        self.swizzle = swizzle;
        self
    }

    /// How much is fetched into the L2 cache at once.
    #[must_use]
    pub fn l2_promotion(mut self, l2_promotion: L2Promotion) -> Self {
        self.l2_promotion = l2_promotion;
        self
    }

    /// What elements outside of the tensor read as.
    #[must_use]
    pub fn outside(mut self, outside: OutsideFill) -> Self {
        self.outside = outside;
        self
    }

    /// How many elements of a tile are copied in each dimension.
    pub(crate) fn copied(&self) -> impl Iterator<Item = usize> {
        let is_interleaved = self.interleave != Interleave::None;
        self.tile.iter().zip(&self.element_strides).enumerate().map(move |(dimension, (extent, stride))| {
            let stride = if dimension == 0 && !is_interleaved { 1 } else { *stride };
            extent.div_ceil(stride.max(1)) as usize
        })
    }

    /// The bytes that one copy brings to shared memory, as a barrier has to expect them.
    pub fn tile_bytes(&self) -> usize {
        self.copied().fold(self.element.bytes(), usize::saturating_mul)
    }
}

/// Tensor maps, for devices with a tensor memory accelerator.
pub trait TensorMaps: DeviceInfo {
    /// The tensor map of `tensor`.
    ///
    /// # Errors
    ///
    /// Where the tensor breaks a rule, which the error names ([`TiledTensor::check`]); or where the backend has no tensor maps, or
    /// none of this kind.
    #[track_caller]
    fn encode_tensor_map(&self, tensor: &TiledTensor) -> Result<TensorMap> {
        let _ = tensor;
        Err(self.unsupported("tensor maps"))
    }
}
