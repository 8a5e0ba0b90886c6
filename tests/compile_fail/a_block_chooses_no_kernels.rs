use warpcall::kernel;

#[kernel(source = "cuda/bind.cu", skip("copy"))]
unsafe extern "C" {
    pub unsafe fn scale(values: *mut f32, by: f32, n: u32);
}

fn main() {}
