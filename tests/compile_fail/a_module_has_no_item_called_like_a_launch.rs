use warpcall::kernel;

#[kernel(source = "cuda/bind.cu", only("scale"))]
pub mod kernels {
    pub fn launch_scale() {}
}

fn main() {
    kernels::launch_scale();
}
