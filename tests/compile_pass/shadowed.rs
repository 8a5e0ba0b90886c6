//! Names that the user has given to types of their own.
#![allow(unused, non_camel_case_types)]

use ::warpcall::{KernelParam as Derived, kernel as declare};

pub struct Result;
pub struct Kernel;
pub struct Module;
pub struct Parameter;
pub struct Sized;
pub struct Ok;
pub struct LaunchConfig;
pub struct DeviceRef;
pub trait KernelParam {}
pub trait Into {}
pub type u32 = ::core::primitive::u64;
pub type u64 = ::core::primitive::u8;
pub type u8 = ::core::primitive::f32;
pub type usize = ::core::primitive::f64;
pub mod core {}
pub mod std {}
pub mod warpcall {}
macro_rules! assert {
    ($($anything:tt)*) => {
        compile_error!("not this one")
    };
}
macro_rules! include_str {
    ($($anything:tt)*) => {
        compile_error!("not this one")
    };
}
pub(crate) use assert;
pub(crate) use include_str;

/// A struct of the user's, which shares its name with the standard one.
#[derive(Clone, Copy, Derived)]
#[repr(C)]
pub struct Option {
    pub flag: ::core::primitive::u32,
    pub alias: u32,
}

/// Another one, which a declaration names by an alias.
#[derive(Clone, Copy, Derived)]
#[repr(C)]
pub struct TensorMap {
    pub rows: ::core::primitive::u32,
}
pub type OwnMap = TensorMap;

#[declare(module = "shadowed")]
unsafe extern "C" {
    pub unsafe fn aliased(map: OwnMap);
    pub unsafe fn shadowed(x: *const u32, #[nullable] y: *mut u8, n: u32, option: Option);
}
