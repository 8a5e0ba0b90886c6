use warpcall::kernel;

#[kernel(module = "m")]
unsafe extern "C" {
    pub unsafe fn k(elapsed: std::time::Duration);
}

fn main() {}
