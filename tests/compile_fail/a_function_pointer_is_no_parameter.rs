use warpcall::kernel;

#[kernel(module = "m")]
unsafe extern "C" {
    pub unsafe fn k(f: fn(f32) -> f32);
}

fn main() {}
