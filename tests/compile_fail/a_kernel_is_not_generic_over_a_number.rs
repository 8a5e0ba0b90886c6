use warpcall::kernel;

#[kernel(module = "m")]
unsafe extern "C" {
    pub unsafe fn k<const N: usize>(x: *mut f32);
}

fn main() {}
