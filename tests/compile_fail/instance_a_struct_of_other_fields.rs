use warpcall::{KernelParam, kernel};

#[derive(Clone, Copy, KernelParam)]
#[repr(C)]
struct Range {
    count: u32,
    first: u32,
}

#[kernel(source = "cuda/scale.cu")]
unsafe extern "C" {
    #[instance("sum<float>", T = f32)]
    #[instance("sum<int>", T = i32)]
    unsafe fn sum<T>(total: *mut f32, values: *const T, range: Range);
}

fn main() {}
