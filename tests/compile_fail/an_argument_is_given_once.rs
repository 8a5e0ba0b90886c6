use warpcall::kernel;

#[kernel(module = "a", module = "b")]
unsafe extern "C" {
    pub unsafe fn k(x: *mut f32);
}

fn main() {}
