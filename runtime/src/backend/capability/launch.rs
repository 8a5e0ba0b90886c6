use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::panic::Location;

use super::DeviceInfo;
use crate::argument::KernelArg;
use crate::backend::{KernelHandle, StreamHandle};
use crate::error::Result;
use crate::launch::{Kernel, LaunchConfig};

/// One launch, as a backend receives it.
#[derive(Clone, Copy, Debug)]
pub struct Launch<'a> {
    /// The kernel, resolved by this backend.
    pub kernel: KernelHandle,
    /// Its declaration, where it is known: the names and types of the parameters.
    pub declaration: Option<&'static Kernel>,
    /// Grid, block and the rest.
    pub config: &'a LaunchConfig,
    /// The stream, one of this backend.
    pub stream: StreamHandle,
    /// The arguments, one a parameter.
    pub args: &'a [KernelArg<'a>],
    /// Where the caller's code launches.
    pub location: &'static Location<'static>,
}

/// Launching kernels.
///
/// All of warpcall's launches come through [`launch`](Self::launch), with a grid and a block that are not empty.
pub trait LaunchKernels: DeviceInfo {
    /// Launches a kernel with typed arguments.
    ///
    /// A CUDA-like backend leaves this as it is: each argument lies in whole slots of its own, padded
    /// with zeros, and the raw form gets one pointer an argument. No heap memory is used up to 64 arguments.
    ///
    /// # Errors
    ///
    /// Where the launch is refused; attributes of the configuration that the backend does not have are refused.
    ///
    /// # Safety
    ///
    /// The arguments are the parameters of the compiled kernel, and what the kernel does with them within
    /// this configuration is sound.
    unsafe fn launch(&self, launch: &Launch<'_>) -> Result<()> {
        // SAFETY: one valid pointer an argument, to as many bytes as it has; the caller answers for the rest.
        with_pointers(launch.args, |params| unsafe {
            self.launch_raw(launch.kernel, launch.config, launch.stream, params)
        })
    }

    /// Launches a kernel with one pointer a parameter, as `cuLaunchKernel` takes them.
    ///
    /// # Errors
    ///
    /// As for [`launch`](Self::launch).
    ///
    /// # Safety
    ///
    /// As for [`launch`](Self::launch); and each pointer is valid for reads of its parameter's size.
    unsafe fn launch_raw(
        &self,
        kernel: KernelHandle,
        config: &LaunchConfig,
        stream: StreamHandle,
        params: &mut [*mut c_void],
    ) -> Result<()>;
}

/// Calls `then` with a pointer to the slots of each argument.
#[inline]
pub(in crate::backend) fn with_pointers<R>(args: &[KernelArg<'_>], then: impl FnOnce(&mut [*mut c_void]) -> R) -> R {
    const ON_STACK: usize = 64;
    let pointer = |arg: &KernelArg<'_>| arg.slots().as_ptr().cast_mut().cast::<c_void>();
    if args.len() > ON_STACK {
        return then(&mut args.iter().map(pointer).collect::<Vec<_>>());
    }
    let mut pointers = [const { MaybeUninit::<*mut c_void>::uninit() }; ON_STACK];
    for (place, arg) in pointers.iter_mut().zip(args) {
        place.write(pointer(arg));
    }
    // SAFETY: the first `args.len()` places were just written, and there are at most `ON_STACK`.
    then(unsafe { pointers[..args.len()].assume_init_mut() })
}
