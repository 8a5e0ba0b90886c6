//! Tensor maps.

use std::ffi::c_uint;

use super::CudaBackend;
use super::driver::Driver;
use super::handles::pointer;
use crate::argument::TensorMap;
use crate::backend::{DeviceInfo, TensorMaps, TiledTensor};
use crate::error::Result;

/// The largest alignment that a header gives `CUtensorMap`.
#[repr(C, align(128))]
struct Encoded([u64; 16]);

impl TensorMaps for CudaBackend {
    fn encode_tensor_map(&self, tensor: &TiledTensor) -> Result<TensorMap> {
        tensor.check()?;
        let Driver { cuTensorMapEncodeTiled: Some(encode), .. } = *self.context.driver else {
            return Err(self.unsupported("tensor maps (the driver is older than CUDA 12.0)"));
        };
        if !self.features.tensor_maps {
            return Err(self.unsupported("tensor maps"));
        }
        self.context.bind()?;
        let rank = c_uint::try_from(tensor.extents.len()).unwrap_or(0);
        let mut encoded = Encoded([0; 16]);
        // SAFETY: the map is aligned as the driver wants it; the check made sure that there are as many extents, tile sizes
        // and element strides as dimensions, at most five, and one stride fewer; all outlive the call. The address is not read.
        let code = unsafe {
            encode(
                (&raw mut encoded.0).cast(),
                tensor.element as c_uint,
                rank,
                pointer(tensor.base.address()),
                tensor.extents.as_ptr(),
                tensor.strides.as_ptr(),
                tensor.tile.as_ptr(),
                tensor.element_strides.as_ptr(),
                tensor.interleave as c_uint,
                tensor.swizzle as c_uint,
                tensor.l2_promotion as c_uint,
                tensor.outside as c_uint,
            )
        };
        self.context.driver.check("cuTensorMapEncodeTiled", code)?;
        Ok(TensorMap::from_slots(encoded.0))
    }
}
