//! The device's context, current on each thread that uses it.

use std::any::Any;
use std::cell::Cell;
use std::ffi::c_int;

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
    /// What keeps a context alive that somebody else made; `None` for the primary context, retained here.
    #[cfg_attr(not(feature = "cudarc-interop"), expect(dead_code, reason = "it is kept, not read"))]
    owner: Option<Box<dyn Any + Send + Sync>>,
    is_retained: bool,
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
        Ok(Self { driver, device, raw, backend, owner: None, is_retained: true })
    }

    /// A context that `owner` keeps alive.
    #[cfg(feature = "cudarc-interop")]
    pub(super) fn borrowed(
        driver: &'static Driver,
        device: c_int,
        raw: CUcontext,
        backend: BackendId,
        owner: Box<dyn Any + Send + Sync>,
    ) -> Self {
        Self { driver, device, raw, backend, owner: Some(owner), is_retained: false }
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

    /// What keeps the context alive, where that is an `O`.
    #[cfg(feature = "cudarc-interop")]
    pub(super) fn owner<O: 'static>(&self) -> Option<&O> {
        self.owner.as_ref()?.downcast_ref()
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
