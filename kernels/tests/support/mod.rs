//! What the tests of the references share: random shapes and data, and how close is close enough.

// Each test file uses the part it needs.
#![allow(dead_code, unreachable_pub)]

use fastrand::Rng;
use half::{bf16, f16};
use warpcall::{HostLaunch, LaunchConfig};
use warpcall_kernels::reference::Element;

/// Random cases for each test.
pub const CASES: usize = 24;

/// An element type, with what it costs to round to it.
pub trait TestElement: Element + std::fmt::Debug + PartialEq {
    /// The distance from 1 to the next element.
    const EPSILON: f64;
    /// The smallest element above zero.
    const SMALLEST: f64;
}

impl TestElement for f32 {
    const EPSILON: f64 = 1.0 / (1 << 23) as f64;
    const SMALLEST: f64 = 1e-45;
}

impl TestElement for f16 {
    const EPSILON: f64 = 1.0 / (1 << 10) as f64;
    const SMALLEST: f64 = 6e-8;
}

impl TestElement for bf16 {
    const EPSILON: f64 = 1.0 / (1 << 7) as f64;
    const SMALLEST: f64 = 1e-40;
}

/// Runs a generic test for every element type.
#[macro_export]
macro_rules! for_every_element {
    ($($name:ident => $check:ident),+ $(,)?) => {$(
        #[test]
        fn $name() {
            $check::<f32>();
            $check::<half::f16>();
            $check::<half::bf16>();
        }
    )+};
}

/// The random numbers of a test, the same ones on every run.
pub fn rng(seed: u64) -> Rng {
    Rng::with_seed(seed)
}

/// A size from 1 to `largest`; the first cases are the edges, and many are odd.
pub fn size(rng: &mut Rng, case: usize, largest: u32) -> u32 {
    let edges = [1, 2, 3, 31, 32, 33, largest];
    edges.get(case).map_or_else(|| rng.u32(1..=largest), |edge| (*edge).min(largest))
}

/// A launch of so many blocks.
pub fn blocks(count: u32) -> HostLaunch<'static> {
    HostLaunch::new(LaunchConfig::new(count, 32))
}

/// `count` random elements from -`spread` to `spread`.
pub fn elements<T: Element>(rng: &mut Rng, count: usize, spread: f32) -> Vec<T> {
    (0..count).map(|_| T::from_f32((rng.f32() * 2.0 - 1.0) * spread)).collect()
}

/// The exact value of an element.
pub fn exact<T: Element>(element: T) -> f64 {
    f64::from(element.to_f32())
}

/// The exact values of elements.
pub fn exact_all<T: Element>(elements: &[T]) -> Vec<f64> {
    elements.iter().map(|element| exact(*element)).collect()
}

/// Asserts that an element is the rounding of `expected`, but for `operations` roundings of an
/// `f32` as large as `magnitude` on the way there.
#[track_caller]
pub fn assert_close<T: TestElement>(actual: T, expected: f64, operations: f64, magnitude: f64) {
    let half_ulp = T::EPSILON / 2.0 * expected.abs() + T::SMALLEST;
    let tolerance = half_ulp + f64::from(f32::EPSILON) * operations * magnitude;
    // On its way an f32 error can tip the final rounding over to the next element.
    let tolerance = tolerance * (1.0 + T::EPSILON) + half_ulp * T::EPSILON;
    let error = (exact(actual) - expected).abs();
    assert!(
        error <= tolerance,
        "{} is {actual:?}, but {expected} was expected: off by {error:e}, {tolerance:e} allowed",
        std::any::type_name::<T>(),
    );
}
