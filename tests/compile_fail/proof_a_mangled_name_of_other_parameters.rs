use warpcall::kernel;

#[kernel(source = "cuda/norm.cu")]
unsafe extern "C" {
    #[link_name = "_Z5scalePdd"]
    pub unsafe fn scale(x: *mut f64, by: f64);
}

fn main() {}
