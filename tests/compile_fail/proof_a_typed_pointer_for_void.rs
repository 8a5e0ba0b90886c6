use warpcall::kernel;

#[kernel(source = "cuda/norm.cu")]
unsafe extern "C" {
    pub unsafe fn fill(memory: *mut u8, value: i8, count: i32);
}

fn main() {}
