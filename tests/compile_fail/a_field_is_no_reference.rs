use warpcall::KernelParam;

#[derive(Clone, Copy, KernelParam)]
#[repr(C)]
struct Params {
    data: &'static f32,
}

fn main() {}
