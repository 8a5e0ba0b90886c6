use std::ffi::c_void;
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
    /// The address of each argument's first slot ([`KernelArg::as_param`]): what [`launch_raw`](LaunchKernels::launch_raw) takes.
    pub params: &'a [*mut c_void],
    /// How many bytes each [`KernelArg::Buffer`] has from its address on, in the order of the buffers. A raw pointer does not
    /// tell: [`at_most`](Self::at_most) where a layer knows how far its memory reaches, else
    /// [`UNKNOWN_EXTENT`](Self::UNKNOWN_EXTENT). Nothing at all where nobody tells.
    pub extents: &'a [usize],
    /// Where the caller's code launches.
    pub location: &'static Location<'static>,
}

impl Launch<'_> {
    /// The extent of memory that a raw pointer names.
    pub const UNKNOWN_EXTENT: usize = usize::MAX;

    /// No memory is as long, so this bit marks an extent as the most that it may be.
    const AT_MOST: usize = !(usize::MAX >> 1);

    /// The extent of memory that a raw pointer names, which ends so many bytes further: how much of it is meant, nobody knows.
    pub const fn at_most(bytes: usize) -> usize {
        bytes | Self::AT_MOST
    }

    /// The extent of the buffer argument with this number among the buffers, in bytes, where it is known.
    pub fn extent(&self, buffer: usize) -> Option<usize> {
        self.extents.get(buffer).copied().filter(|extent| extent & Self::AT_MOST == 0)
    }

    /// How many bytes the buffer argument with this number may reach at most: its extent, or where that is not known, the end of its
    /// memory, where a layer knows that.
    pub fn reach(&self, buffer: usize) -> Option<usize> {
        let extent = self.extents.get(buffer).copied().filter(|extent| *extent != Self::UNKNOWN_EXTENT)?;
        Some(extent & !Self::AT_MOST)
    }
}

/// Launching kernels.
///
/// All of warpcall's launches come through [`launch`](Self::launch), with a grid and a block that are not empty.
pub trait LaunchKernels: DeviceInfo {
    /// Launches a kernel with typed arguments.
    ///
    /// A CUDA-like backend leaves this as it is: each argument lies in whole slots of its own, padded
    /// with zeros, and the raw form gets one pointer an argument.
    ///
    /// # Errors
    ///
    /// Where the launch is refused; attributes of the configuration that the backend does not have are refused.
    ///
    /// # Safety
    ///
    /// - `launch.kernel` is a handle that this backend resolved; a backend may use it unseen.
    /// - `launch.stream` is this backend's default stream, or one that it created or adopted and that was not destroyed.
    /// - The arguments are the parameters of the compiled kernel, and `launch.params` holds the address of each one's slots.
    /// - What the kernel does with them within this configuration is sound: it stays inside the memory that they name,
    ///   and nothing that is safe uses that memory in between, such as a slice that borrows it.
    unsafe fn launch(&self, launch: &Launch<'_>) -> Result<()> {
        // SAFETY: one valid pointer an argument, to as many bytes as it has; the caller answers for the rest.
        unsafe { self.launch_raw(launch.kernel, launch.config, launch.stream, launch.params) }
    }

    /// Launches a kernel with one pointer a parameter, as `cuLaunchKernel` takes them.
    ///
    /// # Errors
    ///
    /// As for [`launch`](Self::launch).
    ///
    /// # Safety
    ///
    /// As for [`launch`](Self::launch); and there is one pointer a parameter, valid for reads of its parameter's size. All of these
    /// bytes are initialised, also the padding of a struct: backends and layers read them as bytes.
    #[track_caller]
    unsafe fn launch_raw(
        &self,
        kernel: KernelHandle,
        config: &LaunchConfig,
        stream: StreamHandle,
        params: &[*mut c_void],
    ) -> Result<()>;
}
