use warpcall::KernelParam;

#[derive(Clone, Copy, KernelParam)]
#[repr(C)]
struct Params<'a> {
    value: &'a f32,
}

fn main() {}
