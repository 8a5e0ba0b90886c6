use warpcall::kernel;

#[kernel(source = "cuda/norm.cu")]
unsafe extern "C" {
    #[cfg(not(all()))]
    pub unsafe fn add(y: *mut f32, bias: *const f32);
    #[cfg(all())]
    pub unsafe fn add(y: *mut f64);
}

fn main() {}
