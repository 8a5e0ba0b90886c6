//! How often one tool is around a backend, which it may be through several stacks of layers, or twice in one.

use std::collections::HashMap;

use crate::backend::BackendId;

/// How many layers of a tool are around each backend. What the tool does when a backend closes, it does when the last of them closes: the
/// others may still be called.
#[derive(Debug, Default)]
pub(super) struct LayerCount(HashMap<BackendId, usize>);

impl LayerCount {
    pub(super) fn open(&mut self, backend: BackendId) {
        *self.0.entry(backend).or_default() += 1;
    }

    /// Whether there is no layer of the tool around any backend.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// A layer around a backend closes. Whether there is none left.
    pub(super) fn close(&mut self, backend: BackendId) -> bool {
        if let Some(layers) = self.0.get_mut(&backend)
            && *layers > 1
        {
            *layers -= 1;
            return false;
        }
        self.0.remove(&backend);
        true
    }
}
