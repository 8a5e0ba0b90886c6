use warpcall::kernel;

#[kernel(module = "m")]
unsafe extern "C" {
    pub unsafe fn k(mut n: u32);
}

fn main() {}
