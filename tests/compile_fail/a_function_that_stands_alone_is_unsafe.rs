use warpcall::kernel;

#[kernel(module = "m")]
pub fn k(x: *mut f32);

fn main() {}
