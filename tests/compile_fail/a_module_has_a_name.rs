use warpcall::kernel;

#[kernel]
unsafe extern "C" {
    pub unsafe fn k(x: *mut f32);
}

fn main() {}
