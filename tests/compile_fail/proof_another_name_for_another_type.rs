use warpcall::kernel;

pub type Count = u64;

#[kernel(source = "cuda/norm.cu")]
unsafe extern "C" {
    pub unsafe fn rms_norm(output: *mut f32, input: *const f32, hidden_size: Count, eps: f32);
}

fn main() {}
