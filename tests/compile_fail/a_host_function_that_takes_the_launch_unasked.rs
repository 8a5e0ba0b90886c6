use warpcall::{HostLaunch, kernel};

fn reference(_launch: &HostLaunch<'_>, _y: &mut [f32], _x: &[f32], _a: f32) {}

#[kernel(module = "m")]
unsafe extern "C" {
    #[host(reference)]
    pub unsafe fn k(y: *mut f32, x: *const f32, a: f32);
}

fn main() {}
