//! A module that is bound to a CUDA file, without any prelude and under the strictest lints.
#![no_implicit_prelude]
#![deny(
    warnings,
    missing_docs,
    unused,
    nonstandard_style,
    rust_2018_idioms,
    unreachable_pub,
    unused_qualifications,
    unsafe_op_in_unsafe_fn,
    clippy::all,
    clippy::pedantic,
    clippy::undocumented_unsafe_blocks,
    clippy::missing_safety_doc,
    clippy::allow_attributes_without_reason,
    rustdoc::all
)]

use ::core::clone::Clone;
use ::core::marker::Copy;

/// What the kernels are told of their work.
#[derive(Clone, Copy, ::warpcall::KernelParam)]
#[repr(C)]
pub struct Params {
    /// How many rows.
    pub rows: u32,
    /// What they are multiplied with.
    pub scale: f32,
}

#[::warpcall::kernel(source = "compile_pass/bound.cu")]
pub mod elementwise {
    use super::Params;
}

/// Types of the body that are called like those of the language do not change what is meant.
#[::warpcall::kernel(source = "compile_pass/bound.cu", module = "shadowed", skip("every_kind"))]
#[allow(non_camel_case_types, dead_code, reason = "names as CUDA has them")]
mod shadowed {
    struct f32;
    struct i32;
    struct warpcall;
    mod core {}
}

#[::warpcall::kernel(source = "compile_pass/bound.cu", module = "chosen", only("nothing"))]
pub(crate) mod chosen {
    #![allow(unused, reason = "nothing launches it")]
    //! Documented inside.
    pub(crate) use super::Params as Renamed;
}

#[::warpcall::kernel(source = "nowhere.cu")]
#[cfg(any())]
mod absent {}

#[allow(deprecated, reason = "what is not bound is known")]
#[::warpcall::kernel(source = "compile_pass/bound.cu", module = "partly")]
pub mod partly {}
