use warpcall::KernelParam;

#[derive(Clone, Copy, KernelParam)]
#[repr(C)]
struct Params {
    rows: Option<u32>,
}

fn main() {}
