use warpcall::kernel;

#[kernel(module = "m", image = "/does/not/exist.ptx")]
unsafe extern "C" {
    pub unsafe fn k(x: *mut f32);
}

fn main() {}
