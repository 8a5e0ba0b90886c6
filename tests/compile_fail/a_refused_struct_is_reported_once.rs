use warpcall::{KernelParam, kernel};

#[derive(Clone, Copy, KernelParam)]
struct Params {
    rows: u32,
}

#[kernel(module = "m")]
unsafe extern "C" {
    unsafe fn k(params: Params);
}

fn main() {}
