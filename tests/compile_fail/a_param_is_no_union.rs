use warpcall::KernelParam;

#[derive(Clone, Copy, KernelParam)]
#[repr(C)]
union Bits {
    number: f32,
    bits: u32,
}

fn main() {}
