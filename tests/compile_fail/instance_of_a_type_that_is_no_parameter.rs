use warpcall::kernel;

#[derive(Clone, Copy)]
#[repr(C)]
struct Range {
    first: u32,
    count: u32,
}

#[kernel(module = "m")]
unsafe extern "C" {
    #[instance("fill<float>", T = f32)]
    #[instance("fill<Range>", T = Range)]
    unsafe fn fill<T>(values: *mut T, value: T);
}

fn main() {}
