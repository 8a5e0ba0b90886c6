use warpcall::kernel;

#[kernel(module = "norm", image = "cuda/norm.ptx")]
unsafe extern "C" {
    pub unsafe fn rms_nrom(x: *mut f32);
}

fn main() {}
