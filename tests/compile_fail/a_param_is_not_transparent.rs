use warpcall::KernelParam;

#[derive(Clone, Copy, KernelParam)]
#[repr(transparent)]
struct Rows(u32);

fn main() {}
