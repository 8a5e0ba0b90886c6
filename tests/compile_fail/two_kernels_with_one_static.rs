use warpcall::kernel;

#[kernel(module = "m")]
unsafe extern "C" {
    pub unsafe fn addKernel(x: *mut f32);
    pub unsafe fn add_kernel(x: *mut f32);
}

fn main() {}
