use warpcall::kernel;

#[kernel(source = "cuda/norm.cu")]
unsafe extern "C" {
    pub unsafe fn exp_f64(y: *mut f32, x: *const f64, n: u32);
}

fn main() {}
