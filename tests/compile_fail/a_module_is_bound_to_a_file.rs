use warpcall::kernel;

#[kernel(module = "m")]
pub mod kernels {}

fn main() {}
