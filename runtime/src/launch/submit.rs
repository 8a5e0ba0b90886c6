//! Where all launch paths meet.

use super::{Kernel, explain};
use crate::argument::{KernelArg, ParameterDescription};
use crate::backend::{GpuBackend, Launch};
use crate::error::{Error, Result};

/// Hands a launch to the backend; on a refusal, says why.
///
/// # Safety
///
/// As for [`LaunchKernels::launch`](crate::backend::LaunchKernels::launch).
#[inline(never)]
pub(super) unsafe fn submit(backend: &dyn GpuBackend, launch: &Launch<'_>) -> Result<()> {
    if launch.config.grid.is_empty() || launch.config.block.is_empty() {
        return Err(empty_launch(backend, launch));
    }
    // SAFETY: the caller answers for the launch.
    unsafe { backend.launch(launch) }.map_err(|error| explain::explain(backend, launch, error))
}

#[cold]
#[inline(never)]
fn empty_launch(backend: &dyn GpuBackend, launch: &Launch<'_>) -> Error {
    Error::EmptyLaunch {
        kernel: explain::kernel_name(backend, launch.kernel, launch.declaration),
        config: Box::new(*launch.config),
    }
}

/// Compares the kinds of values that no generated function passes with a declaration. Memory, which is `None`, and a wrong
/// number of arguments are left to [`check_arguments`].
///
/// # Errors
///
/// Names the kernel and the first parameter whose argument is of another kind.
pub(super) fn check_kinds(
    kernel: &Kernel,
    given: impl ExactSizeIterator<Item = Option<&'static ParameterDescription>>,
) -> Result<()> {
    let parameters = kernel.parameters();
    if parameters.len() != given.len() {
        return Ok(());
    }
    let misfit = parameters
        .iter()
        .zip(given)
        .filter_map(|(parameter, given)| Some((parameter, given?)))
        .find(|(parameter, given)| !parameter.is_pointer() && !given.fits(&parameter.description()));
    match misfit {
        None => Ok(()),
        Some((parameter, given)) => Err(Error::Argument {
            kernel: kernel.name().into(),
            parameter: parameter.name().into(),
            expected: format!("{} (`{}`)", parameter.description(), parameter.rust_type()),
            found: given.to_string(),
        }),
    }
}

/// Compares arguments that no generated function made with a declaration: count, memory or value, and width.
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
                expected: if parameter.is_pointer() {
                    format!("device memory (`{}`)", parameter.rust_type())
                } else {
                    format!("{} bytes (`{}`)", parameter.size(), parameter.rust_type())
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
