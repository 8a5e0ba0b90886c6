use warpcall::kernel;

#[kernel(module = "m")]
pub struct Kernel {
    x: *mut f32,
}

fn main() {}
