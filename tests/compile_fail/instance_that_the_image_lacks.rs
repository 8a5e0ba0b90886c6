use warpcall::kernel;

#[kernel(source = "cuda/scale.cu", image = "cuda/scale.ptx")]
unsafe extern "C" {
    #[instance("scale<double>")]
    unsafe fn scale(output: *mut f64, input: *const f64, factor: f32, n: u32);
}

#[kernel(module = "other", image = "cuda/scale.ptx")]
unsafe extern "C" {
    #[instance("scale<float, 2>")]
    unsafe fn scale_by_2(output: *mut f32, input: *const f32, factor: f32, n: u32);
}

fn main() {}
