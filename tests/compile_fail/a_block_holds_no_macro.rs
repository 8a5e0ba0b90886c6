use warpcall::kernel;

#[kernel(module = "m")]
unsafe extern "C" {
    include!("kernels.in");
    pub unsafe fn k(x: *mut f32);
}

fn main() {}
