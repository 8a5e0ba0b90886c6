//! How a host function may take the memory of a pointer parameter.

use std::cell::Cell;

use bytemuck::Pod;

/// What a host function takes for a `*const T`: `&[T]`, or `&[Cell<T>]` where the memory may be
/// written through another parameter meanwhile.
#[diagnostic::on_unimplemented(
    message = "a host function cannot take `{Self}` for a parameter `*const {T}`",
    label = "this parameter is `*const {T}`: its host function takes `&[{T}]` or `&[Cell<{T}>]`",
    note = "write `&[{T}]` in the host function; or `&[Cell<{T}>]` if it works in place, on memory that it also writes; if the function takes the launch first, write `#[host(path, launch)]`"
)]
pub trait HostSlice<'s, T>: sealed::Sealed + Sized {
    /// Whether the memory may change while this exists.
    #[doc(hidden)]
    const CELLS: bool;

    /// The memory as this type.
    ///
    /// # Safety
    ///
    /// `first` is aligned and valid for `len` elements for `'s`; for cells also for writes, and no plain
    /// reference reaches them meanwhile; otherwise nothing writes them meanwhile.
    #[doc(hidden)]
    unsafe fn of_memory(first: *mut T, len: usize) -> Self;
}

/// What a host function takes for a `*mut T`: `&mut [T]`, or `&[Cell<T>]` where the memory may also be
/// reached through another parameter.
#[diagnostic::on_unimplemented(
    message = "a host function cannot take `{Self}` for a parameter `*mut {T}`",
    label = "this parameter is `*mut {T}`: its host function takes `&mut [{T}]` or `&[Cell<{T}>]`",
    note = "write `&mut [{T}]` in the host function; or `&[Cell<{T}>]` if it works in place, on memory that another parameter also reaches; if the function takes the launch first, write `#[host(path, launch)]`"
)]
pub trait HostSliceMut<'s, T>: sealed::Sealed + Sized {
    /// Whether the memory may be reached in another way while this exists.
    #[doc(hidden)]
    const CELLS: bool;

    /// The memory as this type.
    ///
    /// # Safety
    ///
    /// `first` is aligned and valid for reads and writes of `len` elements for `'s`; for cells, no plain
    /// reference reaches them meanwhile; otherwise nothing else reaches them meanwhile.
    #[doc(hidden)]
    unsafe fn of_memory(first: *mut T, len: usize) -> Self;
}

impl<'s, T: Pod> HostSlice<'s, T> for &'s [T] {
    const CELLS: bool = false;

    unsafe fn of_memory(first: *mut T, len: usize) -> Self {
        // SAFETY: the caller answers for the memory, and every bit pattern is a `Pod` value.
        unsafe { std::slice::from_raw_parts(first, len) }
    }
}

impl<'s, T: Pod> HostSlice<'s, T> for &'s [Cell<T>] {
    const CELLS: bool = true;

    unsafe fn of_memory(first: *mut T, len: usize) -> Self {
        // SAFETY: as above, and a cell has the layout of what is in it.
        unsafe { std::slice::from_raw_parts(first.cast(), len) }
    }
}

impl<'s, T: Pod> HostSliceMut<'s, T> for &'s mut [T] {
    const CELLS: bool = false;

    unsafe fn of_memory(first: *mut T, len: usize) -> Self {
        // SAFETY: the caller answers for the memory, and every bit pattern is a `Pod` value.
        unsafe { std::slice::from_raw_parts_mut(first, len) }
    }
}

impl<'s, T: Pod> HostSliceMut<'s, T> for &'s [Cell<T>] {
    const CELLS: bool = true;

    unsafe fn of_memory(first: *mut T, len: usize) -> Self {
        // SAFETY: as above, and a cell has the layout of what is in it.
        unsafe { std::slice::from_raw_parts(first.cast(), len) }
    }
}

mod sealed {
    pub trait Sealed {}
    impl<T> Sealed for &[T] {}
    impl<T> Sealed for &mut [T] {}
}
