use warpcall::kernel;

#[kernel(module = "m")]
unsafe extern "C" {
    pub unsafe fn k(/** the output */ x: *mut f32);
}

fn main() {}
