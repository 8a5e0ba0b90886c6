//! Comparing what was found with what was expected, in words that need no debugger.

use anyhow::{Result, bail, ensure};
use warpcall::{DevicePtr, Error, MemoryProblem};

/// Fails where two sequences differ, and says where first.
pub(super) fn equal<T: PartialEq + std::fmt::Debug>(what: &str, found: &[T], expected: &[T]) -> Result<()> {
    if found == expected {
        return Ok(());
    }
    ensure!(
        found.len() == expected.len(),
        "{what}: {} elements were found, {} expected",
        found.len(),
        expected.len()
    );
    if let Some(at) = (0..found.len()).find(|at| found[*at] != expected[*at]) {
        let differ = (0..found.len()).filter(|at| found[*at] != expected[*at]).count();
        let (from, to) = (at.saturating_sub(2), (at + 6).min(found.len()));
        bail!(
            "{what}: {differ} of {} elements differ, the first at {at}; from {from} on, found {:?}, expected {:?}",
            found.len(),
            &found[from..to],
            &expected[from..to]
        );
    }
    Ok(())
}

/// Fails where the outcome is not an error that the pattern fits.
macro_rules! expect_error {
    ($outcome:expr, $pattern:pat $(if $guard:expr)?) => {
        match $outcome {
            Err($pattern) $(if $guard)? => {}
            outcome => anyhow::bail!(
                "{} returned {:?}; expected the error {}",
                stringify!($outcome),
                outcome.map(|_| "success"),
                stringify!($pattern $(if $guard)?)
            ),
        }
    };
}
pub(super) use expect_error;

/// Fails where the outcome is a success, or an error that says the operation does not exist.
pub(super) fn refused<T>(what: &str, outcome: warpcall::Result<T>) -> Result<Error> {
    match outcome {
        Ok(_) => bail!("{what} succeeded; it had to be refused"),
        Err(error @ Error::Unsupported { .. }) => {
            bail!("{what} had to be refused for its arguments, but: {error}")
        }
        Err(error) => Ok(error),
    }
}

/// Fails where the outcome is not this problem with memory.
pub(super) fn memory_problem<T>(
    what: &str,
    outcome: warpcall::Result<T>,
    expected: &MemoryProblem,
) -> Result<()> {
    match refused(what, outcome)? {
        Error::Memory { problem, .. } if problem == *expected => Ok(()),
        other => bail!("{what} returned `{other:?}`; expected the problem {expected:?}"),
    }
}

/// Fails where the outcome is not that the range passes the end of the allocation at `start` with `length` bytes.
pub(super) fn out_of_bounds<T>(
    what: &str,
    outcome: warpcall::Result<T>,
    start: DevicePtr,
    length: usize,
) -> Result<()> {
    memory_problem(what, outcome, &MemoryProblem::OutOfBounds { start, length })
}

/// The elements that these bytes are.
pub(super) fn elements<T: bytemuck::AnyBitPattern>(bytes: &[u8]) -> Vec<T> {
    bytes.chunks_exact(size_of::<T>()).map(bytemuck::pod_read_unaligned).collect()
}

/// Bytes that tell every position from its neighbours, different for each seed.
pub(super) fn pattern(bytes: usize, seed: u64) -> Vec<u8> {
    // A prime length: pieces that were swapped differ, however long they are.
    let mut period = vec![0; bytes.min(65_521)];
    fastrand::Rng::with_seed(seed).fill(&mut period);
    period.into_iter().cycle().take(bytes).collect()
}
