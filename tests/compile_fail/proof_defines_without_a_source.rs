use warpcall::kernel;

#[kernel(module = "norm", defines("WITH_BIAS"))]
unsafe extern "C" {
    pub unsafe fn k(x: *mut f32);
}

fn main() {}
