use warpcall::{KernelParam, kernel};

/// Called like CUDA's vector, and another.
#[derive(Clone, Copy, KernelParam)]
#[repr(C, align(16))]
pub struct Float4 {
    pub x: i32,
    pub y: i32,
    pub z: i32,
    pub w: i32,
}

#[derive(Clone, Copy, KernelParam)]
#[repr(C)]
pub struct Rotation {
    pub matrix: [[f32; 3]; 2],
    pub scale: f32,
}

#[kernel(source = "cuda/norm.cu")]
unsafe extern "C" {
    pub unsafe fn rotate(points: *mut [f32; 3], order: *const [i32; 4], origin: Float4, rotation: Rotation);
}

fn main() {}
