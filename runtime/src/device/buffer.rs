use std::fmt;
use std::marker::PhantomData;
use std::ops::RangeBounds;
use std::ptr::NonNull;

use bytemuck::Pod;

use super::access::{device_argument, reading_methods, writing_methods};
use super::failed_drop::{Release, release_dropped};
use super::{Gpu, Slice, SliceMut, extent};
use crate::argument::DevicePtr;
use crate::backend::Fill;
use crate::error::Result;

/// Device memory of a fixed number of elements, owned: freed when it is dropped.
///
/// Elements are plain bytes ([`Pod`]), so that whatever the device leaves in them is a value. What is
/// enqueued on one stream happens in its order; where two streams use a buffer and one of them
/// writes it, the caller makes one wait for the other, or reads elements of either state.
///
/// Dropping waits for work that is enqueued. Should freeing fail, the [`Gpu`] notes it
/// ([`take_failed_drops`](Gpu::take_failed_drops)); [`free`](Self::free) returns the error instead.
///
/// A buffer without bytes allocates nothing and has the null pointer.
///
/// ```
/// use warpcall::Gpu;
/// use warpcall::backend::Fill;
///
/// let gpu = Gpu::host()?;
/// let stream = gpu.create_stream()?;
/// let ones = gpu.upload(&[1.0_f32; 8])?;
/// let mut values = gpu.zeros::<f32>(8)?;
/// values.copy_from_device(&stream, &ones)?;
/// values.slice_mut(..2)?.fill(&stream, Fill::Byte(0))?;
/// assert_eq!(values.to_vec(&stream)?, [0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]);
/// # Ok::<(), warpcall::Error>(())
/// ```
pub struct Buffer<T: Pod> {
    gpu: Gpu,
    ptr: DevicePtr,
    len: usize,
    managed: bool,
    elements: PhantomData<T>,
}

impl<T: Pod> Buffer<T> {
    #[track_caller]
    pub(super) fn allocate(gpu: &Gpu, len: usize) -> Result<Self> {
        let ptr = match extent::device_bytes::<T>("allocate device memory", len)? {
            0 => DevicePtr::NULL,
            bytes => gpu.allocate(bytes)?,
        };
        Ok(Self { gpu: gpu.clone(), ptr, len, managed: false, elements: PhantomData })
    }

    #[track_caller]
    pub(super) fn allocate_managed(gpu: &Gpu, len: usize) -> Result<Self> {
        let ptr = match extent::device_bytes::<T>("allocate managed memory", len)? {
            0 => DevicePtr::NULL,
            bytes => gpu.allocate_managed(bytes)?,
        };
        Ok(Self { gpu: gpu.clone(), ptr, len, managed: true, elements: PhantomData })
    }

    /// The same buffer, every byte zero.
    #[track_caller]
    pub(super) fn zeroed(self) -> Result<Self> {
        if self.is_allocated() {
            self.gpu.memset(self.ptr, Fill::Byte(0), self.bytes())?;
        }
        Ok(self)
    }

    /// Whether there is memory behind the buffer, which has none where it has no bytes.
    pub(super) fn is_allocated(&self) -> bool {
        !self.ptr.is_null()
    }

    /// The device that the memory lies on.
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// Where the host reaches the first element; `None` unless the memory is [managed](Gpu::managed). Valid for as many
    /// elements as the buffer has, until it is freed.
    ///
    /// Reading or writing through it is for the caller to order with what the device does: no work that uses
    /// the buffer is under way at that time.
    ///
    /// ```
    /// let gpu = warpcall::Gpu::host()?;
    /// assert!(gpu.zeros::<f32>(4)?.host_ptr().is_none());
    /// # Ok::<(), warpcall::Error>(())
    /// ```
    pub fn host_ptr(&self) -> Option<NonNull<T>> {
        let address = usize::try_from(self.ptr.address()).ok().filter(|_| self.managed)?;
        NonNull::new(std::ptr::with_exposed_provenance_mut(address))
    }

    /// All elements, for reading.
    #[inline]
    pub fn as_slice(&self) -> Slice<'_, T> {
        Slice::of_checked(&self.gpu, self.ptr, self.len)
    }

    /// All elements, exclusively.
    #[inline]
    pub fn as_slice_mut(&mut self) -> SliceMut<'_, T> {
        SliceMut::of_checked(&self.gpu, self.ptr, self.len)
    }

    /// The elements in `range`, for reading.
    ///
    /// # Errors
    ///
    /// Where the range starts after its end or reaches past the end of the buffer.
    pub fn slice(&self, range: impl RangeBounds<usize>) -> Result<Slice<'_, T>> {
        self.as_slice().slice(range)
    }

    /// The elements in `range`, exclusively.
    ///
    /// # Errors
    ///
    /// Where the range starts after its end or reaches past the end of the buffer.
    pub fn slice_mut(&mut self, range: impl RangeBounds<usize>) -> Result<SliceMut<'_, T>> {
        self.as_slice_mut().into_slice_mut(range)
    }

    /// The elements before `mid` and those from `mid` on, each exclusively.
    ///
    /// # Errors
    ///
    /// Where `mid` lies past the end of the buffer.
    pub fn split_at_mut(&mut self, mid: usize) -> Result<(SliceMut<'_, T>, SliceMut<'_, T>)> {
        self.as_slice_mut().into_split_at_mut(mid)
    }

    reading_methods!(as_slice);

    writing_methods!(as_slice_mut);

    /// Frees the memory now, after the work that is enqueued, and says whether that succeeded.
    ///
    /// # Errors
    ///
    /// Where the backend cannot free it. The memory is given up all the same; nothing tries again.
    #[track_caller]
    pub fn free(mut self) -> Result<()> {
        self.release()
    }
}

impl<T: Pod> Release for Buffer<T> {
    const WHAT: &'static str = "buffer";

    fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    fn number(&self) -> u64 {
        self.ptr.address()
    }

    fn release(&mut self) -> Result<()> {
        let ptr = std::mem::replace(&mut self.ptr, DevicePtr::NULL);
        if ptr.is_null() {
            return Ok(());
        }
        // SAFETY: the memory was allocated for this buffer, which forgets it here and lends it no more; what
        // still names its address is unsafe to use and answers for itself.
        unsafe { self.gpu.free(ptr) }
    }
}

impl<T: Pod> Drop for Buffer<T> {
    fn drop(&mut self) {
        release_dropped(self);
    }
}

device_argument!(read: [T: Pod] Buffer<T>);
device_argument!(write: [T: Pod] Buffer<T>);

impl<T: Pod> fmt::Debug for Buffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let element = std::any::type_name::<T>();
        write!(f, "Buffer<{element}>({} at {}, {})", self.len, self.ptr, self.gpu.label())
    }
}
