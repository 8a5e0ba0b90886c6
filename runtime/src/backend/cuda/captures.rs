//! Which streams of a context capture, and what is freed once none does.
//!
//! Waiting for a context while one of its streams captures is refused by the driver, which ends the capture as well (CUDA
//! C++ Programming Guide, "Prohibited and Unhandled Operations"). Freeing memory and unloading modules may wait for
//! the context too. Whose stream it is does not matter, so backends that share a context share what is noted here.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, Weak};

use super::deferred::Deferred;
use crate::backend::BackendId;

/// The captures of a context.
#[derive(Default)]
pub(super) struct Captures {
    /// Read by whoever needs that no capture begins, or that none ends; written where one does.
    began: RwLock<Began>,
    deferred: Mutex<Vec<Deferred>>,
}

/// The streams on which a capture began that, as far as is known here, has not ended, and who began it.
type Began = HashMap<u64, BackendId>;

/// While this lives nothing captures in the context, and nothing begins to.
#[must_use]
pub(super) struct Quiet<'a>(#[expect(dead_code, reason = "held, not read")] RwLockReadGuard<'a, Began>);

/// Something captures in the context, and no capture that is noted ends while this lives.
#[must_use]
pub(super) struct Capturing<'a> {
    captures: &'a Captures,
    _began: RwLockReadGuard<'a, Began>,
}

impl Captures {
    /// Those of the context at this address, the same for everybody as long as somebody has them.
    pub(super) fn of(context: u64) -> Arc<Self> {
        static CONTEXTS: Mutex<Vec<(u64, Weak<Captures>)>> = Mutex::new(Vec::new());
        let mut contexts = CONTEXTS.lock().unwrap_or_else(PoisonError::into_inner);
        contexts.retain(|(_, captures)| captures.strong_count() > 0);
        let known = contexts.iter().find(|(address, _)| *address == context);
        if let Some(captures) = known.and_then(|(_, captures)| captures.upgrade()) {
            return captures;
        }
        let captures = Arc::default();
        contexts.push((context, Arc::downgrade(&captures)));
        captures
    }

    /// Begins a capture with `start`, and notes it where that succeeds. Waits for whoever keeps the context quiet.
    pub(super) fn begin<E>(
        &self,
        stream: u64,
        backend: BackendId,
        start: impl FnOnce() -> Result<(), E>,
    ) -> Result<(), E> {
        let mut began = self.write();
        start()?;
        began.insert(stream, backend);
        Ok(())
    }

    /// Who began the capture that is noted of a stream.
    pub(super) fn began_by(&self, stream: u64) -> Option<BackendId> {
        self.read().get(&stream).copied()
    }

    /// Whether one is noted.
    pub(super) fn any(&self) -> bool {
        !self.read().is_empty()
    }

    /// Notes that the capture that `backend` began on `stream` has ended. Whoever calls this then asks for
    /// [quiet](Self::quiet), to free what was deferred.
    pub(super) fn forget(&self, stream: u64, backend: BackendId) {
        let mut began = self.write();
        if began.get(&stream) == Some(&backend) {
            began.remove(&stream);
        }
    }

    /// Forgets the captures of a backend that is gone.
    pub(super) fn forget_all(&self, backend: BackendId) {
        self.write().retain(|_, by| *by != backend);
    }

    /// Keeps the context quiet, where nothing captures. Where a capture is noted, `goes_on` says of its stream whether
    /// that is so: another library may have ended it.
    pub(super) fn quiet(&self, goes_on: impl Fn(u64) -> bool) -> Result<Quiet<'_>, Capturing<'_>> {
        let mut began = self.read();
        if !began.is_empty() {
            drop(began);
            // A stream is noted only while it lives: it is forgotten before it is destroyed, which waits for this lock.
            self.write().retain(|stream, _| goes_on(*stream));
            began = self.read();
        }
        if began.is_empty() { Ok(Quiet(began)) } else { Err(Capturing { captures: self, _began: began }) }
    }

    /// What was deferred until now, to be freed.
    pub(super) fn take_deferred(&self, _: &Quiet<'_>) -> Vec<Deferred> {
        std::mem::take(&mut self.deferred())
    }

    /// Whether `address` lies in device memory that its owner has freed and the driver has not.
    pub(super) fn holds_freed(&self, address: u64) -> bool {
        self.deferred().iter().any(|resource| resource.is_device_memory_at(address))
    }

    // Each is whole between two statements, so a thread that panicked with a lock left it whole.
    fn read(&self) -> RwLockReadGuard<'_, Began> {
        self.began.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Began> {
        self.began.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn deferred(&self) -> MutexGuard<'_, Vec<Deferred>> {
        self.deferred.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Capturing<'_> {
    /// Keeps resources until nothing captures. Since no capture ends before they are kept, whoever ends the last one
    /// finds them.
    pub(super) fn defer(self, resources: impl IntoIterator<Item = Deferred>) {
        self.captures.deferred().extend(resources);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    const GOES_ON: fn(u64) -> bool = |_| true;

    fn begin(captures: &Captures, stream: u64, backend: BackendId) {
        captures.begin(stream, backend, || Ok::<_, ()>(())).expect("nothing refuses");
    }

    fn deferred(captures: &Captures) -> Vec<Deferred> {
        let quiet = captures.quiet(GOES_ON).unwrap_or_else(|_| panic!("something captures"));
        captures.take_deferred(&quiet)
    }

    #[test]
    fn a_context_has_one_list_of_captures_while_somebody_has_it() {
        let [one, other] = [0xC0_0000, 0xC0_1000];
        let captures = Captures::of(one);
        assert!(Arc::ptr_eq(&captures, &Captures::of(one)));
        assert!(!Arc::ptr_eq(&captures, &Captures::of(other)));
        begin(&captures, 1, BackendId::next());
        assert!(Captures::of(one).any() && !Captures::of(other).any());
        drop(captures);
        assert!(!Captures::of(one).any(), "another context has the address");
    }

    #[test]
    fn a_capture_that_does_not_begin_is_not_noted() {
        let captures = Captures::default();
        assert_eq!(captures.begin(1, BackendId::next(), || Err("no")), Err("no"));
        assert!(!captures.any() && captures.began_by(1).is_none());
    }

    #[test]
    fn what_is_deferred_waits_for_the_last_capture() {
        let (captures, [one, other]) = (Captures::default(), [BackendId::next(), BackendId::next()]);
        begin(&captures, 1, one);
        begin(&captures, 2, other);
        captures.quiet(GOES_ON).err().expect("two capture").defer([Deferred::Pinned(7)]);
        captures.forget(1, other);
        assert_eq!(captures.began_by(1), Some(one), "only who began a capture ends it");
        captures.forget(1, one);
        assert!(captures.quiet(GOES_ON).is_err());
        captures.forget_all(other);
        assert_eq!(deferred(&captures), [Deferred::Pinned(7)]);
        assert_eq!(deferred(&captures), []);
    }

    #[test]
    fn a_capture_that_ended_unseen_is_forgotten_when_it_would_be_in_the_way() {
        let (captures, backend) = (Captures::default(), BackendId::next());
        begin(&captures, 1, backend);
        begin(&captures, 2, backend);
        assert!(captures.quiet(|stream| stream == 2).is_err());
        assert_eq!((captures.began_by(1), captures.began_by(2)), (None, Some(backend)));
        assert!(captures.quiet(|_| false).is_ok());
        assert!(!captures.any());
    }

    #[test]
    fn freed_memory_is_known_until_the_driver_has_it() {
        let (captures, backend) = (Captures::default(), BackendId::next());
        begin(&captures, 1, backend);
        let memory = [Deferred::Device { start: 0x1000, bytes: 16 }, Deferred::Pinned(0x2000)];
        captures.quiet(GOES_ON).err().expect("it captures").defer(memory);
        assert!(captures.holds_freed(0x1000) && captures.holds_freed(0x100f));
        assert!(
            !captures.holds_freed(0xfff) && !captures.holds_freed(0x1010) && !captures.holds_freed(0x2000)
        );
        captures.forget(1, backend);
        assert_eq!(deferred(&captures).len(), 2);
        assert!(!captures.holds_freed(0x1000));
    }

    #[test]
    fn no_capture_begins_while_the_context_is_kept_quiet() {
        const ROUNDS: u64 = 2000;
        let (captures, under_way) = (Captures::default(), AtomicUsize::new(0));
        // As freeing does it: at once, or once nothing captures.
        let free = || match captures.quiet(GOES_ON) {
            Ok(quiet) => {
                captures.take_deferred(&quiet);
                std::thread::yield_now();
                assert_eq!(under_way.load(Ordering::SeqCst), 0, "a capture is under way");
            }
            Err(capturing) => capturing.defer([Deferred::Pinned(1)]),
        };
        let capture = |stream, backend| {
            let start = || {
                under_way.fetch_add(1, Ordering::SeqCst);
                Ok::<_, ()>(())
            };
            captures.begin(stream, backend, start).expect("nothing refuses");
            std::thread::yield_now();
            under_way.fetch_sub(1, Ordering::SeqCst);
            captures.forget(stream, backend);
        };
        std::thread::scope(|scope| {
            for stream in 0..2 {
                let (capture, free) = (&capture, &free);
                scope.spawn(move || {
                    let backend = BackendId::next();
                    for _ in 0..ROUNDS {
                        capture(stream, backend);
                        free();
                    }
                });
                scope.spawn(move || (0..ROUNDS).for_each(|_| free()));
            }
        });
    }

    #[test]
    fn what_is_freed_while_the_last_capture_ends_is_not_stranded() {
        let (captures, backend, step) = (Captures::default(), BackendId::next(), Barrier::new(2));
        let mut stranded = 0;
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for _ in 0..2000 {
                    step.wait();
                    if let Err(capturing) = captures.quiet(GOES_ON) {
                        capturing.defer([Deferred::Pinned(1)]);
                    }
                    step.wait();
                }
            });
            for _ in 0..2000 {
                begin(&captures, 1, backend);
                step.wait();
                captures.forget(1, backend);
                deferred(&captures);
                step.wait();
                stranded += std::mem::take(&mut *captures.deferred()).len();
            }
        });
        assert_eq!(stranded, 0, "nobody frees it any more");
    }
}
