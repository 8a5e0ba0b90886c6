//! The tools of `warpcall::diagnose` on a CUDA device.

mod cuda_support;

#[path = "cuda_diagnose/hazards.rs"]
mod hazards;

#[path = "cuda_diagnose/trace.rs"]
mod trace;
