//! Opening a device.

use std::ffi::c_int;
use std::path::PathBuf;
use std::sync::Arc;

use super::captures::Captures;
use super::compile::NvrtcSettings;
use super::context::Context;
use super::driver::{Driver, cu};
use super::function::Kernels;
use super::handles::Handles;
use super::memory::Allocations;
use super::module::Modules;
use super::pinned::PinnedAllocations;
use super::staging::Staging;
use super::{CudaBackend, properties};
use crate::backend::{BackendId, LookupAudit, OperationCache};
use crate::error::{Error, Result};

impl CudaBackend {
    /// Opens the device with this number, as the driver counts.
    ///
    /// # Errors
    ///
    /// [`Error::NoDevice`] where there is no driver or no such device, and [`Error::NotUsable`] where the driver is older than
    /// CUDA 11.4 or does not work; the error says which, and what to do.
    pub fn open(ordinal: usize) -> Result<Arc<Self>> {
        Self::builder(ordinal).open()
    }

    /// The settings with which the device `ordinal` is to be opened.
    pub fn builder(ordinal: usize) -> CudaBackendBuilder {
        CudaBackendBuilder { ordinal, nvrtc: NvrtcSettings::default() }
    }

    /// How many CUDA devices there are.
    ///
    /// # Errors
    ///
    /// As for [`open`](Self::open); where there is no device at all, that is an error, too.
    pub fn device_count() -> Result<usize> {
        at_least(1, count(driver(0)?)?)
    }
}

/// The settings with which a [`CudaBackend`] is opened.
///
/// ```no_run
/// use warpcall::CudaBackend;
///
/// let backend = CudaBackend::builder(0)
///     .include_dir("cuda/include")
///     .compiler_option("--use_fast_math")
///     .open()?;
/// # Ok::<(), warpcall::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use = "nothing is opened before `open` is called"]
pub struct CudaBackendBuilder {
    pub(super) ordinal: usize,
    nvrtc: NvrtcSettings,
}

impl CudaBackendBuilder {
    /// A folder in which NVRTC looks for headers.
    pub fn include_dir(mut self, path: impl Into<PathBuf>) -> Self {
        self.nvrtc.include_dirs.push(path.into());
        self
    }

    /// An option for NVRTC. One that has a value in an argument of its own is given as two. With a `--gpu-architecture` or an
    /// `-arch` among them, code is not compiled for the device at hand.
    pub fn compiler_option(mut self, option: impl Into<String>) -> Self {
        self.nvrtc.options.push(option.into());
        self
    }

    /// The file that NVRTC is loaded from. Without it, `WARPCALL_NVRTC` names the file, or the loader's usual places
    /// and the toolkit at `CUDA_PATH` or `CUDA_HOME` are searched.
    pub fn nvrtc(mut self, path: impl Into<PathBuf>) -> Self {
        self.nvrtc.library = Some(path.into());
        self
    }

    /// Opens the device.
    ///
    /// # Errors
    ///
    /// As for [`CudaBackend::open`].
    pub fn open(self) -> Result<Arc<CudaBackend>> {
        let driver = driver(self.ordinal)?;
        at_least(self.ordinal.saturating_add(1), count(driver)?)?;
        let id = BackendId::next();
        let mut device = 0;
        let ordinal = c_int::try_from(self.ordinal).unwrap_or(c_int::MAX);
        // SAFETY: the number outlives the call.
        unsafe { cu!(driver, cuDeviceGet(&raw mut device, ordinal)) }?;
        self.open_on(Context::primary(driver, device, id)?, id)
    }

    /// Opens the device in a context that exists.
    pub(super) fn open_on(self, context: Context, id: BackendId) -> Result<Arc<CudaBackend>> {
        context.bind()?;
        let (properties, features) = properties::ask(context.driver, context.device)?;
        let (mut baseline_free, mut total) = (0, 0);
        // SAFETY: the numbers outlive the call, and the context is current.
        unsafe { cu!(context.driver, cuMemGetInfo(&raw mut baseline_free, &raw mut total)) }?;
        Ok(Arc::new(CudaBackend {
            kernels: Kernels::default(),
            modules: Modules::default(),
            memory: Allocations::default(),
            pinned: PinnedAllocations::default(),
            staging: Staging::default(),
            handles: Handles::new(id),
            captures: Captures::of(context.number()),
            cache: OperationCache::new(id),
            audit: LookupAudit::default(),
            nvrtc: self.nvrtc,
            properties,
            features,
            baseline_free,
            ordinal: self.ordinal,
            id,
            context,
        }))
    }
}

/// The driver, for whoever wants the device `ordinal`.
pub(super) fn driver(ordinal: usize) -> Result<&'static Driver> {
    Driver::get().map_err(|no| no.error(name(ordinal)))
}

fn count(driver: &Driver) -> Result<usize> {
    let mut count = 0;
    // SAFETY: the number outlives the call.
    unsafe { cu!(driver, cuDeviceGetCount(&raw mut count)) }?;
    Ok(usize::try_from(count).unwrap_or(0))
}

/// `count`, where that is as many devices as are needed.
fn at_least(needed: usize, count: usize) -> Result<usize> {
    if count >= needed {
        return Ok(count);
    }
    let known = match count {
        0 => "no device".to_owned(),
        1 => "1 device, number 0".to_owned(),
        _ => format!("{count} devices, numbered from 0"),
    };
    let reason = format!("the driver knows {known}; check `nvidia-smi` and CUDA_VISIBLE_DEVICES");
    Err(Error::NoDevice { device: name(needed - 1), reason: reason.into() })
}

fn name(ordinal: usize) -> Box<str> {
    format!("CUDA device {ordinal}").into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_that_is_not_there_is_named_with_those_that_are() {
        assert_eq!(at_least(1, 1).expect("there is one"), 1);
        assert_eq!(at_least(2, 8).expect("there are eight"), 8);
        for (needed, count, words) in [
            (1, 0, "no CUDA device 0: the driver knows no device; "),
            (2, 1, "no CUDA device 1: the driver knows 1 device, number 0; "),
            (3, 2, "no CUDA device 2: the driver knows 2 devices, numbered from 0; "),
        ] {
            let error = at_least(needed, count).expect_err("there are fewer").to_string();
            assert!(error.starts_with(words), "{error}");
        }
    }
}
