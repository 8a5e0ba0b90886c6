//! A builder as it is often written: each argument a `Vec` of its own, packed into more `Vec`s at the launch.

use std::ffi::c_void;

use warpcall::{KernelHandle, LaunchConfig, StreamHandle};

use crate::by_hand::LaunchRaw;

enum Arg {
    Buffer(u64),
    Bytes(Vec<u8>),
}

/// The arguments so far.
#[derive(Default)]
pub struct Builder {
    args: Vec<Arg>,
}

impl Builder {
    /// No arguments yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// A pointer.
    #[must_use]
    pub fn ptr(mut self, address: u64) -> Self {
        self.args.push(Arg::Buffer(address));
        self
    }

    /// A value's bytes.
    #[must_use]
    pub fn bytes(mut self, bytes: &[u8]) -> Self {
        self.args.push(Arg::Bytes(bytes.to_vec()));
        self
    }

    /// Packs the arguments and launches.
    ///
    /// # Errors
    ///
    /// What the backend says.
    pub fn launch(
        self,
        launch: LaunchRaw<'_>,
        kernel: KernelHandle,
        config: &LaunchConfig,
        stream: StreamHandle,
    ) -> warpcall::Result<()> {
        let mut slots: Vec<u64> = Vec::new();
        let mut starts = Vec::new();
        for arg in &self.args {
            starts.push(slots.len());
            match arg {
                Arg::Buffer(address) => slots.push(*address),
                Arg::Bytes(bytes) => {
                    for chunk in bytes.chunks(8) {
                        let mut slot = [0; 8];
                        slot[..chunk.len()].copy_from_slice(chunk);
                        slots.push(u64::from_le_bytes(slot));
                    }
                }
            }
        }
        let params: Vec<*mut c_void> =
            starts.iter().map(|start| std::ptr::from_ref(&slots[*start]).cast_mut().cast()).collect();
        launch(kernel, config, stream, &params)
    }
}
