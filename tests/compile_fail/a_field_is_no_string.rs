use warpcall::KernelParam;

#[derive(Clone, KernelParam)]
#[repr(C)]
struct Params {
    name: String,
}

fn main() {}
