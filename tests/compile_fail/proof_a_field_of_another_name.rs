use warpcall::{KernelParam, kernel};

#[derive(Clone, Copy, KernelParam)]
#[repr(C)]
pub struct RopeParams {
    pub base: f32,
    pub interleaved: bool,
    pub sections: [u32; 3],
}

#[kernel(source = "cuda/norm.cu")]
unsafe extern "C" {
    pub unsafe fn rope(query: *mut f32, params: RopeParams);
}

fn main() {}
