use warpcall::KernelParam;

#[derive(Clone, Copy, KernelParam)]
#[repr(C)]
enum Mode {
    Fast,
    Exact,
}

fn main() {}
