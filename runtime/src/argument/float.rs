//! The floating-point types narrower than 32 bits, of the crates that the ecosystem shares.

#[cfg(any(feature = "half", feature = "fp8"))]
use super::scalar::plain_param;

#[cfg(feature = "half")]
plain_param! {
    Float: half::f16, half::bf16;
}

#[cfg(feature = "fp8")]
plain_param! {
    Float: float8::F8E4M3, float8::F8E5M2;
}
