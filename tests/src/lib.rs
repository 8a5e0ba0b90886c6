//! The tests that need more than one crate, and the suite that every backend passes.

pub mod conformance;
pub mod null_backend;
