use warpcall::{Buffer, LaunchConfig, Result, Stream, kernel};

#[kernel(source = "cuda/norm.cu")]
unsafe extern "C" {
    #[instance("copy<float>", T = f32)]
    #[instance("copy<unsigned char>", T = u8)]
    pub unsafe fn copy<T>(to: *mut T, from: *const T, count: i32);
}

fn call(stream: &Stream, to: &mut Buffer<i32>, from: &Buffer<i32>) -> Result<()> {
    unsafe { launch_copy(stream, LaunchConfig::new(1, 256), to, from, 1) }
}

fn main() {}
