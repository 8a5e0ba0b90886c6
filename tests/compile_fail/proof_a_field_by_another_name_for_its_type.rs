use warpcall::{Float4, KernelParam, kernel};

type Scale = i32;

#[derive(Clone, Copy, KernelParam)]
#[repr(C)]
pub struct Rotation {
    pub matrix: [[f32; 3]; 2],
    pub scale: Scale,
}

#[kernel(source = "cuda/norm.cu")]
unsafe extern "C" {
    pub unsafe fn rotate(points: *mut [f32; 3], order: *const [i32; 4], origin: Float4, rotation: Rotation);
}

fn main() {}
