use warpcall::kernel;

#[kernel(source = "cuda/bind.cu")]
unsafe mod kernels {}

fn main() {}
