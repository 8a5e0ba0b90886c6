//! A table of what lives, in which whoever uses an entry keeps it alive.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::Duration;

/// The live things of one kind, by the number of their handle.
///
/// Its lock is held while something is looked up and never while it is used. An entry that is taken out while
/// another thread uses it ends when that thread has done so.
pub(super) struct Live<T>(RwLock<Entries<T>>);

type Entries<T> = HashMap<u64, Arc<T>, BuildHasherDefault<HandleHasher>>;

impl<T> Default for Live<T> {
    fn default() -> Self {
        Self(RwLock::default())
    }
}

impl<T> Live<T> {
    pub(super) fn insert(&self, handle: u64, entry: T) {
        self.write().insert(handle, Arc::new(entry));
    }

    /// The entry, to be held while it is used.
    pub(super) fn get(&self, handle: u64) -> Option<Arc<T>> {
        self.read().get(&handle).map(Arc::clone)
    }

    /// What `look` finds of the entry, for a caller who answers for it not being taken out meanwhile.
    pub(super) fn look<R>(&self, handle: u64, look: impl FnOnce(&T) -> R) -> Option<R> {
        self.read().get(&handle).map(|entry| look(entry))
    }

    /// Takes an entry out: no look-up finds it from now on.
    pub(super) fn remove(&self, handle: u64) -> Option<Arc<T>> {
        self.write().remove(&handle)
    }

    pub(super) fn all(&self) -> Vec<Arc<T>> {
        self.read().values().map(Arc::clone).collect()
    }

    pub(super) fn take_all(&self) -> Vec<Arc<T>> {
        self.write().drain().map(|(_, entry)| entry).collect()
    }

    // The map is whole between two statements, so a thread that panicked with the lock left it whole.
    fn read(&self) -> RwLockReadGuard<'_, Entries<T>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Entries<T>> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Waits until nobody else uses an entry that was taken out.
pub(super) fn wait_for_users<T>(mut entry: Arc<T>) -> T {
    loop {
        match Arc::try_unwrap(entry) {
            Ok(entry) => return entry,
            Err(used) => entry = used,
        }
        // Rare, and as long as a call of the driver.
        std::thread::sleep(Duration::from_micros(20));
    }
}

/// For numbers that nobody chooses to collide: addresses, and what was counted.
#[derive(Default)]
struct HandleHasher(u64);

impl Hasher for HandleHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    fn write_u64(&mut self, number: u64) {
        // The odd number nearest to 2^64 divided by the golden ratio; the upper half of the product is mixed best.
        let product = (self.0 ^ number).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.0 = product ^ (product >> 32);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    /// Counts itself while it lives.
    struct Counted<'a>(&'a AtomicUsize);

    impl<'a> Counted<'a> {
        fn new(alive: &'a AtomicUsize) -> Self {
            alive.fetch_add(1, Ordering::SeqCst);
            Self(alive)
        }
    }

    impl Drop for Counted<'_> {
        fn drop(&mut self) {
            self.0.fetch_sub(1, Ordering::SeqCst);
        }
    }

    #[test]
    fn what_is_taken_out_while_it_is_used_ends_with_its_last_use() {
        let alive = AtomicUsize::new(0);
        let live = Live::default();
        live.insert(7, Counted::new(&alive));
        let used = live.get(7).expect("it was inserted");
        let taken = live.remove(7).expect("it was inserted");
        assert!(Arc::into_inner(taken).is_none(), "somebody uses it");
        assert!(live.get(7).is_none() && live.remove(7).is_none());
        assert_eq!(alive.load(Ordering::SeqCst), 1);
        drop(used);
        assert_eq!(alive.load(Ordering::SeqCst), 0);
    }

    #[test]
    fn an_entry_that_is_used_does_not_hold_others_up() {
        let alive = AtomicUsize::new(0);
        let live = Live::default();
        live.insert(1, Counted::new(&alive));
        let used = live.get(1).expect("it was inserted");
        // Each of these waits for the lock.
        live.insert(2, Counted::new(&alive));
        drop(live.remove(1));
        assert_eq!((live.all().len(), alive.load(Ordering::SeqCst)), (1, 2));
        drop(used);
        assert_eq!(live.take_all().len(), 1);
        assert_eq!(alive.load(Ordering::SeqCst), 0);
    }

    #[test]
    fn waiting_for_the_users_ends_with_the_last() {
        let done = AtomicUsize::new(0);
        let live = Live::default();
        live.insert(1, ());
        let used = live.get(1).expect("it was inserted");
        std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(Duration::from_millis(20));
                done.store(1, Ordering::SeqCst);
                drop(used);
            });
            wait_for_users(live.remove(1).expect("it was inserted"));
            assert_eq!(done.load(Ordering::SeqCst), 1);
        });
    }

    #[test]
    fn addresses_and_counted_numbers_spread() {
        for numbers in [1_u64..1 << 10, 1 << 32..(1 << 32) + (1 << 10)] {
            for step in [1, 16, 256, 4096] {
                let low: std::collections::HashSet<u64> = numbers
                    .clone()
                    .map(|number| {
                        let mut hasher = HandleHasher::default();
                        hasher.write_u64(number * step);
                        hasher.finish() & 0x3ff
                    })
                    .collect();
                assert!(low.len() > 512, "{} of 1024 places are used", low.len());
            }
        }
    }
}
