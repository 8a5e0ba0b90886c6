use std::marker::PhantomData;

use bytemuck::Pod;

use super::{DevicePtr, TrackedRead, TrackedWrite};
use crate::backend::BackendId;
use crate::device::{Buffer, Void};

/// Where a piece of device memory lies, how long it is and whose it is, as far as that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviceSpan {
    /// The address of its first byte.
    pub ptr: DevicePtr,
    /// Its length in bytes; `None` for a raw pointer.
    pub bytes: Option<usize>,
    /// The backend that allocated it; `None` for a raw pointer.
    pub backend: Option<BackendId>,
}

/// Device memory that a kernel reads as elements of type `T`: the argument for a `*const T`.
///
/// Implemented by [`Buffer<T>`](crate::Buffer) and its slices, for `T` and for [`Void`](crate::Void), the element of a
/// `void*`; and by the raw [`DevicePtr`] for every `T`.
///
/// ```
/// use warpcall::{DeviceRef, Gpu};
///
/// fn length(memory: &impl DeviceRef<f32>) -> Option<usize> {
///     Some(memory.span().bytes? / size_of::<f32>())
/// }
/// let gpu = Gpu::host()?;
/// let values = gpu.zeros::<f32>(10)?;
/// assert_eq!(length(&values), Some(10));
/// assert_eq!(length(&values.slice(4..)?), Some(6));
/// assert_eq!(length(&values.device_ptr()), None, "a raw pointer does not know");
/// # Ok::<(), warpcall::Error>(())
/// ```
///
/// # Safety
///
/// A span with a length is that many bytes of device memory, which live as long as the borrow; a span with a backend is
/// memory that this backend's kernels reach. A span with neither, which is a raw pointer, promises nothing. The same holds for
/// what [`tracked`](Self::tracked) leads to.
#[diagnostic::on_unimplemented(
    message = "a kernel that reads `*const {T}` cannot be given `{Self}`",
    label = "not device memory of `{T}`",
    note = "pass a `&Buffer<{T}>`, a slice of one, or a `&DevicePtr`, which for pinned memory is `&pinned.device_ptr()?`; for `Void` (`c_void`, CUDA's `void`), a buffer of any element; host memory is brought to the device with `gpu.upload(&…)`"
)]
pub unsafe trait DeviceRef<T> {
    /// The memory.
    fn span(&self) -> DeviceSpan;

    /// The same memory, where its owner orders what uses it on several streams: a launch begins and ends a use of it. Memory of
    /// this crate is not tracked, and its user orders the streams.
    #[inline]
    fn tracked(&self) -> Option<&dyn TrackedRead> {
        None
    }
}

/// Device memory that a kernel may write as elements of type `T`: the argument for a `*mut T`.
///
/// Implemented as [`DeviceRef`] is, by [`Buffer<T>`](crate::Buffer), exclusive slices and [`DevicePtr`].
///
/// # Safety
///
/// As for [`DeviceRef`]; and while it is borrowed exclusively, nothing else that is safe to use reaches
/// the same memory, where the span has a length.
#[diagnostic::on_unimplemented(
    message = "a kernel that writes `*mut {T}` cannot be given `{Self}`",
    label = "not writable device memory of `{T}`",
    note = "pass a `&mut Buffer<{T}>`, an exclusive slice of one (`buffer.slice_mut(range)`), or a `&mut DevicePtr`, which for pinned memory is `&mut pinned.device_ptr()?`; for `Void` (`c_void`, CUDA's `void`), a buffer of any element"
)]
pub unsafe trait DeviceMut<T> {
    /// The memory.
    fn span_mut(&mut self) -> DeviceSpan;

    /// As [`DeviceRef::tracked`], of memory that is written.
    #[inline]
    fn tracked_mut(&mut self) -> Option<&mut dyn TrackedWrite> {
        None
    }
}

/// Device memory of elements `T` and of no others that its type could mean: the argument for a `*const T` of a kernel that is
/// generic over `T`.
///
/// A buffer is [`DeviceRef`] of its elements and of [`Void`](crate::Void), which would leave open what `T` is. This says it, so that a
/// call need not; a raw [`DevicePtr`] does not know, and there the call does: `launch_scale::<f32>(…)`.
#[diagnostic::on_unimplemented(
    message = "a kernel that reads `*const {T}` cannot be given `{Self}`",
    label = "not device memory of `{T}`",
    note = "pass a `&Buffer<{T}>`, a slice of one, or a `&DevicePtr`; host memory is brought to the device with `gpu.upload(&…)`"
)]
pub trait ElementRef<T>: DeviceRef<T> {}

/// [`ElementRef`] of memory that the kernel may write: the argument for a `*mut T`.
#[diagnostic::on_unimplemented(
    message = "a kernel that writes `*mut {T}` cannot be given `{Self}`",
    label = "not writable device memory of `{T}`",
    note = "pass a `&mut Buffer<{T}>`, an exclusive slice of one (`buffer.slice_mut(range)`), or a `&mut DevicePtr`"
)]
pub trait ElementMut<T>: DeviceMut<T> {}

impl<T> ElementRef<T> for DevicePtr {}

impl<T> ElementMut<T> for DevicePtr {}

// SAFETY: a raw pointer vouches for nothing and says so: neither extent nor owner is known. Only
// unsafe functions take it, and their callers answer for it.
unsafe impl<T> DeviceRef<T> for DevicePtr {
    #[inline]
    fn span(&self) -> DeviceSpan {
        DeviceSpan { ptr: *self, bytes: None, backend: None }
    }
}

// SAFETY: as above.
unsafe impl<T> DeviceMut<T> for DevicePtr {
    #[inline]
    fn span_mut(&mut self) -> DeviceSpan {
        DeviceSpan { ptr: *self, bytes: None, backend: None }
    }
}

/// The argument for a nullable `*const T`: device memory, or none.
///
/// A generated launch function takes `impl Into<NullableRef<'_, T>>`, so a call writes `&buffer`, an
/// `Option<&Buffer<T>>`, or `None`. An option of other memory goes through [`from_option`](Self::from_option): were there
/// a conversion from more than one `Option`, a bare `None` would not say which it is.
///
/// ```
/// use warpcall::{Buffer, DevicePtr, Gpu, NullableRef, Slice};
///
/// fn takes<'a>(bias: impl Into<NullableRef<'a, f32>>) -> DevicePtr {
///     bias.into().span().ptr
/// }
/// let gpu = Gpu::host()?;
/// let bias: Option<Buffer<f32>> = Some(gpu.zeros(4)?);
/// assert_eq!(takes(None), DevicePtr::NULL);
/// assert_eq!(takes(bias.as_ref()), bias.as_ref().unwrap().device_ptr());
///
/// let row: Option<Slice<'_, f32>> = bias.as_ref().map(|bias| bias.slice(1..)).transpose()?;
/// assert!(!takes(NullableRef::from_option(row.as_ref())).is_null());
/// # Ok::<(), warpcall::Error>(())
/// ```
///
/// Where the element is [`Void`](crate::Void), which no buffer holds, an option is one of a `NullableRef`:
/// `buffer.map(NullableRef::from)`. Where it is a type of yours that is not [`Pod`](bytemuck::Pod), none is
/// [`NullableRef::null()`](Self::null).
pub struct NullableRef<'a, T> {
    memory: Given<&'a dyn TrackedRead>,
    element: PhantomData<&'a T>,
}

/// The argument for a nullable `*mut T`: device memory held exclusively, or none. Made as [`NullableRef`] is, of `&mut`:
///
/// ```
/// use warpcall::{Buffer, DevicePtr, Gpu, NullableMut};
///
/// fn takes<'a>(statistics: impl Into<NullableMut<'a, f32>>) -> DevicePtr {
///     statistics.into().span().ptr
/// }
/// let gpu = Gpu::host()?;
/// let mut statistics: Option<Buffer<f32>> = Some(gpu.zeros(4)?);
/// assert!(!takes(statistics.as_mut()).is_null());
///
/// let mut first = statistics.as_mut().map(|buffer| buffer.slice_mut(..1)).transpose()?;
/// assert!(!takes(NullableMut::from_option(first.as_mut())).is_null());
/// # Ok::<(), warpcall::Error>(())
/// ```
pub struct NullableMut<'a, T> {
    memory: Given<&'a mut dyn TrackedWrite>,
    element: PhantomData<&'a mut T>,
}

/// The memory of an argument, tracked or not.
#[derive(Clone, Copy)]
pub(crate) enum Given<M> {
    Untracked(DeviceSpan),
    Tracked(M),
}

impl<'a> Given<&'a dyn TrackedRead> {
    #[inline]
    pub(crate) fn read<T>(memory: &'a (impl DeviceRef<T> + ?Sized)) -> Self {
        match memory.tracked() {
            None => Self::Untracked(memory.span()),
            Some(memory) => Self::Tracked(memory),
        }
    }
}

impl<'a> Given<&'a mut dyn TrackedWrite> {
    #[inline]
    pub(crate) fn written<T>(memory: &'a mut (impl DeviceMut<T> + ?Sized)) -> Self {
        // Asked twice: what is lent for the answer could not be given back to ask for the span.
        if memory.tracked_mut().is_none() {
            return Self::Untracked(memory.span_mut());
        }
        memory.tracked_mut().map_or(Self::Untracked(NULL_SPAN), Self::Tracked)
    }
}

const NULL_SPAN: DeviceSpan = DeviceSpan { ptr: DevicePtr::NULL, bytes: Some(0), backend: None };

impl<'a, T> NullableRef<'a, T> {
    /// No memory: the null pointer.
    pub const fn null() -> Self {
        Self { memory: Given::Untracked(NULL_SPAN), element: PhantomData }
    }

    /// The memory, if there is any.
    #[inline]
    pub fn from_option(memory: Option<&'a (impl DeviceRef<T> + ?Sized)>) -> Self {
        memory.map_or(Self::null(), Self::from)
    }

    /// The memory; the null pointer where there is none.
    pub fn span(&self) -> DeviceSpan {
        match self.memory {
            Given::Untracked(span) => span,
            Given::Tracked(memory) => memory.span(),
        }
    }

    #[inline]
    pub(crate) fn into_given(self) -> Given<&'a dyn TrackedRead> {
        self.memory
    }
}

impl<'a, T> NullableMut<'a, T> {
    /// No memory: the null pointer.
    pub const fn null() -> Self {
        Self { memory: Given::Untracked(NULL_SPAN), element: PhantomData }
    }

    /// The memory, if there is any.
    #[inline]
    pub fn from_option(memory: Option<&'a mut (impl DeviceMut<T> + ?Sized)>) -> Self {
        memory.map_or(Self::null(), Self::from)
    }

    /// The memory; the null pointer where there is none.
    pub fn span(&mut self) -> DeviceSpan {
        match &mut self.memory {
            Given::Untracked(span) => *span,
            Given::Tracked(memory) => memory.span_mut(),
        }
    }

    #[inline]
    pub(crate) fn into_given(self) -> Given<&'a mut dyn TrackedWrite> {
        self.memory
    }
}

impl<T> Clone for NullableRef<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for NullableRef<'_, T> {}

impl<'a, T, D: DeviceRef<T> + ?Sized> From<&'a D> for NullableRef<'a, T> {
    #[inline]
    fn from(memory: &'a D) -> Self {
        Self { memory: Given::read(memory), element: PhantomData }
    }
}

impl<'a, T, D: DeviceMut<T> + ?Sized> From<&'a mut D> for NullableMut<'a, T> {
    #[inline]
    fn from(memory: &'a mut D) -> Self {
        Self { memory: Given::written(memory), element: PhantomData }
    }
}

// One conversion from an `Option` for each element, so that a bare `None` needs no type: what an engine holds for
// memory that may be missing is an `Option<Buffer<T>>`.
impl<'a, T: Pod> From<Option<&'a Buffer<T>>> for NullableRef<'a, T> {
    #[inline]
    fn from(memory: Option<&'a Buffer<T>>) -> Self {
        memory.map_or(Self::null(), Self::from)
    }
}

impl<'a, T: Pod> From<Option<&'a mut Buffer<T>>> for NullableMut<'a, T> {
    #[inline]
    fn from(memory: Option<&'a mut Buffer<T>>) -> Self {
        memory.map_or(Self::null(), Self::from)
    }
}

// No buffer holds `Void`, and one of any element would leave the type of a bare `None` open.
impl<'a> From<Option<NullableRef<'a, Void>>> for NullableRef<'a, Void> {
    #[inline]
    fn from(memory: Option<Self>) -> Self {
        memory.unwrap_or(Self::null())
    }
}

impl<'a> From<Option<NullableMut<'a, Void>>> for NullableMut<'a, Void> {
    #[inline]
    fn from(memory: Option<Self>) -> Self {
        memory.unwrap_or(Self::null())
    }
}
