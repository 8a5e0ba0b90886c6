use warpcall::kernel;

#[derive(Clone, Copy)]
#[repr(C)]
pub struct Params {
    rows: u32,
}

#[kernel(module = "m")]
unsafe extern "C" {
    pub unsafe fn k(params: Params);
}

fn main() {}
