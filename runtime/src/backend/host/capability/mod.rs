//! The host backend's side of each capability.

mod copy;
mod event;
mod graph;
mod launch;
mod lookup;
mod memory;
mod stream;

use super::{HostBackend, tensor_map};
use crate::argument::TensorMap;
use crate::backend::{
    BackendId, DeviceInfo, DeviceProperties, Interleave, OperationCache, OutsideFill, TensorMaps, TiledTensor,
};
use crate::error::{Error, Result};

const KIND: &str = "host";

/// The backend as error messages name it.
pub(super) fn label(id: BackendId, properties: &DeviceProperties) -> Box<str> {
    format!("{KIND} backend {} ({})", id.get(), properties.name).into()
}

impl DeviceInfo for HostBackend {
    fn id(&self) -> BackendId {
        self.id
    }

    fn kind(&self) -> &'static str {
        KIND
    }

    fn properties(&self) -> &DeviceProperties {
        &self.properties
    }

    fn operation_cache(&self) -> &OperationCache {
        &self.cache
    }
}

impl TensorMaps for HostBackend {
    fn encode_tensor_map(&self, tensor: &TiledTensor) -> Result<TensorMap> {
        tensor.check()?;
        if tensor.interleave != Interleave::None {
            return Err(self.unsupported("interleaved tensor maps"));
        }
        if tensor.outside != OutsideFill::Zero {
            return Err(self.unsupported("tensor maps that fill with NaN"));
        }
        Ok(tensor_map::encode(tensor))
    }
}

/// The error of something that a capture does not allow, or that needs one.
fn capture_error(operation: &'static str, problem: impl Into<Box<str>>) -> Error {
    Error::Capture { operation, problem: problem.into() }
}
