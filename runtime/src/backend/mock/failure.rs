use super::CallKind;

/// The calls that are yet to fail.
#[derive(Default)]
pub(super) struct Failures {
    waiting: Vec<Failure>,
}

struct Failure {
    kind: CallKind,
    /// Which call of the kind was asked for, counted from 1 when it was.
    nth: u64,
    /// How many calls of the kind have come since.
    seen: u64,
}

impl Failures {
    pub(super) fn add(&mut self, kind: CallKind, nth: u64) {
        if nth > 0 {
            self.waiting.push(Failure { kind, nth, seen: 0 });
        }
    }

    pub(super) fn clear(&mut self) {
        self.waiting.clear();
    }

    /// Counts a call of `kind`. Where it is to fail, the number that was asked for.
    pub(super) fn strike(&mut self, kind: CallKind) -> Option<u64> {
        let mut struck = None;
        self.waiting.retain_mut(|failure| {
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
}
