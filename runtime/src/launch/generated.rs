//! What generated code passes values through, so that a value of the wrong type is explained in words of this crate.

use bytemuck::Pod;

use crate::argument::{KernelArg, TensorMap};
use crate::backend::host::{HostArguments, HostSlice, HostSliceMut};
use crate::error::Result;

/// The argument for a parameter whose type is called `TensorMap`.
#[inline]
pub fn tensor_map<T: IsTensorMap>(map: &T) -> KernelArg<'_> {
    map.as_tensor_map().arg()
}

/// [`TensorMap`] itself: a declaration tells it by its name, which another type may have as well.
#[diagnostic::on_unimplemented(
    message = "a parameter of the type `TensorMap` is a `warpcall::TensorMap`, and not the `{Self}` that this name leads to here",
    label = "not `warpcall::TensorMap`",
    note = "import `warpcall::TensorMap` for a `CUtensorMap`; rename another type, or declare the parameter by an alias of it"
)]
pub trait IsTensorMap: sealed::Sealed {
    /// Itself.
    fn as_tensor_map(&self) -> &TensorMap;
}

impl IsTensorMap for TensorMap {
    #[inline]
    fn as_tensor_map(&self) -> &TensorMap {
        self
    }
}

/// A value, or the reference to a tensor map, as the host function takes it.
pub fn host_argument<S>(value: impl HostArgument<S>) -> S {
    value.pass()
}

/// What a host function may take as an `S`: an `S`.
// On what is declared, and not on `S`, so that a generic function finds out what it takes.
#[diagnostic::on_unimplemented(
    message = "a host function cannot take `{S}` for a parameter `{Self}`",
    label = "its host function takes `{Self}`, not `{S}`",
    note = "write `{Self}` in the host function; if the function takes the launch first, write `#[host(path, launch)]`"
)]
pub trait HostArgument<S> {
    /// The same.
    fn pass(self) -> S;
}

impl<S> HostArgument<S> for S {
    fn pass(self) -> S {
        self
    }
}

/// The memory of a nullable `*const T` as the host function takes it.
///
/// # Errors
///
/// Those of [`HostArguments::nullable_slice`].
pub fn host_nullable_slice<'s, T: Pod, S: HostNullableSlice<'s, T>>(
    call: &'s HostArguments<'_>,
    index: usize,
) -> Result<S> {
    call.nullable_slice::<T, S::Slice>(index).map(S::of)
}

/// What a host function takes for a nullable `*const T`: an `Option` of a slice.
#[diagnostic::on_unimplemented(
    message = "a host function cannot take `{Self}` for a `#[nullable]` parameter `*const {T}`",
    label = "this parameter may be null: its host function takes `Option<&[{T}]>` or `Option<&[Cell<{T}>]>`",
    note = "write `Option<&[{T}]>` in the host function, or remove `#[nullable]`; if the function takes the launch first, write `#[host(path, launch)]`"
)]
pub trait HostNullableSlice<'s, T> {
    /// The slice in it.
    type Slice: HostSlice<'s, T>;

    /// The same.
    fn of(slice: Option<Self::Slice>) -> Self;
}

impl<'s, T, S: HostSlice<'s, T>> HostNullableSlice<'s, T> for Option<S> {
    type Slice = S;

    fn of(slice: Self) -> Self {
        slice
    }
}

/// The memory of a nullable `*mut T` as the host function takes it.
///
/// # Errors
///
/// Those of [`HostArguments::nullable_slice_mut`].
pub fn host_nullable_slice_mut<'s, T: Pod, S: HostNullableSliceMut<'s, T>>(
    call: &'s HostArguments<'_>,
    index: usize,
) -> Result<S> {
    call.nullable_slice_mut::<T, S::Slice>(index).map(S::of)
}

/// What a host function takes for a nullable `*mut T`: an `Option` of a slice.
#[diagnostic::on_unimplemented(
    message = "a host function cannot take `{Self}` for a `#[nullable]` parameter `*mut {T}`",
    label = "this parameter may be null: its host function takes `Option<&mut [{T}]>` or `Option<&[Cell<{T}>]>`",
    note = "write `Option<&mut [{T}]>` in the host function, or remove `#[nullable]`; if the function takes the launch first, write `#[host(path, launch)]`"
)]
pub trait HostNullableSliceMut<'s, T> {
    /// The slice in it.
    type Slice: HostSliceMut<'s, T>;

    /// The same.
    fn of(slice: Option<Self::Slice>) -> Self;
}

impl<'s, T, S: HostSliceMut<'s, T>> HostNullableSliceMut<'s, T> for Option<S> {
    type Slice = S;

    fn of(slice: Self) -> Self {
        slice
    }
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for crate::argument::TensorMap {}
}
