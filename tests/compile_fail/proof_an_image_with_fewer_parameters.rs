use warpcall::kernel;

#[kernel(module = "norm", image = "cuda/norm.ptx")]
unsafe extern "C" {
    pub unsafe fn fill(memory: *mut u8, value: i8, count: i32);
}

fn main() {}
