use warpcall::kernel;

fn reference(_y: &mut [f32], _n: usize) {}

#[kernel(module = "m")]
unsafe extern "C" {
    #[host(reference)]
    pub unsafe fn k(y: *mut f32, n: u32);
}

fn main() {}
