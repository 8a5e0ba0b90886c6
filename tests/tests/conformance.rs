//! The conformance suite.
fn main() {}
