use warpcall::kernel;

#[kernel("norm")]
unsafe extern "C" {
    pub unsafe fn k(x: *mut f32);
}

fn main() {}
