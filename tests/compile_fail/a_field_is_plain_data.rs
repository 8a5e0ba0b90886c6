use warpcall::KernelParam;

#[derive(Clone, Copy)]
#[repr(C)]
struct Inner {
    rows: u32,
}

#[derive(Clone, Copy, KernelParam)]
#[repr(C)]
struct Params {
    inner: Inner,
    many: [Inner; 4],
}

fn main() {}
