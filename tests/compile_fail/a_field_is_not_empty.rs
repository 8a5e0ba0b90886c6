use warpcall::KernelParam;

#[derive(Clone, Copy, KernelParam)]
#[repr(C)]
struct Tag;

#[derive(Clone, Copy, KernelParam)]
#[repr(C)]
struct Params {
    tag: Tag,
    rows: u32,
}

fn main() {}
