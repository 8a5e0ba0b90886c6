use warpcall::{KernelParam, kernel};

#[derive(Clone, Copy, KernelParam)]
#[repr(C)]
pub struct TensorMap {
    pub rows: u32,
}

#[kernel(module = "m")]
unsafe extern "C" {
    pub unsafe fn k(map: TensorMap);
}

fn main() {}
