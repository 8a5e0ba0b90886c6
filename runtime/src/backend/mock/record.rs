use std::panic::Location;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::failure::Failures;
use super::{Call, CallKind};
use crate::argument::{DevicePtr, KernelArg, KernelParam};
use crate::backend::{KernelHandle, StreamHandle};
use crate::error::{Error, Result};
use crate::launch::{LaunchConfig, Parameter};

/// A launch with typed arguments, as it arrived.
///
/// Where the kernel's declaration is known, its arguments are found by the names of its parameters:
///
/// ```
/// use warpcall::{Gpu, LaunchConfig, MockBackend, kernel};
///
/// #[kernel(module = "scale")]
/// unsafe extern "C" {
///     unsafe fn scale(values: *mut f32, factor: f32);
/// }
///
/// let mock = MockBackend::new()?;
/// let gpu = Gpu::from_backend(mock.clone());
/// let mut values = gpu.zeros::<f32>(4)?;
/// // SAFETY: the kernel is not run.
/// unsafe { launch_scale(&gpu.default_stream(), LaunchConfig::new(1, 4), &mut values, 2.0)? };
///
/// let launch = &mock.launches()[0];
/// assert_eq!(launch.buffer("values")?, values.device_ptr());
/// assert_eq!(launch.value::<f32>("factor")?, 2.0);
/// # Ok::<(), warpcall::Error>(())
/// ```
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
    /// The parameters of the kernel's declaration; `None` where that is not known.
    pub parameters: Option<&'static [Parameter]>,
    /// The arguments, one a parameter.
    pub args: Vec<RecordedArg>,
    /// The arguments in consecutive slots, as [`pack_kernel_args`](crate::pack_kernel_args) lays them out.
    pub slots: Vec<u64>,
    /// For each argument, the index of its first slot.
    pub starts: Vec<u32>,
    /// Where the caller's code launches.
    pub location: &'static Location<'static>,
}

impl RecordedLaunch {
    /// The argument for the parameter `name`.
    ///
    /// # Errors
    ///
    /// Where the declaration is not known or has no such parameter; the error lists those that it has.
    pub fn arg(&self, name: &str) -> Result<&RecordedArg> {
        self.declared(name).map(|(_, arg)| arg)
    }

    /// The value that was passed for the parameter `name`.
    ///
    /// # Errors
    ///
    /// As for [`arg`](Self::arg), and where the parameter is no `T`.
    pub fn value<T: KernelParam>(&self, name: &str) -> Result<T> {
        let (parameter, arg) = self.declared(name)?;
        let bytes = match arg {
            RecordedArg::Bytes(bytes) if T::DESCRIPTION.fits(&parameter.description()) => bytes,
            _ => return Err(self.misfit(parameter, T::DESCRIPTION)),
        };
        bytes.get(..size_of::<T>()).and_then(T::read).ok_or_else(|| Error::Argument {
            kernel: self.kernel.as_str().into(),
            parameter: name.into(),
            expected: format!("a valid `{}`", parameter.rust_type()),
            found: format!("the bytes {bytes:02x?}"),
        })
    }

    /// The address that was passed for the pointer `name`; the null pointer for none.
    ///
    /// # Errors
    ///
    /// As for [`arg`](Self::arg), and where the parameter is no pointer.
    pub fn buffer(&self, name: &str) -> Result<DevicePtr> {
        match self.declared(name)? {
            (_, RecordedArg::Buffer(ptr)) => Ok(*ptr),
            (parameter, RecordedArg::Bytes(_)) => Err(self.misfit(parameter, "device memory")),
        }
    }

    fn declared(&self, name: &str) -> Result<(&'static Parameter, &RecordedArg)> {
        let unknown = |expected: String| Error::InvalidArgument {
            operation: "recorded launch",
            what: format!("the parameter of kernel `{}`", self.kernel).into(),
            found: format!("`{name}`").into(),
            expected: expected.into(),
        };
        let Some(parameters) = self.parameters else {
            return Err(unknown("a kernel whose declaration is known; launch it by its declaration".into()));
        };
        let mut both = parameters.iter().zip(&self.args);
        both.find(|(parameter, _)| parameter.name() == name).ok_or_else(|| {
            let names: Vec<String> = parameters.iter().map(|known| format!("`{}`", known.name())).collect();
            unknown(if names.is_empty() {
                "none; it has none".into()
            } else {
                format!("one of {}", names.join(", "))
            })
        })
    }

    fn misfit(&self, parameter: &Parameter, asked_for: impl std::fmt::Display) -> Error {
        Error::Argument {
            kernel: self.kernel.as_str().into(),
            parameter: parameter.name().into(),
            expected: format!("{} (`{}`)", parameter.description(), parameter.rust_type()),
            found: format!("a test that asks for {asked_for}"),
        }
    }
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

/// The calls so far, and those that are yet to fail: behind one lock, so that the call that fails is the one that was asked
/// for by its place in the record.
#[derive(Default)]
pub(super) struct Record {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    calls: Vec<Call>,
    failures: Failures,
}

impl Record {
    /// Appends a call. Where it is to fail, the number that was asked for, and the call.
    pub(super) fn push(&self, call: Call) -> Option<(u64, Call)> {
        let mut state = self.lock();
        let struck = state.failures.strike(call.kind()).map(|number| (number, call.clone()));
        state.calls.push(call);
        struck
    }

    pub(super) fn fail(&self, kind: CallKind, nth: u64) {
        self.lock().failures.add(kind, nth);
    }

    pub(super) fn clear_failures(&self) {
        self.lock().failures.clear();
    }

    pub(super) fn len(&self) -> usize {
        self.lock().calls.len()
    }

    pub(super) fn count(&self, kind: CallKind) -> usize {
        self.lock().calls.iter().filter(|call| call.kind() == kind).count()
    }

    pub(super) fn calls(&self) -> Vec<Call> {
        self.lock().calls.clone()
    }

    pub(super) fn launches(&self) -> Vec<RecordedLaunch> {
        let state = self.lock();
        let launches = state.calls.iter().filter_map(|call| match call {
            Call::Launch { launch } => Some((**launch).clone()),
            _ => None,
        });
        launches.collect()
    }

    pub(super) fn take(&self) -> Vec<Call> {
        std::mem::take(&mut self.lock().calls)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing panics while the lists are held, and they are whole after every push.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
