use warpcall::kernel;

fn reference(_: &mut [f32]) {}

#[kernel(module = "m")]
unsafe extern "C" {
    #[host(reference)]
    #[host(reference)]
    pub unsafe fn k(x: *mut f32);
}

fn main() {}
