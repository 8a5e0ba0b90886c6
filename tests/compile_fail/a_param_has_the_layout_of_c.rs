use warpcall::KernelParam;

#[derive(Clone, Copy, KernelParam)]
struct Params {
    rows: u32,
}

fn main() {}
