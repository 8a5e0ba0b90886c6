use warpcall::kernel;

#[kernel(module = "m")]
pub unsafe fn k(x: *mut f32) {
    unsafe { *x = 1.0 }
}

fn main() {}
