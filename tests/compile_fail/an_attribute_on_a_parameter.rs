use warpcall::kernel;

#[kernel(module = "m")]
unsafe extern "C" {
    pub unsafe fn k(#[inout] x: *mut f32);
}

fn main() {}
