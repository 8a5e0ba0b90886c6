use warpcall::kernel;

#[kernel(module = "m")]
unsafe extern "C" {
    pub safe fn k(x: *mut f32);
}

fn main() {}
