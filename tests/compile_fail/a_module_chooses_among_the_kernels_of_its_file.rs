use warpcall::kernel;

#[kernel(source = "cuda/bind.cu", skip("copy", "scales"))]
pub mod one {}

#[kernel(source = "cuda/bind.cu", only("copy"))]
pub mod two {}

#[kernel(source = "cuda/bind.cu", only("scale"), skip("Scale"))]
pub mod three {}

fn main() {}
