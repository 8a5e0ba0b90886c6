use warpcall::kernel;

#[kernel(source = "cuda/bind.cu", only("rope"))]
pub mod kernels {
    #[allow(unused_imports)]
    use super::*;
}

fn main() {}
