//! What tools have to say of a backend that is still open when the process ends: of a [`Gpu`](crate::Gpu) in a `static`, or one
//! that what leaked keeps open.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, Once, PoisonError, Weak};

use crate::backend::GpuBackend;

/// Says what one tool knows. It asks nothing of the device, which may be gone by then.
pub(super) type Report = Box<dyn Fn() + Send>;

/// A backend whose tools report, and what these have to say.
type Reports = (Weak<dyn GpuBackend>, Vec<Report>);

static REPORTS: Mutex<Vec<Reports>> = Mutex::new(Vec::new());

/// Has `reports` called when the process ends, unless `backend` has been closed by then.
pub(super) fn report_at_exit(backend: &Arc<dyn GpuBackend>, reports: Vec<Report>) {
    static REGISTERED: Once = Once::new();
    if reports.is_empty() {
        return;
    }
    // SAFETY: the function takes nothing, lives as long as the library that registers it, and does not unwind.
    REGISTERED.call_once(|| _ = unsafe { libc::atexit(report_all) });
    let mut all = REPORTS.lock().unwrap_or_else(PoisonError::into_inner);
    all.retain(|(backend, _)| backend.strong_count() > 0);
    all.push((Arc::downgrade(backend), reports));
}

extern "C" fn report_all() {
    let all = std::mem::take(&mut *REPORTS.lock().unwrap_or_else(PoisonError::into_inner));
    let open = all.iter().filter(|(backend, _)| backend.strong_count() > 0);
    for report in open.flat_map(|(_, reports)| reports) {
        // One that fails leaves the others their word.
        let _ = catch_unwind(AssertUnwindSafe(report));
    }
}
