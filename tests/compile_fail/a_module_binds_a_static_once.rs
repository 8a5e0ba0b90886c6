use warpcall::kernel;

#[kernel(source = "cuda/bind.cu", only("scale", "Scale"))]
pub mod kernels {}

fn main() {
    let _ = &kernels::SCALE;
}
