use warpcall::KernelParam;

#[derive(KernelParam)]
#[repr(C)]
struct Params {
    rows: u32,
}

fn main() {}
