use warpcall::kernel;

#[kernel(module = "m")]
unsafe extern "C" {
    pub unsafe fn k(shape: [u32; 3]);
}

fn main() {}
