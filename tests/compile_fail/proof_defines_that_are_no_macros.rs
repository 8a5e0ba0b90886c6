use warpcall::kernel;

#[kernel(source = "cuda/norm.cu", defines("WITH BIAS"))]
unsafe extern "C" {
    pub unsafe fn add(y: *mut f32);
}

fn main() {}
