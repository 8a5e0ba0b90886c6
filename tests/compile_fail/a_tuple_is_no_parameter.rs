use warpcall::kernel;

#[kernel(module = "m")]
unsafe extern "C" {
    pub unsafe fn k(shape: (u32, u32));
}

fn main() {}
