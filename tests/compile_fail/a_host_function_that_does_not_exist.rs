use warpcall::kernel;

fn other() {}

#[kernel(module = "m")]
unsafe extern "C" {
    #[host(reference)]
    pub unsafe fn k(y: *mut f32, x: *const f32, a: f32);
}

fn main() {}
