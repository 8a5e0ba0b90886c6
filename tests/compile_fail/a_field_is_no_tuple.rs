use warpcall::KernelParam;

#[derive(Clone, Copy, KernelParam)]
#[repr(C)]
struct Params {
    shape: (u32, u32),
}

fn main() {}
