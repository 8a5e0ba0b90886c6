//! The device's context, current on each thread that uses it.

use std::cell::Cell;
use std::ffi::c_int;
#[cfg(feature = "cudarc-interop")]
use std::sync::{Arc, OnceLock};

#[cfg(feature = "cudarc-interop")]
use cudarc::driver::CudaContext;
use cudarc::driver::sys::CUcontext;

use super::driver::{Driver, cu};
use super::handles::address;
use crate::backend::BackendId;
use crate::error::Result;

thread_local! {
    /// The backend that last made its context current on this thread; 0 for none.
    static BOUND: Cell<u32> = const { Cell::new(0) };
}

/// A context, kept alive.
pub(super) struct Context {
    pub(super) driver: &'static Driver,
    pub(super) device: c_int,
    raw: CUcontext,
    backend: BackendId,
    /// Whether this is the primary context, retained here.
    is_retained: bool,
    /// cudarc's view of it, once there is one; what keeps a context alive that is not retained.
    #[cfg(feature = "cudarc-interop")]
    cudarc: OnceLock<Arc<CudaContext>>,
}

// SAFETY: a context may be used by any thread that makes it current, and by several at once.
unsafe impl Send for Context {}
// SAFETY: as above.
unsafe impl Sync for Context {}

impl Context {
    /// The primary context of a device.
    pub(super) fn primary(driver: &'static Driver, device: c_int, backend: BackendId) -> Result<Self> {
        let mut raw = std::ptr::null_mut();
        // SAFETY: the handle outlives the call, and `device` is one the driver returned.
        unsafe { cu!(driver, cuDevicePrimaryCtxRetain(&raw mut raw, device)) }?;
        Ok(Self {
            driver,
            device,
            raw,
            backend,
            is_retained: true,
            #[cfg(feature = "cudarc-interop")]
            cudarc: OnceLock::new(),
        })
    }

    /// A context of cudarc's, which this keeps alive.
    #[cfg(feature = "cudarc-interop")]
    pub(super) fn of_cudarc(driver: &'static Driver, context: Arc<CudaContext>, backend: BackendId) -> Self {
        let (device, raw) = (context.cu_device(), context.cu_ctx());
        Self { driver, device, raw, backend, is_retained: false, cudarc: context.into() }
    }

    /// What tells this context apart from every other that lives.
    pub(super) fn number(&self) -> u64 {
        address(self.raw)
    }

    /// Whether this is the context `raw`.
    #[cfg(feature = "cudarc-interop")]
    pub(super) fn is(&self, raw: CUcontext) -> bool {
        self.raw == raw
    }

    /// cudarc's view of the context: always the same one, which `make` makes where there is none yet.
    #[cfg(feature = "cudarc-interop")]
    pub(super) fn cudarc(&self, make: impl FnOnce() -> Result<Arc<CudaContext>>) -> Result<Arc<CudaContext>> {
        match self.cudarc.get() {
            Some(context) => Ok(Arc::clone(context)),
            None => make().map(|made| Arc::clone(self.cudarc.get_or_init(|| made))),
        }
    }

    /// Makes the context current on this thread, whatever else was.
    pub(super) fn bind(&self) -> Result<()> {
        if BOUND.get() == self.backend.get() && self.is_current() { Ok(()) } else { self.set_current() }
    }

    /// As [`bind`](Self::bind), without asking the driver where this backend was the last to bind on this thread. Where
    /// another library has bound its own context meanwhile, the driver refuses the launch, and
    /// [`rebind`](Self::rebind) finds out.
    #[inline]
    pub(super) fn bind_for_launch(&self) -> Result<()> {
        if BOUND.get() == self.backend.get() { Ok(()) } else { self.set_current() }
    }

    /// After a refused call: makes the context current if it was not. True where it was not, so that the call is
    /// worth repeating.
    #[cold]
    #[inline(never)]
    pub(super) fn rebind(&self) -> bool {
        !self.is_current() && self.set_current().is_ok()
    }

    fn is_current(&self) -> bool {
        let mut current = std::ptr::null_mut();
        // SAFETY: the handle outlives the call.
        let asked = unsafe { cu!(self.driver, cuCtxGetCurrent(&raw mut current)) };
        asked.is_ok() && current == self.raw
    }

    #[cold]
    #[inline(never)]
    fn set_current(&self) -> Result<()> {
        // SAFETY: the context lives as long as this.
        unsafe { cu!(self.driver, cuCtxSetCurrent(self.raw)) }?;
        BOUND.set(self.backend.get());
        Ok(())
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        if self.is_retained {
            // SAFETY: retained once, by `primary`, and released once. There is nobody to report a refusal to.
            let _ = unsafe { cu!(self.driver, cuDevicePrimaryCtxRelease(self.device)) };
        }
    }
}
