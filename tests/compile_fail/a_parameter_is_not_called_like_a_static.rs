use warpcall::kernel;

#[kernel(module = "m")]
unsafe extern "C" {
    pub unsafe fn gemm(_0: u32, _1: u32);
    pub unsafe fn _1(x: *mut f32);
}

fn main() {}
