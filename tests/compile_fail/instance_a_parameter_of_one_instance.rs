use warpcall::kernel;

#[kernel(source = "cuda/scale.cu")]
unsafe extern "C" {
    #[instance("scale<float, 4>", T = f32)]
    #[instance("scale<int>", T = i32)]
    pub unsafe fn scale<T>(output: *mut T, input: *const T, factor: T, n: u64);
}

fn main() {}
