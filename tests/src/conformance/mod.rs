//! What every backend promises, as tests that any backend can run.
//!
//! A [`Target`] describes a backend under test. [`all`] gives every test; each takes a target, opens fresh backends
//! of it, and returns an error that says what was expected and what was found. A test that needs a
//! capability which the target says it lacks ends as [`Skipped`], but only after every operation of that
//! capability has been seen to return `Error::Unsupported`.

mod arguments;
mod bounds;
mod builder;
mod capture;
mod check;
mod copies;
mod copies_async;
mod errors;
mod events;
mod fixture;
mod graphs;
mod handles;
mod kernels;
mod lookup;
mod memory;
mod ordering;
mod owning_buffers;
mod owning_streams;
mod pinned;
mod pointers;
mod reference;
mod structs;
mod target;
mod tensor_maps;
mod threads;

pub use fixture::Fixture;
pub use target::{Capability, Skipped, Target};

/// One promise of a backend, and how it is tested.
#[derive(Clone, Copy, Debug)]
pub struct Test {
    /// What it is about: `copies`, `graphs`.
    pub topic: &'static str,
    /// The promise, as a sentence in an identifier.
    pub name: &'static str,
    /// The test.
    pub run: fn(&Target) -> anyhow::Result<()>,
}

/// Lists the functions of a topic as its tests.
macro_rules! tests {
    ($topic:literal: $($name:ident),+ $(,)?) => {
        pub(super) const TESTS: &[super::Test] = &[
            $(super::Test { topic: $topic, name: stringify!($name), run: $name }),+
        ];
    };
}
use tests;

/// Every test of the suite.
pub fn all() -> impl Iterator<Item = Test> {
    [
        memory::TESTS,
        bounds::TESTS,
        copies::TESTS,
        copies_async::TESTS,
        ordering::TESTS,
        events::TESTS,
        graphs::TESTS,
        capture::TESTS,
        errors::TESTS,
        handles::TESTS,
        arguments::TESTS,
        structs::TESTS,
        pointers::TESTS,
        lookup::TESTS,
        pinned::TESTS,
        tensor_maps::TESTS,
        threads::TESTS,
        builder::TESTS,
        owning_buffers::TESTS,
        owning_streams::TESTS,
    ]
    .into_iter()
    .flatten()
    .copied()
}
