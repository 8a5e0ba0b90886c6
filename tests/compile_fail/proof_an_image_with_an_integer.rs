use warpcall::kernel;

#[kernel(module = "norm", image = "cuda/norm.ptx")]
unsafe extern "C" {
    pub unsafe fn rms_norm(output: *mut f32, input: *const f32, hidden_size: f32, eps: f32);
}

fn main() {}
