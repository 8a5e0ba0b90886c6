//! Where all launch paths meet.

use std::ffi::c_void;
use std::panic::Location;

use super::{Kernel, LaunchConfig, explain};
use crate::argument::{DeviceSpan, KernelArg};
use crate::backend::{GpuBackend, Launch};
use crate::device::StreamRef;
use crate::error::{Error, Result};

/// Launches a declared kernel with the arguments that its generated function made.
///
/// # Safety
///
/// As for [`submit`]; and `args` fit the declaration.
#[track_caller]
pub(super) unsafe fn launch_declared(
    kernel: &'static Kernel,
    stream: StreamRef<'_>,
    config: &LaunchConfig,
    args: &[KernelArg<'_>],
    params: &[*mut c_void],
    foreign: Option<DeviceSpan>,
) -> Result<()> {
    let location = Location::caller();
    if let Some(span) = foreign {
        return Err(foreign_memory(kernel, stream.backend(), args, span));
    }
    let launch = Launch {
        kernel: kernel.resolve_in(stream.operation_cache(), stream.backend())?,
        declaration: Some(kernel),
        config,
        stream: stream.handle(),
        args,
        params,
        location,
    };
    // SAFETY: the caller answers for the arguments and the kernel.
    unsafe { submit(stream.backend(), &launch) }
}

/// Hands a launch to the backend; on a refusal, says why.
///
/// # Safety
///
/// As for [`LaunchKernels::launch`](crate::backend::LaunchKernels::launch).
#[inline]
pub(super) unsafe fn submit(backend: &dyn GpuBackend, launch: &Launch<'_>) -> Result<()> {
    if launch.config.grid.is_empty() || launch.config.block.is_empty() {
        return Err(empty_launch(backend, launch));
    }
    // SAFETY: the caller answers for the launch.
    match unsafe { backend.launch(launch) } {
        Ok(()) => Ok(()),
        Err(error) => Err(explain::explain(backend, launch, error)),
    }
}

#[cold]
#[inline(never)]
fn empty_launch(backend: &dyn GpuBackend, launch: &Launch<'_>) -> Error {
    Error::EmptyLaunch { kernel: explain::kernel_name(backend, launch), config: Box::new(*launch.config) }
}

#[cold]
#[inline(never)]
fn foreign_memory(
    kernel: &'static Kernel,
    backend: &dyn GpuBackend,
    args: &[KernelArg<'_>],
    span: DeviceSpan,
) -> Error {
    let index = args.iter().position(|arg| arg.as_buffer() == Some(span.ptr)).unwrap_or(0);
    Error::ForeignMemory {
        kernel: kernel.name().into(),
        parameter: kernel.parameters().get(index).map_or("", super::Parameter::name).into(),
        stream: backend.label(),
    }
}

/// Compares arguments that no generated function made with a declaration: count, kind and width.
///
/// # Errors
///
/// Names the kernel and the first parameter whose argument does not fit.
pub(crate) fn check_arguments(kernel: &Kernel, args: &[KernelArg<'_>]) -> Result<()> {
    let parameters = kernel.parameters();
    if parameters.len() != args.len() {
        return Err(Error::ArgumentCount {
            kernel: kernel.to_string().into(),
            expected: parameters.len(),
            found: args.len(),
        });
    }
    for (parameter, arg) in parameters.iter().zip(args) {
        let fits = match arg {
            KernelArg::Buffer(_) => parameter.is_pointer(),
            KernelArg::Bytes(bytes) => !parameter.is_pointer() && bytes.as_bytes().len() == parameter.size(),
        };
        if !fits {
            return Err(Error::Argument {
                kernel: kernel.name().into(),
                parameter: parameter.name().into(),
                expected: match parameter.is_pointer() {
                    true => format!("device memory (`{}`)", parameter.rust_type()),
                    false => format!("{} bytes (`{}`)", parameter.size(), parameter.rust_type()),
                },
                found: match arg {
                    KernelArg::Buffer(ptr) => format!("device memory at {ptr}"),
                    KernelArg::Bytes(bytes) => format!("{} bytes", bytes.as_bytes().len()),
                },
            });
        }
    }
    Ok(())
}
