use warpcall::kernel;

#[kernel(module = "m")]
unsafe extern "C" {
    pub unsafe fn k(bias: Option<*const f32>);
}

fn main() {}
