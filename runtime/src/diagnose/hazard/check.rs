use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::Hazards;
use super::record::{Record, is_settled};
use crate::backend::{GpuBackend, StreamHandle};
use crate::diagnose::{Call, Layer, Outcome};
use crate::error::{Error, Result};

/// The layer that follows the calls of one backend for [`Hazards`].
///
/// It sees what is put around it: put it around the others, or what waits beneath it, such as
/// [`SyncCheck`](crate::diagnose::SyncCheck), passes unseen; around it, waiting after each launch hides all hazards.
///
/// ```
/// use warpcall::Gpu;
/// use warpcall::diagnose::{HazardCheck, Hazards};
///
/// let gpu = Gpu::builder().host().hazards(&Hazards::strict()).open()?;
/// let check = gpu.layer::<HazardCheck>().expect("it was just added");
/// assert!(check.hazards().reports().is_empty());
/// # Ok::<(), warpcall::Error>(())
/// ```
pub struct HazardCheck {
    hazards: Hazards,
    record: Mutex<Record>,
}

impl HazardCheck {
    pub(super) fn new(hazards: Hazards) -> Self {
        Self { hazards, record: Mutex::new(Record::new()) }
    }

    /// Where the hazards are noted.
    pub fn hazards(&self) -> &Hazards {
        &self.hazards
    }

    /// Says that others enqueue on a stream from now on, or order it, past this layer. What is enqueued on it here is compared
    /// with nothing from now on, and counted ([`Hazards::unchecked`]).
    ///
    /// Streams that were not created through the layer are taken to be such. [`Stream::to_cudarc`](crate::Stream) says it by
    /// itself.
    pub fn share_stream(&self, stream: StreamHandle) {
        self.record().share(stream);
    }

    fn record(&self) -> MutexGuard<'_, Record> {
        self.record.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

// SAFETY: memory is left to the backend underneath.
unsafe impl Layer for HazardCheck {
    fn name(&self) -> &'static str {
        "hazard check"
    }

    fn before(&self, call: &Call<'_>) -> Result<()> {
        let verdict = self.record().before(call, &self.hazards.all_allowed(), self.hazards.is_strict());
        if !verdict.unchecked.is_empty() {
            self.hazards.note_unchecked(&verdict.unchecked);
        }
        if verdict.found.is_empty() {
            return Ok(());
        }
        match self.hazards.note(verdict.found) {
            Some(hazard) if verdict.refused => Err(Error::Hazard(Box::new(hazard))),
            _ => Ok(()),
        }
    }

    fn after(&self, call: &Call<'_>, outcome: Outcome<'_>) {
        // The happy path of a launch takes the lock once.
        if !is_settled(call) || matches!(outcome, Outcome::Failed(_)) {
            // Asked while nothing is locked here.
            let goes_on = call.capture_goes_on(outcome);
            self.record().after(call, outcome, goes_on);
        }
    }

    fn close(&self, _inner: &dyn GpuBackend) {
        self.hazards.print_summary();
    }
}

impl fmt::Debug for HazardCheck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("HazardCheck").field(&self.hazards).finish()
    }
}
