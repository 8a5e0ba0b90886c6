use warpcall::kernel;

#[kernel(module = "m")]
unsafe extern "C" {
    pub unsafe fn k(x: &Buffer<f32>);
}

fn main() {}
