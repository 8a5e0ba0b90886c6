use warpcall::{LaunchConfig, StreamRef, TensorMap, kernel};

#[kernel(module = "saxpy")]
unsafe extern "C" {
    unsafe fn saxpy(map: TensorMap);
}

fn call(stream: &StreamRef<'_>, map: TensorMap) -> warpcall::Result<()> {
    unsafe { launch_saxpy(stream, LaunchConfig::new(1, 256), map) }
}

fn main() {}
