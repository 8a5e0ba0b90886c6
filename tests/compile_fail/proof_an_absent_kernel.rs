use warpcall::kernel;

#[kernel(source = "cuda/norm.cu")]
unsafe extern "C" {
    pub unsafe fn rms_nrom(x: *mut f32);
}

fn main() {}
