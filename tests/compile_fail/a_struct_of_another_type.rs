use warpcall::{KernelParam, LaunchConfig, StreamRef, kernel};

#[kernel(module = "saxpy")]
unsafe extern "C" {
    unsafe fn saxpy(params: Params);
}

#[derive(Clone, Copy, KernelParam)]
#[repr(C)]
struct Params {
    rows: u32,
}

#[derive(Clone, Copy, KernelParam)]
#[repr(C)]
struct Other {
    rows: u32,
}

fn call(stream: &StreamRef<'_>, ) -> warpcall::Result<()> {
    unsafe { launch_saxpy(stream, LaunchConfig::new(1, 256), Other { rows: 8 }) }
}

fn main() {}
