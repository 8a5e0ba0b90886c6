use warpcall::{KernelParam, kernel};

#[derive(Clone, Copy, KernelParam)]
#[repr(C)]
pub struct Params<T> {
    pub value: T,
}

#[kernel(module = "m")]
unsafe extern "C" {
    pub unsafe fn k(params: Params<f32>);
}

fn main() {}
