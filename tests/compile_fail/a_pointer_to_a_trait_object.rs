use warpcall::kernel;

#[kernel(module = "m")]
unsafe extern "C" {
    pub unsafe fn k(x: *const dyn std::fmt::Debug);
}

fn main() {}
