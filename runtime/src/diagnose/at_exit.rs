//! What tools have to say of a backend that is still open when the process ends: of a [`Gpu`](crate::Gpu) in a `static`, or one
//! that what leaked keeps open.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, Once, PoisonError, Weak};

use crate::backend::GpuBackend;

/// Says what one tool knows. It asks nothing of the device, which may be gone by then.
pub(super) type Report = Box<dyn Fn() + Send>;

/// What the tools around a backend have to say.
struct Reports {
    backend: Weak<dyn GpuBackend>,
    /// The process that opened it. One that was forked from it has this too, and leaves it to the first.
    process: u32,
    all: Vec<Report>,
}

/// The process that last had something to report.
static PROCESS: AtomicU32 = AtomicU32::new(0);

static REPORTS: Mutex<Vec<Reports>> = Mutex::new(Vec::new());

/// Has `reports` called when the process ends, unless `backend` has been closed by then.
pub(super) fn report_at_exit(backend: &Arc<dyn GpuBackend>, reports: Vec<Report>) {
    static REGISTERED: Once = Once::new();
    if reports.is_empty() {
        return;
    }
    // SAFETY: the function takes nothing, lives as long as the library that registers it, and does not unwind.
    REGISTERED.call_once(|| _ = unsafe { libc::atexit(report_all) });
    let process = std::process::id();
    let mut all = REPORTS.lock().unwrap_or_else(PoisonError::into_inner);
    PROCESS.store(process, Ordering::Relaxed);
    all.retain(|reports| reports.backend.strong_count() > 0);
    all.push(Reports { backend: Arc::downgrade(backend), process, all: reports });
}

extern "C" fn report_all() {
    let process = std::process::id();
    // Before the lock is taken, which a thread of the process that this one was forked from may have held.
    if PROCESS.load(Ordering::Relaxed) != process {
        return;
    }
    let all = std::mem::take(&mut *REPORTS.lock().unwrap_or_else(PoisonError::into_inner));
    let is_to_be_told = |reports: &&Reports| reports.process == process && reports.backend.strong_count() > 0;
    for report in all.iter().filter(is_to_be_told).flat_map(|reports| &reports.all) {
        // One that fails leaves the others their word.
        let _ = catch_unwind(AssertUnwindSafe(report));
    }
}
