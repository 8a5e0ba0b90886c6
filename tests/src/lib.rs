//! The tests that need more than one crate, and the suite that every backend passes.

/// The programs in the README, compiled.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
pub struct Readme;

pub mod conformance;
pub mod null_backend;
