//! What each kernel computes, as a safe function on the host.
//!
//! A function has its kernel's name and parameters, in the kernel's order: a pointer the kernel
//! writes through is a `&mut` slice, one it only reads a `&` slice, everything else is passed by
//! value. Kernels that exist for several element types are one generic function over [`Element`],
//! so the reference of `rms_norm_f16` is `rms_norm::<f16>`. Where a kernel takes the number of rows
//! from its grid, the grid comes first.
//!
//! Sums and intermediate values are `f32`, as in the kernels, and a result is rounded once, when it
//! is stored. A kernel adds in another order, so results agree to rounding and not to the bit.
//!
//! # Panics
//!
//! Every function panics where a slice is shorter than what its kernel would touch, and on nothing
//! else. Elements that the kernel would not touch are left alone.

// The parameters are the kernels', and so is the rounding of a size to a float.
#![allow(clippy::too_many_arguments, clippy::cast_precision_loss)]
// The section above says it once for all of them.
#![allow(clippy::missing_panics_doc)]

mod activation;
mod argmax;
mod attention;
mod convert;
mod element;
mod embedding;
mod gemm;
mod gemv;
mod kv_cache;
mod norm;
mod quantize;
mod rope;
mod saxpy;
mod softmax;
mod tile_copy;

pub use activation::{gelu, silu_mul};
pub use argmax::argmax;
pub use attention::attention_decode;
pub use convert::convert;
pub use element::Element;
pub use embedding::embedding;
pub use gemm::gemm;
pub use gemv::gemv;
pub use kv_cache::kv_append;
pub use norm::{add_rms_norm, layer_norm, rms_norm};
pub use quantize::{dequantize_int8, quantize_int8};
pub use rope::{RopeParams, rope};
pub use saxpy::saxpy;
pub use softmax::softmax;
pub use tile_copy::{TILE_HEIGHT, TILE_WIDTH, tile_copy};
