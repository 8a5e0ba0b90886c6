use std::fmt;

use super::{ArgBytes, KernelArg, ParameterDescription, ParameterKind};
use crate::backend::{GpuBackend, TiledTensor};
use crate::error::Result;

/// A tensor map (CUDA's `CUtensorMap`): 128 opaque bytes that describe a tensor in device memory to
/// the tensor memory accelerator.
///
/// A kernel takes it as `const __grid_constant__ CUtensorMap`, and the launch function by reference.
/// The driver writes its bytes (`cuTensorMapEncodeTiled`), and only for the device it was made for:
/// [`encode_tiled`](Self::encode_tiled).
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct TensorMap([u64; 16]);

impl TensorMap {
    /// The size of a tensor map in bytes.
    pub const BYTES: usize = 128;

    /// What a tensor map is to a kernel.
    pub(crate) const DESCRIPTION: ParameterDescription =
        ParameterDescription { kind: ParameterKind::TensorMap, size: Self::BYTES, align: align_of::<Self>() };

    /// The tensor map of `tensor` on the device of `backend`. The same as
    /// [`encode_tensor_map`](crate::backend::TensorMaps::encode_tensor_map) of the backend.
    ///
    /// ```
    /// use warpcall::backend::{TensorElement, TiledTensor};
    /// use warpcall::{Gpu, TensorMap};
    ///
    /// let gpu = Gpu::host()?;
    /// let matrix = gpu.zeros::<f32>(100 * 256)?;
    /// let tensor = TiledTensor::new(matrix.device_ptr(), TensorElement::F32, [256, 100], [32, 64]);
    /// let map = TensorMap::encode_tiled(&*gpu, &tensor)?;
    /// # let _ = map;
    /// # Ok::<(), warpcall::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Where the tensor breaks a rule of rank, extents, strides or alignment, which the error names; or where the backend has no
    /// tensor maps, or none of this kind.
    #[track_caller]
    pub fn encode_tiled(backend: &dyn GpuBackend, tensor: &TiledTensor) -> Result<Self> {
        backend.encode_tensor_map(tensor)
    }

    /// A tensor map of these bytes, as an encoder left them.
    pub const fn from_slots(slots: [u64; 16]) -> Self {
        Self(slots)
    }

    /// Its bytes as 16 slots.
    pub const fn slots(&self) -> &[u64; 16] {
        &self.0
    }

    /// The tensor map as an argument: 16 consecutive slots.
    #[inline]
    pub fn arg(&self) -> KernelArg<'_> {
        KernelArg::Bytes(ArgBytes::of_packed(&self.0, Self::BYTES))
    }
}

impl fmt::Debug for TensorMap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TensorMap({:x?})", self.0)
    }
}
