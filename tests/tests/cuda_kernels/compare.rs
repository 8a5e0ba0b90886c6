//! How far two results are apart, and how far they may be.

use bytemuck::Pod;
use half::{bf16, f16};

/// Half the distance from 1 to the next `f32`: the largest error of one rounding, in proportion.
const ROUNDING: f64 = 1.0 / (1 << 24) as f64;

/// The numbers that a type of element can hold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Numbers {
    Integers,
    /// With so many binary digits, the smallest full one being two to the power of `lowest`.
    Floats {
        digits: i32,
        lowest: i32,
    },
}

impl Numbers {
    /// The distance between neighbours around `value`: an ulp.
    fn ulp(self, value: f64) -> f64 {
        match self {
            Self::Integers => 1.0,
            Self::Floats { digits, lowest } => {
                let exponent = i32::try_from((value.to_bits() >> 52) & 0x7ff).unwrap_or(0) - 1023;
                2.0_f64.powi(exponent.max(lowest) - (digits - 1))
            }
        }
    }

    /// Whether a result in `f32` is stored as it is, so that it is not rounded once more.
    fn holds_f32(self) -> bool {
        self == f32::NUMBERS
    }
}

/// A type of element, as the exact value of each.
pub(crate) trait Number: Pod {
    const NAME: &'static str;
    const NUMBERS: Numbers;

    fn exact(self) -> f64;
}

macro_rules! numbers {
    ($($type:ty: $numbers:expr;)+) => {$(
        impl Number for $type {
            const NAME: &'static str = stringify!($type);
            const NUMBERS: Numbers = $numbers;

            fn exact(self) -> f64 {
                f64::from(self)
            }
        }
    )+};
}

numbers! {
    f32: Numbers::Floats { digits: 24, lowest: -126 };
    f16: Numbers::Floats { digits: 11, lowest: -14 };
    bf16: Numbers::Floats { digits: 8, lowest: -126 };
    i8: Numbers::Integers;
    u32: Numbers::Integers;
}

/// How far each element of an output may be from the host's.
///
/// Past the elements that are given, where a launch must not write, and wherever the magnitude is zero, nothing may differ.
#[derive(Clone, Debug)]
pub(crate) enum Allowed {
    /// Not at all.
    Nothing,
    /// So many roundings of an `f32` as large as the element itself, in the first `length` elements.
    OfItself { roundings: f64, length: usize },
    /// So many roundings of an `f32` of the magnitude that is given for each element.
    Of { roundings: f64, magnitudes: Vec<f64> },
}

impl Allowed {
    /// In absolute terms, for the element `index`, where the host has `expected` and the device `found`.
    fn at(&self, index: usize, numbers: Numbers, expected: f64, found: f64) -> f64 {
        let error = match self {
            Self::OfItself { roundings, length } if index < *length => roundings * ROUNDING * expected.abs(),
            Self::Of { roundings, magnitudes } if index < magnitudes.len() => {
                roundings * ROUNDING * magnitudes[index]
            }
            Self::Nothing | Self::OfItself { .. } | Self::Of { .. } => return 0.0,
        };
        // What is close in `f32` may be rounded to neighbours in a narrower type, and comes to be subnormal in its own.
        let stored = numbers.ulp(expected.abs().max(found.abs()));
        if error == 0.0 {
            0.0
        } else if numbers.holds_f32() {
            error.max(numbers.ulp(0.0))
        } else {
            error + stored
        }
    }
}

impl Allowed {
    /// What the error of the element `index` is in proportion to: itself, or the terms that it is the sum of, which may
    /// cancel to something much smaller.
    fn scale(&self, index: usize, expected: f64) -> f64 {
        match self {
            Self::Of { magnitudes, .. } => {
                magnitudes.get(index).map_or(0.0, |terms| *terms).max(expected.abs())
            }
            Self::Nothing | Self::OfItself { .. } => expected.abs(),
        }
    }
}

/// What a launch wrote into one of its parameters, and what was behind it.
#[derive(Clone, Debug)]
pub(crate) struct Output {
    pub(crate) parameter: &'static str,
    pub(crate) element: &'static str,
    pub(crate) numbers: Numbers,
    pub(crate) values: Vec<f64>,
}

impl Output {
    pub(crate) fn new<T: Number>(parameter: &'static str, values: &[T]) -> Self {
        let values = values.iter().map(|value| value.exact()).collect();
        Self { parameter, element: T::NAME, numbers: T::NUMBERS, values }
    }
}

/// How far results were apart, over several of them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Difference {
    pub(crate) elements: usize,
    pub(crate) differing: usize,
    pub(crate) largest: f64,
    /// In ulps of the element type, around the element itself.
    pub(crate) largest_ulps: f64,
    /// In ulps of the element type, around the terms that the element is a sum of.
    pub(crate) largest_term_ulps: f64,
    /// Of what is allowed; 1 is all of it.
    pub(crate) largest_share: f64,
    /// The first few elements that are further apart than is allowed, and how many there are.
    pub(crate) failures: Vec<String>,
    pub(crate) failed: usize,
}

impl Difference {
    /// Adds what one launch wrote into one parameter, found against expected.
    pub(crate) fn add(&mut self, shape: &str, expected: &Output, found: &Output, allowed: &Allowed) {
        assert_eq!(
            (expected.parameter, expected.values.len()),
            (found.parameter, found.values.len()),
            "the same output"
        );
        for (index, (&expected_value, &found_value)) in expected.values.iter().zip(&found.values).enumerate()
        {
            self.elements += 1;
            if expected_value.to_bits() == found_value.to_bits()
                || expected_value.is_nan() && found_value.is_nan()
            {
                continue;
            }
            // Not equal in bits: zeros of two signs count as differing by nothing.
            let error = (found_value - expected_value).abs();
            let error = if error.is_nan() { f64::INFINITY } else { error };
            let ulps = error / expected.numbers.ulp(expected_value);
            let term_ulps = error / expected.numbers.ulp(allowed.scale(index, expected_value));
            let limit = allowed.at(index, expected.numbers, expected_value, found_value);
            let share = if error == 0.0 { 0.0 } else { error / limit };
            self.differing += 1;
            self.largest = self.largest.max(error);
            self.largest_ulps = self.largest_ulps.max(ulps);
            self.largest_term_ulps = self.largest_term_ulps.max(term_ulps);
            self.largest_share = self.largest_share.max(share);
            if share > 1.0 {
                self.failed += 1;
                if self.failures.len() < 4 {
                    self.failures.push(format!(
                        "{shape}: {}[{index}] of {} is {found_value:e}, and {expected_value:e} on the host: {error:e} apart ({ulps:.1} ulps of {}), {limit:e} allowed",
                        expected.parameter,
                        expected.values.len(),
                        expected.element,
                    ));
                }
            }
        }
    }
}

#[test]
fn an_ulp_is_the_distance_to_the_next_element() {
    for value in [1.0_f32, 1.5, 3.0, 1e-40, 0.0, 1e30] {
        let next = f32::from_bits(value.to_bits() + 1);
        let distance = next.exact() - value.exact();
        assert!((f32::NUMBERS.ulp(value.exact()) / distance - 1.0).abs() < 1e-9, "{value}");
    }
    for value in [1.0_f32, 0.1, 2e-7, 60_000.0].map(f16::from_f32) {
        let distance = f16::from_bits(value.to_bits() + 1).exact() - value.exact();
        assert!((f16::NUMBERS.ulp(value.exact()) / distance - 1.0).abs() < 1e-9, "{value}");
    }
    for value in [1.0_f32, 0.1, 1e-39, -7.0].map(bf16::from_f32) {
        let distance = (bf16::from_bits(value.to_bits() + 1).exact() - value.exact()).abs();
        assert!((bf16::NUMBERS.ulp(value.exact()) / distance - 1.0).abs() < 1e-9, "{value}");
    }
}

#[test]
fn what_is_further_apart_than_allowed_fails() {
    let expected = Output::new("y", &[1.0_f32, 1.0, 2.0]);
    let check = |found: [f32; 3], allowed: &Allowed| {
        let mut difference = Difference::default();
        difference.add("case", &expected, &Output::new("y", &found), allowed);
        difference
    };
    let four = Allowed::OfItself { roundings: 4.0, length: 2 };
    let near = f32::from_bits(1.0_f32.to_bits() + 2);
    let far = f32::from_bits(1.0_f32.to_bits() + 3);
    assert_eq!(check([near, 1.0, 2.0], &four).failed, 0);
    assert!((check([near, 1.0, 2.0], &four).largest_ulps - 2.0).abs() < 1e-9);
    assert_eq!(check([far, 1.0, 2.0], &four).failed, 1);
    assert_eq!(check([near, 1.0, 2.0], &Allowed::Nothing).failed, 1);
    assert_eq!(check([f32::NAN, 1.0, 2.0], &four).failed, 1, "one is no number");
    assert_eq!(check([1.0, 1.0, 2.000_001], &four).failed, 1, "past the elements that a launch writes");
    let magnitudes = Allowed::Of { roundings: 8.0, magnitudes: vec![0.0, 1.0, 1.0] };
    assert_eq!(check([near, 1.0, 2.0], &magnitudes).failed, 1);
    assert_eq!(check([1.0, far, 2.0], &magnitudes).failed, 0);
}
