use warpcall::kernel;

#[kernel(module = "m")]
unsafe extern "C" {
    pub unsafe fn gemm(M: u32, N: u32, K: u32);
    pub unsafe fn k(x: *mut f32);
}

fn main() {}
