//! The backend that runs on the host, without a GPU.
//!
//! Its memory is real, bounded, and checked: a stale, foreign or stray device pointer is an error that
//! names it. A launch runs the kernel's host function (`#[host(path)]` in its declaration). Streams, events
//! and graphs order, record and replay as those of a device do.
//!
//! - At once, which is the default: each piece of work is done when it is enqueued.
//! - Delayed ([`HostBuilder::delayed`]): nothing is done before something waits for it, so that a forgotten
//!   synchronisation shows as stale data, every time.
//!
//! What fails while it is done is returned by the call that did it: the launch itself, or the call that waits.

mod address_space;
mod argument;
mod block;
mod borrow;
mod builder;
mod call;
mod capability;
mod capture;
mod gate;
mod kernels;
mod launch;
mod memory;
mod outcome;
mod slice;
mod state;
mod stream;
mod tensor_map;
mod work;

use std::fmt;

pub use builder::HostBuilder;
pub use call::{HostArguments, HostCall, HostFunction};
pub use launch::HostLaunch;
pub use outcome::HostOutcome;
pub use slice::{HostSlice, HostSliceMut};

use self::gate::Gate;
use self::kernels::KernelTable;
use super::{BackendId, DeviceProperties, LookupAudit, OperationCache};
use crate::error::Result;
use crate::launch::Kernel;

/// A backend without a GPU: host memory, and the host functions of the kernels.
///
/// One piece of work is done at a time, whichever thread enqueued it. So a host function that calls this backend gets an
/// error, and one that waits for another thread to call it waits for ever ([`HostFunction`]). Of a launch's attributes, a cooperative
/// launch and clusters hold because a host function stands for all blocks at once; programmatic
/// serialization allows an overlap and asks for none; a priority decides which stream goes first
/// where several have work that is not done, which happens in delayed mode alone.
///
/// ```
/// use warpcall::HostBackend;
/// use warpcall::backend::{CopyMemory, DeviceMemory};
///
/// # fn main() -> warpcall::Result<()> {
/// let backend = HostBackend::new();
/// let memory = backend.allocate(4)?;
/// backend.copy_to_device(memory, &[1, 2, 3, 4])?;
/// assert!(backend.copy_to_device(memory.byte_add(1), &[5; 4]).is_err(), "one byte past the end");
///
/// let mut bytes = [0; 2];
/// backend.copy_to_host(&mut bytes, memory.byte_add(2))?;
/// assert_eq!(bytes, [3, 4]);
/// // SAFETY: nothing uses the memory any more.
/// unsafe { backend.free(memory) }
/// # }
/// ```
pub struct HostBackend {
    id: BackendId,
    properties: DeviceProperties,
    delayed: bool,
    gate: Gate,
    kernels: KernelTable,
    audit: LookupAudit,
    cache: OperationCache,
}

impl HostBackend {
    /// A backend that does each piece of work when it is enqueued.
    pub fn new() -> Self {
        Self::builder().build()
    }

    /// A backend with other properties.
    pub fn builder() -> HostBuilder {
        HostBuilder::new()
    }

    /// Whether work waits until something synchronises with it.
    pub fn is_delayed(&self) -> bool {
        self.delayed
    }

    /// Makes kernels known, so that they are found by module and name before anything launches them. A
    /// [`Gpu`](crate::Gpu) has a method of this name on every backend.
    ///
    /// # Errors
    ///
    /// Where the module of one is known already, with other code.
    pub fn register_kernels(&self, kernels: &[&'static Kernel]) -> Result<()> {
        kernels.iter().try_for_each(|kernel| self.kernels.enter(kernel).map(drop))
    }
}

impl Default for HostBackend {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for HostBackend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HostBackend")
            .field("id", &self.id.get())
            .field("delayed", &self.delayed)
            .finish_non_exhaustive()
    }
}
