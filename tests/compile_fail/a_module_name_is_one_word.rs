use warpcall::kernel;

#[kernel(module = "m\0x")]
unsafe extern "C" {
    #[link_name = "k\n"]
    pub unsafe fn k(x: *mut f32);
}

fn main() {}
