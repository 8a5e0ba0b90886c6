use warpcall::{KernelParam, kernel};

#[derive(Clone, Copy, KernelParam)]
#[repr(C)]
pub struct RopeParams {
    pub base: f32,
    pub interleaved: bool,
    pub sections: [u32; 3],
}

#[kernel(source = "cuda/bind.cu", only("rope"))]
pub mod kernels {
    use super::RopeParams;
}

fn main() {}
