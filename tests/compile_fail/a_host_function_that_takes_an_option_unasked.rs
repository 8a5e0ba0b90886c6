use warpcall::kernel;

fn reference(_y: &mut [f32], _x: Option<&[f32]>) {}

#[kernel(module = "m")]
unsafe extern "C" {
    #[host(reference)]
    pub unsafe fn k(y: *mut f32, x: *const f32);
}

fn main() {}
