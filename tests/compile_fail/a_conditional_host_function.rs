use warpcall::kernel;

fn reference(_: &mut [f32]) {}

#[kernel(module = "m")]
unsafe extern "C" {
    #[cfg_attr(all(), host(reference))]
    pub unsafe fn k(x: *mut f32);
}

fn main() {}
