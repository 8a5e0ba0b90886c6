use warpcall::kernel;

#[kernel(module = "m")]
unsafe extern "C" {
    pub unsafe fn k(#[nullable] n: u32);
}

fn main() {}
