use warpcall::kernel;

#[kernel(module = "m")]
unsafe extern "C" {
    #[unsafe(no_mangle)]
    pub unsafe fn k(x: *mut f32);
}

fn main() {}
