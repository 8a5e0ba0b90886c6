use warpcall::kernel;

#[kernel(image = "cuda/no_image.ptx")]
unsafe extern "C" {
    pub unsafe fn k(x: *mut f32);
}

fn main() {}
