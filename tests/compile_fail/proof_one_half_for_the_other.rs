use warpcall::kernel;

#[kernel(source = "cuda/norm.cu")]
unsafe extern "C" {
    pub unsafe fn convert(output: *mut half::f16, input: *const half::bf16, scale: warpcall::Float4, count: usize);
}

fn main() {}
