use warpcall::kernel;

#[kernel(module = "m")]
unsafe extern "C" {
    pub async unsafe fn k(x: *mut f32);
}

fn main() {}
