use warpcall::kernel;

#[kernel(source = "/does/not/exist.cu")]
unsafe extern "C" {
    pub unsafe fn k(x: *mut f32);
}

fn main() {}
