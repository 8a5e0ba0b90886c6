//! What generated code passes values through, so that a value of the wrong type is explained in words of this crate.

use std::marker::PhantomData;

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

/// The type that the host function has for one of its parameters: found out where it is called, before its argument
/// is looked at. So it is the argument that does not fit, and not the other way round.
pub struct HostType<S>(PhantomData<fn() -> S>);

impl<S> HostType<S> {
    /// A type that is not known yet.
    #[allow(clippy::new_without_default)] // One way is enough for what nobody writes.
    pub fn new() -> Self {
        Self(PhantomData)
    }

    /// The type of `argument`.
    pub fn is(&self, _argument: &S) {}

    /// A value as this type.
    pub fn value(&self, value: impl HostArgument<S>) -> S {
        value.pass()
    }

    /// A tensor map as this type.
    pub fn tensor_map<'s>(&self, map: &'s TensorMap) -> S
    where
        S: HostTensorMap<'s>,
    {
        S::of(map)
    }
}

/// What a host function may take as an `S`: an `S`.
// On what is declared, and not on `S`, so that a generic function finds out what it takes.
#[diagnostic::on_unimplemented(
    message = "a host function cannot take `{S}` for a parameter `{Self}`",
    label = "this parameter is `{Self}`: its host function takes `{Self}`",
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

/// What a host function takes for a tensor map: a reference.
#[diagnostic::on_unimplemented(
    message = "a host function cannot take `{Self}` for a parameter `TensorMap`",
    label = "this parameter is a `TensorMap`: its host function takes `&TensorMap`",
    note = "write `&TensorMap` in the host function; if the function takes the launch first, write `#[host(path, launch)]`"
)]
pub trait HostTensorMap<'s> {
    /// The same.
    fn of(map: &'s TensorMap) -> Self;
}

impl<'s> HostTensorMap<'s> for &'s TensorMap {
    fn of(map: &'s TensorMap) -> Self {
        map
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
