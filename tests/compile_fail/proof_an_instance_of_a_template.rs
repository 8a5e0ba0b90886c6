use warpcall::kernel;

#[kernel(source = "cuda/norm.cu")]
unsafe extern "C" {
    #[link_name = "_Z4copyIfEvPT_PKS0_i"]
    pub unsafe fn copy(to: *mut f32, from: *const f64, count: i32);
}

fn main() {}
