use warpcall::kernel;

#[kernel(source = "cuda/scale.cu")]
unsafe extern "C" {
    #[instance("scales<float>")]
    unsafe fn scale(output: *mut f32, input: *const f32, factor: f32, n: u32);

    #[instance("sum<float, 4>")]
    unsafe fn sum(total: *mut f32, values: *const f32);

    #[instance("scale")]
    unsafe fn scale_all(output: *mut f32, input: *const f32, factor: f32, n: u32);
}

fn main() {}
