use warpcall::kernel;

#[kernel(module = "m")]
unsafe extern "C" {
    #[host]
    pub unsafe fn k(x: *mut f32);
}

fn main() {}
