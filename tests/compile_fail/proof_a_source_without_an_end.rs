use warpcall::kernel;

#[kernel(source = "cuda/unclosed.cu")]
unsafe extern "C" {
    pub unsafe fn k(x: *mut f32);
}

fn main() {}
