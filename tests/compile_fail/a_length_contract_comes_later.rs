use warpcall::kernel;

#[kernel(module = "m")]
unsafe extern "C" {
    pub unsafe fn k(#[len(n)] x: *mut f32, n: u32);
}

fn main() {}
