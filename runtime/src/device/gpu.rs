use std::fmt;
use std::ops::Deref;
use std::ptr::NonNull;
use std::sync::Arc;

use bytemuck::Pod;

use super::failed_drop::FailedDrops;
use super::{Buffer, Event, FailedDrop, GpuBuilder, PinnedBuffer, Stream, StreamRef};
use crate::backend::{BackendId, GpuBackend, OperationCache, StreamHandle};
use crate::error::{Error, Result};

/// A device, ready to use: a backend that is open. Clones share it.
///
/// Everything that is created on it holds a clone, so the backend closes when the last of them is gone. It
/// dereferences to [`dyn GpuBackend`](GpuBackend), with all that a backend can do.
///
/// ```
/// use warpcall::Gpu;
///
/// let gpu = Gpu::host()?;
/// let stream = gpu.create_stream()?;
/// let squares = gpu.upload(&[1_u32, 4, 9])?;
/// assert_eq!(squares.to_vec(&stream)?, [1, 4, 9]);
/// assert_eq!(gpu.kind(), "host");
/// # Ok::<(), warpcall::Error>(())
/// ```
#[derive(Clone)]
pub struct Gpu {
    backend: Arc<dyn GpuBackend>,
    // Compared at every launch and copy; asking the backend would be a call through `dyn` each time.
    id: BackendId,
    /// For the same reason.
    cache: CacheOf,
    failed_drops: Arc<FailedDrops>,
}

/// The operation cache of the backend that stands beside it.
#[derive(Clone, Copy)]
struct CacheOf(NonNull<OperationCache>);

// SAFETY: it is a shared reference, of what threads share.
unsafe impl Send for CacheOf {}
// SAFETY: as above.
unsafe impl Sync for CacheOf {}

impl Gpu {
    /// A stream of this backend, as a launch takes it.
    #[inline]
    pub(super) fn stream_ref(&self, handle: StreamHandle) -> StreamRef<'_> {
        // SAFETY: a shared borrow of the backend, which `self` keeps where it is, lent the cache; `self` is borrowed meanwhile.
        let cache = unsafe { self.cache.0.as_ref() };
        StreamRef::with_cache(&*self.backend, cache, handle)
    }

    /// CUDA device 0 if there is one, else the host backend.
    ///
    /// [`kind`](crate::backend::DeviceInfo::kind) and [`label`](crate::backend::DeviceInfo::label) tell what was opened.
    /// It suits examples, tests and laptops; a program that needs a certain device names it.
    ///
    /// ```
    /// let gpu = warpcall::Gpu::open()?;
    /// println!("running on {}", gpu.label());
    /// # Ok::<(), warpcall::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Where there is a device and it cannot be opened, or the host backend cannot. A driver that does not work, or is too
    /// old, is no reason to take the host: [`Error::NotUsable`].
    pub fn open() -> Result<Self> {
        Self::builder().available().open()
    }

    /// The CUDA device with this number, as the driver counts. Never falls back to anything else.
    ///
    /// # Errors
    ///
    /// Where there is no driver or no such device, or the driver does not work; the error says which, and what to do.
    #[cfg(feature = "cuda")]
    pub fn cuda(ordinal: usize) -> Result<Self> {
        Self::builder().cuda(ordinal).open()
    }

    /// The host backend, which executes each operation when it is enqueued.
    ///
    /// # Errors
    ///
    /// Where the host backend cannot be opened.
    pub fn host() -> Result<Self> {
        Self::builder().host().open()
    }

    /// Chooses the backend step by step.
    pub fn builder() -> GpuBuilder {
        GpuBuilder::default()
    }

    /// A device on a backend that is open already.
    pub fn from_backend(backend: Arc<dyn GpuBackend>) -> Self {
        let cache = CacheOf(NonNull::from(backend.operation_cache()));
        Self { id: backend.id(), cache, backend, failed_drops: Arc::default() }
    }

    /// The backend.
    pub fn backend(&self) -> &Arc<dyn GpuBackend> {
        &self.backend
    }

    /// The backend's id.
    #[inline]
    pub fn id(&self) -> BackendId {
        self.id
    }

    /// Creates a stream with the device's default priority.
    ///
    /// # Errors
    ///
    /// Where the backend refuses.
    #[track_caller]
    pub fn create_stream(&self) -> Result<Stream> {
        Ok(Stream::created(self.clone(), self.backend.create_stream(None)?))
    }

    /// Creates a stream; lower priorities go first.
    ///
    /// ```
    /// let gpu = warpcall::Gpu::host()?;
    /// let urgent = gpu.create_stream_with_priority(-1)?; // a device refuses what it does not have, and says what it has
    /// urgent.synchronize()?;
    /// # Ok::<(), warpcall::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Where the backend refuses.
    #[track_caller]
    pub fn create_stream_with_priority(&self, priority: i32) -> Result<Stream> {
        Ok(Stream::created(self.clone(), self.backend.create_stream(Some(priority))?))
    }

    /// The default stream, which is always there. Dropping the value destroys nothing.
    pub fn default_stream(&self) -> Stream {
        Stream::default_of(self.clone())
    }

    /// Creates an event that orders and is waited for.
    ///
    /// # Errors
    ///
    /// Where the backend refuses.
    #[track_caller]
    pub fn create_event(&self) -> Result<Event> {
        Ok(Event::created(self.clone(), self.backend.create_event(false)?))
    }

    /// Creates an event that time can be taken with too.
    ///
    /// # Errors
    ///
    /// Where the backend refuses.
    #[track_caller]
    pub fn create_timing_event(&self) -> Result<Event> {
        Ok(Event::created(self.clone(), self.backend.create_event(true)?))
    }

    /// Device memory that holds a copy of `elements`. The copy is done when this returns.
    ///
    /// # Errors
    ///
    /// Where there is not enough memory, or the backend refuses the copy.
    #[track_caller]
    pub fn upload<T: Pod>(&self, elements: &[T]) -> Result<Buffer<T>> {
        let buffer = Buffer::allocate(self, elements.len())?;
        if !buffer.is_allocated() {
            return Ok(buffer);
        }
        self.backend.copy_to_device(buffer.device_ptr(), bytemuck::cast_slice(elements))?;
        Ok(buffer)
    }

    /// Device memory of `len` elements, every byte zero. It is zero when this returns.
    ///
    /// # Errors
    ///
    /// Where there is not enough memory, the size of the elements passes the largest size there is, or
    /// the backend refuses the memset.
    #[track_caller]
    pub fn zeros<T: Pod>(&self, len: usize) -> Result<Buffer<T>> {
        Buffer::allocate(self, len)?.zeroed()
    }

    /// Device memory of `len` elements, content undefined.
    ///
    /// # Errors
    ///
    /// Where there is not enough memory, or the size of the elements passes the largest size there is.
    ///
    /// # Safety
    ///
    /// Nothing reads an element before something has written it: until then it may be what another
    /// program left there.
    #[track_caller]
    pub unsafe fn uninit<T: Pod>(&self, len: usize) -> Result<Buffer<T>> {
        Buffer::allocate(self, len)
    }

    /// Managed memory of `len` elements, which host and device reach at the same address, every byte zero.
    ///
    /// ```
    /// let gpu = warpcall::Gpu::host()?;
    /// let counters = gpu.managed::<u32>(4)?;
    /// assert_eq!(counters.to_vec(&gpu.create_stream()?)?, [0; 4]);
    /// # Ok::<(), warpcall::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`zeros`](Self::zeros), and where the backend has no managed memory.
    #[track_caller]
    pub fn managed<T: Pod>(&self, len: usize) -> Result<Buffer<T>> {
        Buffer::allocate_managed(self, len)?.zeroed()
    }

    /// Pinned host memory of `len` elements, every byte zero.
    ///
    /// # Errors
    ///
    /// Where there is not enough memory, the size of the elements passes the largest size there is, or the
    /// backend has no pinned memory.
    #[track_caller]
    pub fn pinned<T: Pod>(&self, len: usize) -> Result<PinnedBuffer<T>> {
        PinnedBuffer::allocate(self, len)
    }

    /// How many buffers, streams and the like could not be freed when they were dropped.
    ///
    /// Counts those of this value, its clones, and what was created on them.
    ///
    /// ```
    /// let gpu = warpcall::Gpu::host()?;
    /// drop(gpu.upload(&[1_u8, 2, 3])?);
    /// assert_eq!(gpu.failed_drop_count(), 0);
    /// # Ok::<(), warpcall::Error>(())
    /// ```
    pub fn failed_drop_count(&self) -> u64 {
        self.failed_drops.count()
    }

    /// The drops that failed, in their order, and why: the first 64 since they were last taken.
    pub fn take_failed_drops(&self) -> Vec<FailedDrop> {
        self.failed_drops.take()
    }

    /// Notes that a drop failed.
    #[cold]
    pub(super) fn note_failed_drop(&self, what: &'static str, handle: u64, error: Error) {
        self.failed_drops.note(what, handle, error);
    }

    /// The handle of a stream that must be one of this backend.
    #[inline]
    #[track_caller]
    pub(super) fn own_stream(&self, operation: &'static str, stream: StreamRef<'_>) -> Result<StreamHandle> {
        if stream.backend_id() == self.id {
            Ok(stream.handle())
        } else {
            Err(Error::ForeignStream {
                operation,
                stream: stream.backend().label(),
                backend: self.backend.label(),
            })
        }
    }
}

impl Deref for Gpu {
    type Target = dyn GpuBackend;

    #[inline]
    fn deref(&self) -> &Self::Target {
        &*self.backend
    }
}

impl fmt::Debug for Gpu {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Gpu({})", self.backend.label())
    }
}
