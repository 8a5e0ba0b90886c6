use warpcall::{Float4, KernelParam, kernel};

pub const AXES: usize = 2;
pub type Order = [u32; 4];
type Row = [f32; 2];

#[derive(Clone, Copy, KernelParam)]
#[repr(C)]
pub struct Rotation {
    pub matrix: [Row; 3],
    pub scale: f32,
}

#[kernel(source = "cuda/norm.cu")]
unsafe extern "C" {
    pub unsafe fn rotate(points: *mut [f32; AXES], order: *const Order, origin: Float4, rotation: Rotation);
}

fn main() {}
