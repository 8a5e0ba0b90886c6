//! Resources of a context that are freed once nothing captures in it.

use std::ffi::c_void;

use super::CudaBackend;
use super::captures::{Capturing, Quiet};
use super::driver::cu;
use super::handles::pointer;
use super::stream::NOT_CAPTURING;

/// What its owner has given up.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Deferred {
    Device {
        start: u64,
        bytes: usize,
    },
    Pinned(usize),
    /// The address that is the module's handle.
    Module(u64),
}

impl Deferred {
    pub(super) fn is_device_memory_at(&self, address: u64) -> bool {
        matches!(self, Self::Device { start, bytes } if (*start..*start + *bytes as u64).contains(&address))
    }

    /// Whether the driver does not wait by itself for the work that uses it.
    fn must_be_idle(&self) -> bool {
        !matches!(self, Self::Device { .. })
    }
}

impl CudaBackend {
    /// Keeps the context quiet, where nothing captures in it, and frees what was deferred until then. The context is
    /// current.
    pub(super) fn quiet(&self) -> Result<Quiet<'_>, Capturing<'_>> {
        let quiet = self.captures.quiet(|stream| self.goes_on_capturing(stream))?;
        self.free_resources(&quiet, self.captures.take_deferred(&quiet));
        Ok(quiet)
    }

    /// Frees resources that nobody but work that is enqueued uses, at once or when nothing captures any more. The context is
    /// current.
    pub(super) fn dispose(&self, resources: Vec<Deferred>) {
        match self.quiet() {
            Ok(quiet) => self.free_resources(&quiet, resources),
            Err(capturing) => capturing.defer(resources),
        }
    }

    /// Frees resources of this backend, or of another of its context, which nobody but work that is enqueued uses. The
    /// context is current.
    fn free_resources(&self, _: &Quiet<'_>, resources: Vec<Deferred>) {
        let driver = self.context.driver;
        // Whoever gave the resources up has long been told that they are freed. A refusal, here and below, is that of a
        // context that faulted, which executes nothing more and says so to every other call.
        if resources.iter().any(Deferred::must_be_idle) {
            let _ = self.synchronize_context();
        }
        for resource in resources {
            let _ = match resource {
                // SAFETY: the owner gave the memory up, and it left the table then. The driver waits for work that uses it.
                Deferred::Device { start, .. } => unsafe { cu!(driver, cuMemFree(start)) },
                // SAFETY: as above, and nothing is enqueued any more.
                Deferred::Pinned(start) => unsafe { cu!(driver, cuMemFreeHost(start as *mut c_void)) },
                // SAFETY: the module was taken out of its entry, and nothing is enqueued any more.
                Deferred::Module(raw) => unsafe { cu!(driver, cuModuleUnload(pointer(raw))) },
            };
        }
    }

    /// Whether a stream that is noted as capturing does so. Where the driver does not answer, the context faulted, and with it
    /// every capture.
    fn goes_on_capturing(&self, stream: u64) -> bool {
        let mut status = NOT_CAPTURING;
        // SAFETY: the number outlives the call, and a stream that is noted lives.
        let asked =
            unsafe { cu!(self.context.driver, cuStreamIsCapturing(pointer(stream), &raw mut status)) };
        asked.is_ok() && status != NOT_CAPTURING
    }
}
