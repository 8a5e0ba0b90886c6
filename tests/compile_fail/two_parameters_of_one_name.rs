use warpcall::kernel;

#[kernel(module = "m")]
unsafe extern "C" {
    pub unsafe fn k(n: u32, n: u32);
}

fn main() {}
