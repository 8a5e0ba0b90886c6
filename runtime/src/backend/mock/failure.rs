use std::sync::{Mutex, MutexGuard, PoisonError};

use super::CallKind;

/// The calls that are yet to fail.
#[derive(Default)]
pub(super) struct Failures {
    waiting: Mutex<Vec<Failure>>,
}

struct Failure {
    kind: CallKind,
    /// Which call of the kind was asked for, counted from 1 when it was.
    nth: u64,
    /// How many calls of the kind have come since.
    seen: u64,
}

impl Failures {
    pub(super) fn add(&self, kind: CallKind, nth: u64) {
        if nth > 0 {
            self.lock().push(Failure { kind, nth, seen: 0 });
        }
    }

    pub(super) fn clear(&self) {
        self.lock().clear();
    }

    /// Counts a call of `kind`. Where it is to fail, the number that was asked for.
    pub(super) fn strike(&self, kind: CallKind) -> Option<u64> {
        let mut waiting = self.lock();
        let mut struck = None;
        waiting.retain_mut(|failure| {
            if failure.kind != kind {
                return true;
            }
            failure.seen += 1;
            let comes_now = failure.seen == failure.nth;
            if comes_now {
                struck = Some(failure.nth);
            }
            !comes_now
        });
        struck
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Failure>> {
        // Nothing panics while the list is held.
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
