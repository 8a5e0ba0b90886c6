use std::fmt;

use super::{ArgBytes, KernelArg, ParameterDescription, ParameterKind};

/// A tensor map (CUDA's `CUtensorMap`): 128 opaque bytes that describe a tensor in device memory to
/// the tensor memory accelerator.
///
/// A kernel takes it as `const __grid_constant__ CUtensorMap`, and the launch function by reference.
/// The driver writes its bytes (`cuTensorMapEncodeTiled`), and only for the device it was made for.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct TensorMap([u64; 16]);

impl TensorMap {
    /// The size of a tensor map in bytes.
    pub const BYTES: usize = 128;

    /// What a tensor map is to a kernel.
    pub(crate) const DESCRIPTION: ParameterDescription =
        ParameterDescription { kind: ParameterKind::TensorMap, size: Self::BYTES, align: align_of::<Self>() };

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
