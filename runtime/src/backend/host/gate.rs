use std::cell::Cell;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::state::State;
use crate::error::{Error, Result};

/// The lock of a backend. It is held while a host function runs, and so notices when that function calls
/// the backend again, which would otherwise wait for itself.
#[derive(Debug)]
pub(super) struct Gate {
    state: Mutex<State>,
    /// The number of the thread within; zero for none.
    within: AtomicU64,
}

impl Gate {
    pub(super) fn new(state: State) -> Self {
        Self { state: Mutex::new(state), within: AtomicU64::new(0) }
    }

    /// Waits for the lock.
    ///
    /// # Errors
    ///
    /// Where the calling thread holds it already: it is running a host function.
    pub(super) fn enter(&self, operation: &'static str) -> Result<Guard<'_>> {
        let thread = this_thread();
        // Only this thread ever writes its own number, so that what it reads of it is never stale.
        if self.within.load(Ordering::Relaxed) == thread {
            return Err(Error::InvalidArgument {
                operation,
                what: "the calling thread".into(),
                found: "running a kernel's host function on this backend".into(),
                expected: "to be outside of one: a kernel cannot call the device it runs on".into(),
            });
        }
        // A panic while it is held can only come out of the allocator; every structure is whole then.
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        self.within.store(thread, Ordering::Relaxed);
        Ok(Guard { state, within: &self.within })
    }
}

/// The state, held.
pub(super) struct Guard<'a> {
    state: MutexGuard<'a, State>,
    within: &'a AtomicU64,
}

impl Deref for Guard<'_> {
    type Target = State;

    fn deref(&self) -> &State {
        &self.state
    }
}

impl DerefMut for Guard<'_> {
    fn deref_mut(&mut self) -> &mut State {
        &mut self.state
    }
}

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        // Before the lock is given up, which happens after this.
        self.within.store(0, Ordering::Relaxed);
    }
}

/// A number for the calling thread, never zero and never that of another.
fn this_thread() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    thread_local! {
        static THREAD: Cell<u64> = const { Cell::new(0) };
    }
    THREAD.with(|number| {
        if number.get() == 0 {
            number.set(NEXT.fetch_add(1, Ordering::Relaxed));
        }
        number.get()
    })
}
