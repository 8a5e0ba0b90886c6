use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use super::{BackendId, GpuBackend, KernelHandle};
use crate::argument::DevicePtr;
use crate::error::{Error, Result};

const PAGE: usize = 256;
const PAGES: usize = 1024;

type Page = Box<[AtomicU64; PAGE]>;

/// What a backend has worked out once and keeps: resolved kernels and scratch memory.
///
/// Each backend has its own, so two backends of one process never share an entry. A resolved kernel is found through the kernel's own
/// index, without a lock: one of the first 256 of a process with one load, one of the others with three.
#[derive(Debug)]
pub struct OperationCache {
    backend: BackendId,
    /// Here and not behind a pointer: after a launch the driver has left little of this in the caches.
    first: [AtomicU64; PAGE],
    /// The pages after the first.
    pages: Box<[OnceLock<Page>; PAGES]>,
    overflow: Mutex<HashMap<u32, KernelHandle>>,
    resolving: Mutex<()>,
    scratch: Mutex<HashMap<&'static str, Scratch>>,
}

#[derive(Debug, Clone, Copy)]
struct Scratch {
    ptr: DevicePtr,
    bytes: usize,
}

impl OperationCache {
    /// An empty cache of the backend with this id.
    pub fn new(backend: BackendId) -> Self {
        Self {
            backend,
            first: [const { AtomicU64::new(0) }; PAGE],
            pages: Box::new([const { OnceLock::new() }; PAGES]),
            overflow: Mutex::default(),
            resolving: Mutex::default(),
            scratch: Mutex::default(),
        }
    }

    /// The id of the backend whose cache this is.
    #[inline]
    pub fn backend(&self) -> BackendId {
        self.backend
    }

    /// The handle of the kernel with this index, where it is resolved.
    #[inline]
    pub(crate) fn find(&self, index: u32) -> Option<KernelHandle> {
        match self.first.get(index as usize) {
            Some(entry) => KernelHandle::new(entry.load(Ordering::Acquire)),
            None => self.find_behind(index),
        }
    }

    #[inline(never)]
    fn find_behind(&self, index: u32) -> Option<KernelHandle> {
        let (page, entry) = place(index);
        match self.pages.get(page) {
            Some(page) => KernelHandle::new(page.get()?[entry].load(Ordering::Acquire)),
            None => self.find_in_overflow(index),
        }
    }

    // Apart, so that the launch path carries none of it.
    #[cold]
    #[inline(never)]
    fn find_in_overflow(&self, index: u32) -> Option<KernelHandle> {
        lock(&self.overflow).get(&index).copied()
    }

    /// Lets one thread at a time resolve kernels; the others wait here for it.
    pub(crate) fn begin_resolving(&self) -> Resolving<'_> {
        Resolving(lock(&self.resolving))
    }

    /// Keeps the handle that the kernel with this index was resolved to. Failures are not kept: the next call
    /// asks again.
    pub(crate) fn insert(&self, _resolving: &Resolving<'_>, index: u32, handle: KernelHandle) {
        if let Some(entry) = self.first.get(index as usize) {
            entry.store(handle.get(), Ordering::Release);
            return;
        }
        let (page, entry) = place(index);
        match self.pages.get(page) {
            Some(page) => page.get_or_init(|| Box::new([const { AtomicU64::new(0) }; PAGE]))[entry]
                .store(handle.get(), Ordering::Release),
            None => {
                lock(&self.overflow).insert(index, handle);
            }
        }
    }

    /// Device memory of at least `bytes` bytes under `name`, kept for the backend's life and grown when more
    /// is asked for. Its content is whatever the last user left.
    ///
    /// Before it grows, the device is synchronised, since earlier work may still use the smaller piece.
    ///
    /// # Errors
    ///
    /// Where `backend` is not the one whose cache this is, cannot allocate or free, or cannot synchronise
    /// because a stream is capturing. Memory that could not be freed is given up.
    #[track_caller]
    pub fn scratch(&self, backend: &dyn GpuBackend, name: &'static str, bytes: usize) -> Result<DevicePtr> {
        if backend.id() != self.backend {
            return Err(Error::InvalidArgument {
                operation: "scratch",
                what: "the backend".into(),
                found: backend.label().to_string().into(),
                expected: format!("backend {}, whose operation cache this is", self.backend.get()).into(),
            });
        }
        let mut scratch = lock(&self.scratch);
        if let Some(found) = scratch.get(name).filter(|found| found.bytes >= bytes) {
            return Ok(found.ptr);
        }
        if scratch.contains_key(name) {
            backend.synchronize()?;
        }
        // Removed first: what became of memory that could not be freed, nobody knows, so that nobody is given it again.
        if let Some(old) = scratch.remove(name) {
            // SAFETY: the backend allocated it, the device is idle, and the entry is gone.
            unsafe { backend.free(old.ptr) }?;
        }
        let ptr = backend.allocate(bytes.max(1))?;
        scratch.insert(name, Scratch { ptr, bytes });
        Ok(ptr)
    }

    /// Whether scratch memory, which is freed when the backend closes, begins in this allocation. A layer may have handed out
    /// the middle of it.
    pub(crate) fn holds_scratch_in(&self, start: DevicePtr, bytes: usize) -> bool {
        let offset = |scratch: &Scratch| scratch.ptr.address().checked_sub(start.address());
        lock(&self.scratch).values().filter_map(offset).any(|offset| offset < bytes.max(1) as u64)
    }

    /// Forgets all scratch memory and hands it to the caller, who frees it. A backend calls this when it closes.
    pub fn take_scratch(&self) -> Vec<DevicePtr> {
        lock(&self.scratch).drain().map(|(_, scratch)| scratch.ptr).collect()
    }
}

/// The page, among those after the first, and the entry in it.
fn place(index: u32) -> (usize, usize) {
    let index = (index as usize).saturating_sub(PAGE);
    (index / PAGE, index % PAGE)
}

/// Held by the thread that resolves a kernel.
pub(crate) struct Resolving<'a>(#[expect(dead_code, reason = "held, not read")] MutexGuard<'a, ()>);

/// The lock, whether or not a thread panicked with it: every map here is whole between two statements.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_index_has_an_entry_of_its_own() {
        let cache = OperationCache::new(BackendId::next());
        let [page, last] = [PAGE, PAGE * (PAGES + 1)].map(|index| u32::try_from(index).expect("it is small"));
        let indices =
            [0, 1, page - 1, page, page + 1, 2 * page - 1, 2 * page, last - 1, last, last + 1, u32::MAX];
        let handle = |index: u32| KernelHandle::new(u64::from(index) + 1).expect("it is not zero");
        for (known, index) in indices.into_iter().enumerate() {
            for (place, index) in indices.into_iter().enumerate() {
                assert_eq!(cache.find(index), (place < known).then(|| handle(index)), "{index}");
            }
            cache.insert(&cache.begin_resolving(), index, handle(index));
        }
        assert!(indices.iter().all(|index| cache.find(*index) == Some(handle(*index))));
    }
}
