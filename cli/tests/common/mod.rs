//! What the tests of each command need.
#![allow(dead_code, reason = "each test uses some of it")]

use warpcall_cli::Outcome;

/// Runs a command line, and gives back its text without colours.
pub(crate) fn run(arguments: &[&str]) -> Outcome {
    let outcome = warpcall_cli::run(std::iter::once("warpcall").chain(arguments.iter().copied()));
    let plain = |text: &str| anstream::adapter::strip_str(text).to_string();
    Outcome { output: plain(&outcome.output), errors: plain(&outcome.errors), code: outcome.code }
}

/// A CUDA source of the repository's kernels.
pub(crate) fn kernel_source(name: &str) -> String {
    format!("{}/../kernels/cuda/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// A file among the data of the tests of the signature readers.
pub(crate) fn data(name: &str) -> String {
    format!("{}/../signature/tests/data/{name}", env!("CARGO_MANIFEST_DIR"))
}
