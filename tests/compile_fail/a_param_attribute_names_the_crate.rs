use warpcall::KernelParam;

#[derive(Clone, Copy, KernelParam)]
#[kernel_param(name = "params")]
#[repr(C)]
struct Params {
    rows: u32,
}

fn main() {}
