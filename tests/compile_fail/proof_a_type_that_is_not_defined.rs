use warpcall::kernel;

#[kernel(source = "cuda/norm.cu")]
unsafe extern "C" {
    pub unsafe fn gather(output: *mut f32, #[unchecked] entries: *const f32, mode: u32);
}

fn main() {}
