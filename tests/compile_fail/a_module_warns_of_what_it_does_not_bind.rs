#![deny(warnings)]

use warpcall::kernel;

#[kernel(source = "cuda/bind.cu", skip("Scale"))]
pub mod kernels {}

fn main() {}
