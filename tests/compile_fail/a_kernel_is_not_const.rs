use warpcall::kernel;

#[kernel(module = "m")]
unsafe extern "C" {
    pub const unsafe fn k(x: *mut f32);
}

fn main() {}
