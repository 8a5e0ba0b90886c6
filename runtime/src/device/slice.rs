use std::fmt;
use std::marker::PhantomData;
use std::ops::RangeBounds;

use bytemuck::Pod;

use super::access::{device_argument, reading_methods};
use super::{Buffer, Gpu, SliceMut, StreamRef, extent};
use crate::argument::DevicePtr;
use crate::error::Result;

/// A range of a [`Buffer`], borrowed for reading.
///
/// A kernel that reads `*const T` takes it by reference, as it takes the buffer.
///
/// ```
/// use warpcall::Gpu;
///
/// let gpu = Gpu::host()?;
/// let stream = gpu.create_stream()?;
/// let rows = gpu.upload(&[1, 2, 3, 4, 5, 6])?;
/// let second = rows.slice(2..4)?;
/// assert_eq!(second.to_vec(&stream)?, [3, 4]);
/// assert!(rows.slice(4..7).is_err(), "there are six elements");
/// # Ok::<(), warpcall::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct Slice<'a, T: Pod> {
    gpu: &'a Gpu,
    ptr: DevicePtr,
    len: usize,
    elements: PhantomData<&'a [T]>,
}

impl<'a, T: Pod> Slice<'a, T> {
    /// The `len` elements at `ptr`, which the caller has checked to lie in a live buffer of `gpu`.
    #[inline]
    pub(super) fn of_checked(gpu: &'a Gpu, ptr: DevicePtr, len: usize) -> Self {
        // A place without bytes has no address, so that it is never taken for what lies behind its end.
        let ptr = if len * size_of::<T>() == 0 { DevicePtr::NULL } else { ptr };
        Self { gpu, ptr, len, elements: PhantomData }
    }

    /// The device that the memory lies on.
    pub fn gpu(&self) -> &'a Gpu {
        self.gpu
    }

    /// The elements in `range`, counted from the start of this slice.
    ///
    /// # Errors
    ///
    /// Where the range starts after its end or reaches past the end of the slice.
    pub fn slice(&self, range: impl RangeBounds<usize>) -> Result<Self> {
        let range = extent::range_within("slice", &range, self.len)?;
        Ok(Self::of_checked(self.gpu, self.ptr.byte_add(range.start * size_of::<T>()), range.len()))
    }

    /// The elements before `mid` and those from `mid` on.
    ///
    /// # Errors
    ///
    /// Where `mid` lies past the end of the slice.
    #[track_caller]
    pub fn split_at(&self, mid: usize) -> Result<(Self, Self)> {
        Ok((self.slice(..mid)?, self.slice(mid..)?))
    }

    reading_methods!(itself);

    fn itself(&self) -> Self {
        *self
    }

    #[track_caller]
    pub(super) fn read_to_vec(self, stream: StreamRef<'_>) -> Result<Vec<T>> {
        let mut elements = vec![T::zeroed(); self.len];
        self.read(stream, &mut elements)?;
        Ok(elements)
    }

    #[track_caller]
    pub(super) fn read(self, stream: StreamRef<'_>, dst: &mut [T]) -> Result<()> {
        const OPERATION: &str = "copy to the host";
        let stream = self.gpu.own_stream(OPERATION, stream)?;
        extent::same_len(OPERATION, "the length of the destination", dst.len(), self.len)?;
        if self.bytes() == 0 {
            return Ok(());
        }
        self.gpu.copy_to_host_on(stream, bytemuck::cast_slice_mut(dst), self.ptr)
    }

    /// # Safety
    ///
    /// As for `copy_to_host_async`.
    #[track_caller]
    pub(super) unsafe fn read_async(self, stream: StreamRef<'_>, dst: &mut [T]) -> Result<()> {
        const OPERATION: &str = "copy to the host";
        let stream = self.gpu.own_stream(OPERATION, stream)?;
        extent::same_len(OPERATION, "the length of the destination", dst.len(), self.len)?;
        if self.bytes() == 0 {
            return Ok(());
        }
        // SAFETY: `dst` holds as many bytes, and the caller leaves it alone until the stream is synchronised.
        unsafe { self.gpu.copy_to_host_async(stream, dst.as_mut_ptr().cast(), self.ptr, self.bytes()) }
    }
}

device_argument!(read: ['a, T: Pod] Slice<'a, T>);

impl<'a, T: Pod> From<&'a Buffer<T>> for Slice<'a, T> {
    fn from(buffer: &'a Buffer<T>) -> Self {
        buffer.as_slice()
    }
}

impl<'a, T: Pod> From<&'a SliceMut<'_, T>> for Slice<'a, T> {
    fn from(slice: &'a SliceMut<'_, T>) -> Self {
        slice.as_slice()
    }
}

impl<'a, T: Pod> From<&Slice<'a, T>> for Slice<'a, T> {
    fn from(slice: &Slice<'a, T>) -> Self {
        *slice
    }
}

impl<T: Pod> fmt::Debug for Slice<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let element = std::any::type_name::<T>();
        write!(f, "Slice<{element}>({} at {}, {})", self.len, self.ptr, self.gpu.label())
    }
}
