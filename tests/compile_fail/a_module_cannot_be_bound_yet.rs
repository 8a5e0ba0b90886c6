use warpcall::kernel;

#[kernel(module = "m")]
pub mod elementwise {}

fn main() {}
