//! What the backend is, and tensor maps.

use super::{Layered, pass};
use crate::argument::TensorMap;
use crate::backend::{
    BackendId, DeviceInfo, DeviceProperties, GpuBackend, OperationCache, TensorMaps, TiledTensor,
};
use crate::diagnose::{Layer, Operation};
use crate::error::{Error, Result};

#[deny(clippy::missing_trait_methods)]
impl<L: Layer> DeviceInfo for Layered<L> {
    fn id(&self) -> BackendId {
        self.inner.id()
    }

    fn kind(&self) -> &'static str {
        self.inner.kind()
    }

    fn properties(&self) -> &DeviceProperties {
        self.inner.properties()
    }

    fn operation_cache(&self) -> &OperationCache {
        self.inner.operation_cache()
    }

    fn inner(&self) -> Option<&dyn GpuBackend> {
        Some(&*self.inner)
    }

    fn bind_to_thread(&self) -> Result<()> {
        pass!(self, "bind_to_thread", Operation::BindToThread, call => call.inner.bind_to_thread())
    }

    fn label(&self) -> Box<str> {
        self.inner.label()
    }

    fn unsupported(&self, operation: &'static str) -> Error {
        self.inner.unsupported(operation)
    }
}

#[deny(clippy::missing_trait_methods)]
impl<L: Layer> TensorMaps for Layered<L> {
    fn encode_tensor_map(&self, tensor: &TiledTensor) -> Result<TensorMap> {
        pass!(self, "encode_tensor_map", Operation::EncodeTensorMap(tensor), call => {
            call.inner.encode_tensor_map(tensor)
        })
    }
}
