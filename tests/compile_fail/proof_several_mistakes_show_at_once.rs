use warpcall::{Buffer, LaunchConfig, Stream, kernel};

#[kernel(source = "cuda/norm.cu")]
unsafe extern "C" {
    pub unsafe fn rms_norm(output: *mut f64, input: *mut f32, hidden_size: usize, eps: f32);
    pub unsafe fn exp_f32(y: *mut f32, x: *const f32, n: u32);
    pub unsafe fn exp_f64(y: *mut f64, count: u32);
}

// The launch functions are there all the same.
pub fn launch(stream: &Stream, y: &mut Buffer<f32>, x: &Buffer<f32>) -> warpcall::Result<()> {
    unsafe { launch_exp_f32(stream, LaunchConfig::new(1, 1), y, x, 1) }
}

fn main() {}
