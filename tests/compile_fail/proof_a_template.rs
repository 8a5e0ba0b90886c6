use warpcall::kernel;

#[kernel(source = "cuda/norm.cu")]
unsafe extern "C" {
    pub unsafe fn copy(to: *mut f32, from: *const f32, count: i32);
}

fn main() {}
