use warpcall::KernelParam;

#[derive(Clone, Copy, KernelParam)]
#[repr(C, packed)]
struct Params {
    flag: u8,
    rows: u32,
}

fn main() {}
