use super::{Call, MockBackend};
use crate::argument::TensorMap;
use crate::backend::{
    BackendId, DeviceInfo, DeviceProperties, GpuBackend, OperationCache, TensorMaps, TiledTensor,
};
use crate::error::{Error, Result};

#[deny(clippy::missing_trait_methods)]
impl DeviceInfo for MockBackend {
    fn id(&self) -> BackendId {
        self.operation_cache.backend()
    }

    fn kind(&self) -> &'static str {
        "mock"
    }

    fn properties(&self) -> &DeviceProperties {
        &self.properties
    }

    fn operation_cache(&self) -> &OperationCache {
        &self.operation_cache
    }

    // The host underneath has other handles, and another id.
    fn inner(&self) -> Option<&dyn GpuBackend> {
        None
    }

    fn bind_to_thread(&self) -> Result<()> {
        self.enter(Call::BindToThread {})?;
        self.inner.bind_to_thread()
    }

    fn label(&self) -> Box<str> {
        format!("mock backend {} ({})", self.id().get(), self.properties.name).into()
    }

    fn unsupported(&self, operation: &'static str) -> Error {
        Error::Unsupported { backend: self.label(), operation }
    }
}

#[deny(clippy::missing_trait_methods)]
impl TensorMaps for MockBackend {
    fn encode_tensor_map(&self, tensor: &TiledTensor) -> Result<TensorMap> {
        self.enter(Call::EncodeTensorMap { tensor: tensor.clone() })?;
        self.inner.encode_tensor_map(tensor)
    }
}
