//! CUDA kernels of language-model inference, and what each of them computes, in plain Rust.
//!
//! The sources are in `cuda/`, compiled in `ptx/`: normalisation, rotary embedding, activations,
//! softmax, matrix products, the cache of keys and values and attention over it, and a few more.
//! `README.md` beside this crate's manifest lists them all with their launch geometry.
//!
//! [`reference`](mod@reference) has a function of the same name and the same parameters for every
//! kernel. It runs where there is no GPU, and says what a kernel must compute where there is one.

pub mod activation;
pub mod argmax;
pub mod attention;
pub mod convert;
pub mod embedding;
pub mod gemm;
pub mod gemv;
pub mod kv_cache;
pub mod norm;
pub mod quantize;
pub mod reference;
pub mod rope;
pub mod saxpy;
pub mod softmax;
pub mod tile_copy;
