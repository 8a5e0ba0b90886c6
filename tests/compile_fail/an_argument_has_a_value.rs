use warpcall::kernel;

#[kernel(module)]
unsafe extern "C" {
    pub unsafe fn k(x: *mut f32);
}

fn main() {}
