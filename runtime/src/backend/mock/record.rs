use std::panic::Location;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::{Call, CallKind};
use crate::argument::{DevicePtr, KernelArg};
use crate::backend::{KernelHandle, StreamHandle};
use crate::launch::LaunchConfig;

/// A launch with typed arguments, as it arrived.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RecordedLaunch {
    /// The kernel's module; empty where the handle is none that the mock gave out.
    pub module: String,
    /// The kernel's name; empty where the handle is none that the mock gave out.
    pub kernel: String,
    /// The handle that was launched.
    pub handle: KernelHandle,
    /// The configuration.
    pub config: LaunchConfig,
    /// The stream.
    pub stream: StreamHandle,
    /// The arguments, one a parameter.
    pub args: Vec<RecordedArg>,
    /// The arguments in consecutive slots, as [`pack_kernel_args`](crate::pack_kernel_args) lays them out.
    pub slots: Vec<u64>,
    /// For each argument, the index of its first slot.
    pub starts: Vec<u32>,
    /// Where the caller's code launches.
    pub location: &'static Location<'static>,
}

/// An argument as it arrived, owned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecordedArg {
    /// Device memory.
    Buffer(DevicePtr),
    /// A value: its bytes, without what pads the last slot.
    Bytes(Vec<u8>),
}

impl From<&KernelArg<'_>> for RecordedArg {
    fn from(arg: &KernelArg<'_>) -> Self {
        match arg {
            KernelArg::Buffer(ptr) => Self::Buffer(*ptr),
            KernelArg::Bytes(bytes) => Self::Bytes(bytes.as_bytes().to_vec()),
        }
    }
}

/// The calls so far.
#[derive(Default)]
pub(super) struct Record {
    calls: Mutex<Vec<Call>>,
}

impl Record {
    pub(super) fn push(&self, call: Call) {
        self.lock().push(call);
    }

    pub(super) fn len(&self) -> usize {
        self.lock().len()
    }

    pub(super) fn count(&self, kind: CallKind) -> usize {
        self.lock().iter().filter(|call| call.kind() == kind).count()
    }

    pub(super) fn calls(&self) -> Vec<Call> {
        self.lock().clone()
    }

    pub(super) fn launches(&self) -> Vec<RecordedLaunch> {
        let calls = self.lock();
        let launches = calls.iter().filter_map(|call| match call {
            Call::Launch { launch } => Some((**launch).clone()),
            _ => None,
        });
        launches.collect()
    }

    pub(super) fn take(&self) -> Vec<Call> {
        std::mem::take(&mut *self.lock())
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Call>> {
        // Nothing panics while the list is held, and a list is whole after every push.
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
