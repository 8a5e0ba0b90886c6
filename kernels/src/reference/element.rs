//! The element types of the kernels.

use half::{bf16, f16};

/// An element type that kernels exist for: `f32`, `f16` or `bf16` (of the `half` crate).
///
/// Kernels compute in `f32` whatever their elements are; this is how one is widened and rounded.
pub trait Element: Copy + sealed::Sealed {
    /// The same value as an `f32`.
    fn to_f32(self) -> f32;

    /// The nearest element, ties to even.
    fn from_f32(value: f32) -> Self;
}

impl Element for f32 {
    fn to_f32(self) -> f32 {
        self
    }

    fn from_f32(value: f32) -> Self {
        value
    }
}

impl Element for f16 {
    fn to_f32(self) -> f32 {
        f16::to_f32(self)
    }

    fn from_f32(value: f32) -> Self {
        f16::from_f32(value)
    }
}

impl Element for bf16 {
    fn to_f32(self) -> f32 {
        bf16::to_f32(self)
    }

    fn from_f32(value: f32) -> Self {
        bf16::from_f32(value)
    }
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for half::f16 {}
    impl Sealed for half::bf16 {}
}
