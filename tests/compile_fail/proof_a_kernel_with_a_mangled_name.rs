use warpcall::kernel;

#[kernel(source = "cuda/norm.cu")]
unsafe extern "C" {
    pub unsafe fn scale(x: *mut f32, by: f32);
}

fn main() {}
