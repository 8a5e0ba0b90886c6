use warpcall::kernel;

#[kernel(source = "cuda/incomplete.cu")]
unsafe extern "C" {
    pub unsafe fn fill(values: *mut f32, n: i32);
}

fn main() {}
