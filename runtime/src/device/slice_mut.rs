use std::fmt;
use std::marker::PhantomData;
use std::ops::RangeBounds;

use bytemuck::Pod;

use super::access::{device_argument, reading_methods, writing_methods};
use super::{Gpu, Slice, StreamRef, extent};
use crate::argument::DevicePtr;
use crate::backend::Fill;
use crate::error::{Error, MemoryProblem, Result};

/// A range of a [`Buffer`](crate::Buffer), borrowed exclusively.
///
/// A kernel that writes `*mut T` takes it by exclusive reference, as it takes the buffer. Two parts of one
/// buffer are written at once through [`split_at_mut`](crate::Buffer::split_at_mut).
///
/// ```
/// use warpcall::Gpu;
///
/// let gpu = Gpu::host()?;
/// let stream = gpu.create_stream()?;
/// let mut rows = gpu.zeros::<i32>(6)?;
/// rows.slice_mut(2..4)?.copy_from_host(&stream, &[7, 8])?;
///
/// let (front, mut back) = rows.split_at_mut(3)?;
/// back.copy_from_device(&stream, &front)?;
/// assert_eq!(rows.to_vec(&stream)?, [0, 0, 7, 0, 0, 7]);
/// # Ok::<(), warpcall::Error>(())
/// ```
pub struct SliceMut<'a, T: Pod> {
    gpu: &'a Gpu,
    ptr: DevicePtr,
    len: usize,
    elements: PhantomData<&'a mut [T]>,
}

impl<'a, T: Pod> SliceMut<'a, T> {
    /// The `len` elements at `ptr`, which the caller has checked to lie in a live buffer of `gpu`, and
    /// which nothing else reaches for `'a`.
    #[inline]
    pub(super) fn of_checked(gpu: &'a Gpu, ptr: DevicePtr, len: usize) -> Self {
        let ptr = if len * size_of::<T>() == 0 { DevicePtr::NULL } else { ptr };
        Self { gpu, ptr, len, elements: PhantomData }
    }

    /// The device that the memory lies on.
    pub fn gpu(&self) -> &'a Gpu {
        self.gpu
    }

    /// The same elements for reading.
    #[inline]
    pub fn as_slice(&self) -> Slice<'_, T> {
        Slice::of_checked(self.gpu, self.ptr, self.len)
    }

    /// The same elements exclusively, for a shorter time. The slice can be used again after it.
    #[inline]
    pub fn reborrow(&mut self) -> SliceMut<'_, T> {
        SliceMut::of_checked(self.gpu, self.ptr, self.len)
    }

    /// The elements in `range` for reading, counted from the start of this slice.
    ///
    /// # Errors
    ///
    /// Where the range starts after its end or reaches past the end of the slice.
    pub fn slice(&self, range: impl RangeBounds<usize>) -> Result<Slice<'_, T>> {
        self.as_slice().slice(range)
    }

    /// The elements in `range` exclusively, counted from the start of this slice.
    ///
    /// # Errors
    ///
    /// Where the range starts after its end or reaches past the end of the slice.
    pub fn slice_mut(&mut self, range: impl RangeBounds<usize>) -> Result<SliceMut<'_, T>> {
        self.reborrow().into_slice_mut(range)
    }

    /// As [`slice_mut`](Self::slice_mut), for as long as this slice was borrowed.
    ///
    /// # Errors
    ///
    /// Where the range starts after its end or reaches past the end of the slice.
    pub fn into_slice_mut(self, range: impl RangeBounds<usize>) -> Result<Self> {
        let range = extent::range_within("slice", &range, self.len)?;
        Ok(Self::of_checked(self.gpu, self.ptr.byte_add(range.start * size_of::<T>()), range.len()))
    }

    /// The elements before `mid` and those from `mid` on, each exclusively.
    ///
    /// # Errors
    ///
    /// Where `mid` lies past the end of the slice.
    pub fn split_at_mut(&mut self, mid: usize) -> Result<(SliceMut<'_, T>, SliceMut<'_, T>)> {
        self.reborrow().into_split_at_mut(mid)
    }

    /// As [`split_at_mut`](Self::split_at_mut), for as long as this slice was borrowed.
    ///
    /// # Errors
    ///
    /// Where `mid` lies past the end of the slice.
    pub fn into_split_at_mut(self, mid: usize) -> Result<(Self, Self)> {
        let front = extent::range_within("split", &(..mid), self.len)?;
        let middle = self.ptr.byte_add(front.len() * size_of::<T>());
        // The two do not overlap, and `self` is used up.
        Ok((
            Self::of_checked(self.gpu, self.ptr, front.len()),
            Self::of_checked(self.gpu, middle, self.len - front.len()),
        ))
    }

    reading_methods!(as_slice);

    writing_methods!(reborrow);

    #[track_caller]
    pub(super) fn write(self, stream: StreamRef<'_>, src: &[T]) -> Result<()> {
        const OPERATION: &str = "copy from the host";
        let stream = self.gpu.own_stream(OPERATION, stream)?;
        extent::same_len(OPERATION, "the length of the source", src.len(), self.len)?;
        if self.bytes() == 0 {
            return Ok(());
        }
        self.gpu.copy_to_device_async(stream, self.ptr, bytemuck::cast_slice(src))
    }

    /// # Safety
    ///
    /// As for `copy_from_retained`.
    #[track_caller]
    pub(super) unsafe fn write_retained(self, stream: StreamRef<'_>, src: &[T]) -> Result<()> {
        const OPERATION: &str = "copy from retained host memory";
        let stream = self.gpu.own_stream(OPERATION, stream)?;
        extent::same_len(OPERATION, "the length of the source", src.len(), self.len)?;
        if self.bytes() == 0 {
            return Ok(());
        }
        // SAFETY: `src` holds as many bytes, and the caller retains it until the stream is synchronised.
        unsafe { self.gpu.copy_to_device_retained(stream, self.ptr, src.as_ptr().cast(), self.bytes()) }
    }

    #[track_caller]
    pub(super) fn write_from_device(self, stream: StreamRef<'_>, src: Slice<'_, T>) -> Result<()> {
        const OPERATION: &str = "copy within the device";
        let stream = self.gpu.own_stream(OPERATION, stream)?;
        extent::same_len(OPERATION, "the length of the source", src.len(), self.len)?;
        if src.gpu().id() != self.gpu.id() {
            return Err(Error::Memory {
                operation: OPERATION.into(),
                ptr: src.device_ptr(),
                bytes: src.bytes(),
                problem: MemoryProblem::Foreign,
            });
        }
        if self.bytes() == 0 {
            return Ok(());
        }
        self.gpu.copy_within_device_async(stream, self.ptr, src.device_ptr(), self.bytes())
    }

    #[track_caller]
    pub(super) fn write_fill(self, stream: StreamRef<'_>, fill: Fill) -> Result<()> {
        const OPERATION: &str = "fill";
        let stream = self.gpu.own_stream(OPERATION, stream)?;
        let word = match fill {
            Fill::Byte(_) => 1,
            Fill::Word(_) => size_of::<u32>(),
        };
        let whole = |number: u64| number.is_multiple_of(word as u64);
        if !whole(self.bytes() as u64) || !whole(self.ptr.address()) {
            return Err(Error::InvalidArgument {
                operation: OPERATION,
                what: "the range".into(),
                found: format!("{} bytes at {}", self.bytes(), self.ptr).into(),
                expected: format!(
                    "a length and an address that are multiples of {word}, to take whole words"
                )
                .into(),
            });
        }
        if self.bytes() == 0 {
            return Ok(());
        }
        self.gpu.memset_async(stream, self.ptr, fill, self.bytes())
    }
}

device_argument!(read: ['a, T: Pod] SliceMut<'a, T>);
device_argument!(write: ['a, T: Pod] SliceMut<'a, T>);

impl<T: Pod> fmt::Debug for SliceMut<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let element = std::any::type_name::<T>();
        write!(f, "SliceMut<{element}>({} at {}, {})", self.len, self.ptr, self.gpu.label())
    }
}
