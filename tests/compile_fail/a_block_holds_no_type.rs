use warpcall::kernel;

#[kernel(module = "m")]
unsafe extern "C" {
    type Opaque;
    pub unsafe fn k(x: *mut f32);
}

fn main() {}
