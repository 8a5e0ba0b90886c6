use std::fmt;
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;

use bytemuck::Pod;

use super::failed_drop::{Release, release_dropped};
use super::{Gpu, extent};
use crate::argument::DevicePtr;
use crate::error::Result;

/// Pinned host memory of a fixed number of elements, owned: freed when it is dropped.
///
/// It is a slice to Rust. To a device it is memory that stays where it is: copies need no staging, and a
/// kernel reaches it at its [`device_ptr`](Self::device_ptr). A copy that outlives its call is
/// `unsafe`, and so is a launch with a raw pointer: their callers answer for leaving the slice alone
/// meanwhile.
///
/// Dropping waits for work that is enqueued. Should freeing fail, the [`Gpu`] notes it;
/// [`free`](Self::free) returns the error instead.
///
/// ```
/// use warpcall::Gpu;
///
/// let gpu = Gpu::host()?;
/// let stream = gpu.create_stream()?;
/// let mut staging = gpu.pinned::<u16>(3)?;
/// assert_eq!(*staging, [0, 0, 0]);
/// staging[1] = 5;
///
/// let mut values = gpu.zeros::<u16>(3)?;
/// values.copy_from_host(&stream, &staging)?;
/// staging[1] = 6; // the copy has read what it needs
/// assert_eq!(values.to_vec(&stream)?, [0, 5, 0]);
/// # Ok::<(), warpcall::Error>(())
/// ```
pub struct PinnedBuffer<T: Pod> {
    gpu: Gpu,
    ptr: NonNull<T>,
    len: usize,
    /// Whether there is memory behind `ptr` that is still to be freed.
    live: bool,
}

// SAFETY: the buffer owns its elements, as a `Vec` does, and a backend is used from every thread.
unsafe impl<T: Pod + Send> Send for PinnedBuffer<T> {}

// SAFETY: as above; shared access only reads.
unsafe impl<T: Pod + Sync> Sync for PinnedBuffer<T> {}

impl<T: Pod> PinnedBuffer<T> {
    #[track_caller]
    pub(super) fn allocate(gpu: &Gpu, len: usize) -> Result<Self> {
        let (ptr, live) = match extent::pinned_bytes::<T>("allocate pinned memory", len)? {
            0 => (NonNull::dangling(), false),
            bytes => (gpu.allocate_pinned(bytes)?.cast(), true),
        };
        Ok(Self { gpu: gpu.clone(), ptr, len, live })
    }

    /// The device that reaches the memory.
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// The size of all elements in bytes.
    pub fn bytes(&self) -> usize {
        size_of_val(&**self)
    }

    /// The address at which a kernel reaches the first element; the null pointer where there are no bytes.
    ///
    /// It is for launches, which are `unsafe`. Copies and fills refuse it
    /// ([`MemoryProblem::Pinned`](crate::MemoryProblem::Pinned)): they go through the slice.
    ///
    /// ```
    /// use warpcall::backend::Fill;
    /// use warpcall::{Error, Gpu, MemoryProblem};
    ///
    /// let gpu = Gpu::host()?;
    /// let staging = gpu.pinned::<u8>(4)?;
    /// let refused = gpu.memset(staging.device_ptr()?, Fill::Byte(1), 4);
    /// assert!(matches!(refused, Err(Error::Memory { problem: MemoryProblem::Pinned, .. })));
    /// assert_eq!(*staging, [0; 4]);
    /// # Ok::<(), warpcall::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Where the backend's kernels do not reach pinned memory.
    #[track_caller]
    pub fn device_ptr(&self) -> Result<DevicePtr> {
        if self.live { self.gpu.pinned_device_ptr(self.ptr.cast()) } else { Ok(DevicePtr::NULL) }
    }

    /// Frees the memory now, after the work that is enqueued, and says whether that succeeded.
    ///
    /// ```
    /// let gpu = warpcall::Gpu::host()?;
    /// let staging = gpu.pinned::<f32>(1024)?;
    /// staging.free()?; // `drop` would free it too, and have nobody to tell of a failure
    /// # Ok::<(), warpcall::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Where the backend cannot free it. The memory is given up all the same; nothing tries again.
    #[track_caller]
    pub fn free(mut self) -> Result<()> {
        self.release()
    }
}

impl<T: Pod> Release for PinnedBuffer<T> {
    const WHAT: &'static str = "pinned buffer";

    fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    fn number(&self) -> u64 {
        self.ptr.as_ptr().addr() as u64
    }

    fn release(&mut self) -> Result<()> {
        if !std::mem::replace(&mut self.live, false) {
            return Ok(());
        }
        // SAFETY: the memory was allocated for this buffer, which is not used after this: `free` and `drop`, the
        // only callers, end it. What the device still does with it is completed first.
        unsafe { self.gpu.free_pinned(self.ptr.cast()) }
    }
}

impl<T: Pod> Deref for PinnedBuffer<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        // SAFETY: the backend gave `len` elements of zeros, aligned, at most `isize::MAX` bytes, that belong to
        // this buffer alone, as `PinnedMemory` promises; or there are no bytes. Any bytes are a `T`. Whoever lets a device write
        // them did so by unsafe code that vouches for no reader meanwhile.
        unsafe { std::slice::from_raw_parts(self.ptr.as_ptr(), self.len) }
    }
}

impl<T: Pod> DerefMut for PinnedBuffer<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as for `deref`, and the buffer is borrowed exclusively.
        unsafe { std::slice::from_raw_parts_mut(self.ptr.as_ptr(), self.len) }
    }
}

impl<T: Pod> Drop for PinnedBuffer<T> {
    fn drop(&mut self) {
        release_dropped(self);
    }
}

impl<T: Pod> fmt::Debug for PinnedBuffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let element = std::any::type_name::<T>();
        write!(f, "PinnedBuffer<{element}>({} at {:p}, {})", self.len, self.ptr, self.gpu.label())
    }
}
