use warpcall::kernel;

#[kernel(source = "cuda/norm.cu")]
unsafe extern "C" {
    pub unsafe fn add(y: *mut f32, bias: *const f32);
}

fn main() {}
