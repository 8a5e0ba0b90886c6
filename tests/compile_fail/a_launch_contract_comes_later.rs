use warpcall::kernel;

#[kernel(module = "m")]
unsafe extern "C" {
    #[launch(threads = n, block = 256)]
    pub unsafe fn k(n: u32);
}

fn main() {}
