use warpcall::{Buffer, LaunchConfig, Result, Stream, kernel};

#[kernel(source = "cuda/norm.cu")]
unsafe extern "C" {
    #[instance("copy<float>", T = f32)]
    pub unsafe fn copy<T>(to: *mut T, from: *const T, count: i32);
}

fn call<T: bytemuck::Pod>(stream: &Stream, to: &mut Buffer<T>, from: &Buffer<T>) -> Result<()> {
    unsafe { launch_copy(stream, LaunchConfig::new(1, 256), to, from, 1) }
}

fn main() {}
