use warpcall::{Buffer, LaunchConfig, Result, Stream, kernel};

#[kernel(source = "cuda/bind.cu", only("scale"))]
pub mod kernels {}

fn scale(stream: &Stream, values: &mut Buffer<f64>, n: usize) -> Result<()> {
    unsafe { kernels::launch_scale(stream, LaunchConfig::new(1, 32), values, 2.0, n) }
}

fn main() {}
