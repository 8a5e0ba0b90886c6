use warpcall::{LaunchConfig, StreamRef, kernel};

#[kernel(modul = "m")]
extern "C" {
    pub unsafe fn a(x: &f32, y: Vec<f32>, n: u32);
    pub safe fn b(n: u32) -> f32;
    static C: u32;
    pub unsafe fn d(n: u32, n: u32) {}
}

// The functions are there all the same: nothing is said of their callers.
fn call(stream: &StreamRef<'_>) -> warpcall::Result<()> {
    launch_b(stream, LaunchConfig::new(1, 1), 1)?;
    println!("{D}");
    unsafe { launch_a(stream, LaunchConfig::new(1, 1), &1.0, vec![1.0], 1) }
}

fn main() {}
