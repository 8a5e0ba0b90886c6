use warpcall::kernel;

#[repr(C)]
pub struct Entry {
    pub index: u32,
    pub weight: f32,
}

#[kernel(source = "cuda/norm.cu")]
unsafe extern "C" {
    pub unsafe fn gather(output: *mut f32, entries: *const Entry, #[unchecked] mode: u32);
}

fn main() {}
