use warpcall::kernel;

#[kernel(source = "cuda/norm.cu")]
unsafe extern "C" {
    pub unsafe fn rms_norm(output: *mut f32, input: *const f32, eps: f32, hidden_size: u32);
}

fn main() {}
