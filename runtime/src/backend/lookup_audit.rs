use std::collections::HashMap;
use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::panic::Location;
use std::sync::Mutex;

use crate::error::{Error, Result};
use crate::words::times;

/// The look-ups of kernels and modules that failed on one backend, each once a place in the caller's code.
///
/// An engine can read it after start-up and refuse to run on a target that lacks a kernel it needs.
#[derive(Debug, Default)]
pub struct LookupAudit {
    lookups: Mutex<Lookups>,
}

#[derive(Debug, Default)]
struct Lookups {
    failed: Vec<FailedLookup>,
    /// Where each is in the list, by the hash of what makes it the same: a program may ask for many names.
    places: HashMap<u64, Vec<usize>>,
    hashes: RandomState,
}

/// A look-up that failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailedLookup {
    /// The module that was asked for.
    pub module: String,
    /// The kernel in it; `None` where the module was asked for as such.
    pub kernel: Option<String>,
    /// Where the caller's code asked.
    pub location: &'static Location<'static>,
    /// How often it asked there.
    pub count: u64,
}

impl fmt::Display for FailedLookup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kernel {
            Some(kernel) => write!(f, "kernel `{kernel}` of module `{}`", self.module)?,
            None => write!(f, "module `{}`", self.module)?,
        }
        write!(f, ", asked for at {} ({})", self.location, times(self.count))
    }
}

impl LookupAudit {
    /// Notes a failed look-up. A backend calls this; the location is its caller's.
    #[track_caller]
    pub fn record(&self, module: &str, kernel: Option<&str>) {
        let location = Location::caller();
        let mut lookups = self.lock();
        let Lookups { failed, places, hashes } = &mut *lookups;
        let places = places.entry(hashes.hash_one((location, module, kernel))).or_default();
        let is_same = |place: &&usize| {
            let entry = &failed[**place];
            entry.location == location && entry.module == module && entry.kernel.as_deref() == kernel
        };
        if let Some(place) = places.iter().find(is_same) {
            failed[*place].count += 1;
            return;
        }
        places.push(failed.len());
        failed.push(FailedLookup {
            module: module.into(),
            kernel: kernel.map(Into::into),
            location,
            count: 1,
        });
    }

    /// Refuses to go on where a look-up failed: for the end of a program's start-up, before it serves anything.
    ///
    /// ```
    /// use warpcall::{Gpu, Result};
    ///
    /// /// Looks for what not every target carries.
    /// fn start_up(gpu: &Gpu) -> Result<()> {
    ///     let _ = gpu.find_kernel("attention", "flash_decode_sm90");
    ///     gpu.lookup_audit().check()
    /// }
    ///
    /// let error = start_up(&Gpu::host()?).unwrap_err().to_string();
    /// assert!(error.starts_with("1 look-up failed: kernel `flash_decode_sm90` of module `attention`, asked for at "));
    /// # Ok::<(), warpcall::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::FailedLookups`], which lists all of them, each once with its place.
    pub fn check(&self) -> Result<()> {
        match self.failed() {
            failed if failed.is_empty() => Ok(()),
            failed => Err(Error::FailedLookups { failed }),
        }
    }

    /// All failed look-ups, in the order in which they first failed.
    pub fn failed(&self) -> Vec<FailedLookup> {
        self.lock().failed.clone()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Lookups> {
        // Nothing panics while the list is held, and a list is whole after every push.
        self.lookups.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}
