use warpcall::kernel;

#[kernel(source = "cuda/norm.cu")]
unsafe extern "C" {
    pub unsafe fn convert(output: *mut half::bf16, input: *const half::f16, scale: warpcall::Float3, count: u64);
}

fn main() {}
