use warpcall::kernel;

#[kernel(module = "m")]
unsafe extern "C" {
    static COUNT: u32;
    pub unsafe fn k(x: *mut f32);
}

fn main() {}
