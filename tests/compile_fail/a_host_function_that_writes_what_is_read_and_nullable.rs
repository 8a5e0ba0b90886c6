use warpcall::kernel;

fn reference(_y: Option<&[f32]>, _x: Option<&mut [f32]>) {}

#[kernel(module = "m")]
unsafe extern "C" {
    #[host(reference)]
    pub unsafe fn k(#[nullable] y: *mut f32, #[nullable] x: *const f32);
}

fn main() {}
