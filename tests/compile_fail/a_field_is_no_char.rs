use warpcall::KernelParam;

#[derive(Clone, Copy, KernelParam)]
#[repr(C)]
struct Params {
    letter: char,
}

fn main() {}
