use warpcall::kernel;

#[kernel(module = "m")]
unsafe extern "C" {
    pub unsafe fn k(x: dyn std::fmt::Debug);
}

fn main() {}
