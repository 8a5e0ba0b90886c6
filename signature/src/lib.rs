//! What a CUDA kernel's signature is, and readers for the four places where it is written: CUDA
//! C++ source, PTX, cubin and fatbin.
//!
//! A launch passes untyped pointers, so the only defence against a wrong argument is knowing what
//! the kernel expects. Source tells the exact types, pointees and constness; an image tells what was
//! compiled: how many parameters, and the size and alignment of each. All four readers fill the
//! same [`Kernel`], and [`compare()`] says where two of them disagree, as far as both know.
//!
//! ```
//! use warpcall_signature::{compare, ptx, source::SourceReader};
//!
//! let source = SourceReader::new()
//!     .read_text("scale.cu", "extern \"C\" __global__ void scale(float* x, float by, int n) {}")?;
//! let image = ptx::read(
//!     b".version 8.0\n.target sm_90\n.address_size 64\n\
//!       .visible .entry scale(.param .u64 scale_param_0, .param .f32 scale_param_1,\n\
//!       .param .u32 scale_param_2) { ret; }",
//! )?;
//! let written = source.kernel("scale").expect("declared above");
//! let compiled = image.kernel("scale").expect("compiled above");
//! assert_eq!(written.to_string(), "scale(float* x, float by, int n)");
//! assert!(compare(written, compiled).is_empty());
//! # Ok::<(), warpcall_signature::Diagnostic>(())
//! ```
//!
//! The readers of images take untrusted bytes: every read is checked against the end, memory is
//! bounded, and nothing panics. The reader of source does no more than the preprocessor and the
//! declarations need; function bodies are skipped.

pub mod compare;
pub mod cubin;
pub mod fatbin;
pub mod ptx;
pub mod rust;
pub mod source;

mod builtin;
mod bytes;
mod demangle;
mod error;
mod image;
mod lookup;
mod members;
mod model;

pub use compare::{Bound, Difference, DifferenceKind, compare};
pub use demangle::kernel_of_symbol;
pub use error::{Diagnostic, Problem, Result};
pub use image::{Format, detect, read};
pub use lookup::Lookup;
pub use model::*;
pub use source::NameExpression;
