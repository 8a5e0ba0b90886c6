use warpcall::kernel;

#[kernel(module = "m")]
unsafe extern "C" {}

fn main() {}
