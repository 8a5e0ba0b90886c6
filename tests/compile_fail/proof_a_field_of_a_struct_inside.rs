use warpcall::{KernelParam, kernel};

#[derive(Clone, Copy, KernelParam)]
#[repr(C)]
pub struct Axis {
    pub extent: u32,
    pub stride: i32,
}

#[derive(Clone, Copy, KernelParam)]
#[repr(C)]
pub struct Grid {
    pub axes: [Axis; 2],
    pub scale: f32,
}

#[kernel(source = "cuda/nested.cu")]
unsafe extern "C" {
    pub unsafe fn walk(output: *mut f32, grid: Grid);
}

fn main() {}
