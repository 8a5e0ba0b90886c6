use warpcall::KernelParam;

#[derive(Clone, Copy, KernelParam)]
#[repr(C)]
struct Params {
    data: Vec<f32>,
}

fn main() {}
