use warpcall::KernelParam;

#[derive(Clone, Copy, KernelParam)]
#[repr(C)]
struct Params<T> {
    value: T,
}

fn main() {}
