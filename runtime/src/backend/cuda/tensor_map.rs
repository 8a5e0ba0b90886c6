//! Tensor maps.

use std::ffi::c_uint;

use super::CudaBackend;
use super::driver::Driver;
use super::handles::pointer;
use crate::argument::TensorMap;
use crate::backend::{DeviceInfo, TensorMaps, TiledTensor};
use crate::error::{Error, Result};

/// The largest alignment that a header gives `CUtensorMap`.
#[repr(C, align(128))]
struct Encoded([u64; 16]);

/// Of `CUtensorMapDataType`: unsigned integers, which are copied as they are whatever the elements mean.
fn data_type(element_bytes: usize) -> Option<c_uint> {
    match element_bytes {
        1 => Some(0),
        2 => Some(1),
        4 => Some(2),
        8 => Some(4),
        _ => None,
    }
}

/// No interleaving, no swizzling, no promotion in the L2 cache, zeros outside the extents: zero in each enumeration.
const NONE: c_uint = 0;

impl TensorMaps for CudaBackend {
    fn encode_tensor_map(&self, tensor: &TiledTensor) -> Result<TensorMap> {
        tensor.check()?;
        let Driver { cuTensorMapEncodeTiled: Some(encode), .. } = *self.context.driver else {
            return Err(self.unsupported("tensor maps (the driver is older than CUDA 12.0)"));
        };
        if !self.features.tensor_maps {
            return Err(self.unsupported("tensor maps"));
        }
        let Some(data_type) = data_type(tensor.element_bytes) else {
            return Err(Error::InvalidArgument {
                operation: "encode_tensor_map",
                what: "the size of an element".into(),
                found: format!("{} bytes", tensor.element_bytes).into(),
                expected: "1, 2, 4 or 8 bytes".into(),
            });
        };
        self.context.bind()?;
        let extent = tensor.tile.iter().zip(&tensor.extents).count();
        let element_strides = [1; 5];
        let mut encoded = Encoded([0; 16]);
        // SAFETY: the map is aligned as the driver wants it; the check made sure that there are as many extents and tile
        // sizes as dimensions, at most five, and one stride fewer; all outlive the call. The address is not read.
        let code = unsafe {
            encode(
                (&raw mut encoded.0).cast(),
                data_type,
                c_uint::try_from(extent).unwrap_or(0),
                pointer(tensor.base.address()),
                tensor.extents.as_ptr(),
                tensor.strides.as_ptr(),
                tensor.tile.as_ptr(),
                element_strides.as_ptr(),
                NONE,
                NONE,
                NONE,
                NONE,
            )
        };
        self.context.driver.check("cuTensorMapEncodeTiled", code)?;
        Ok(TensorMap::from_slots(encoded.0))
    }
}
