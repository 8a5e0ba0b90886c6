use warpcall::kernel;

#[kernel(module = "m")]
unsafe extern "C" {
    pub unsafe fn k<T>(x: *mut T);
}

fn main() {}
