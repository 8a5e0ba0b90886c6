use warpcall::kernel;

#[kernel(image = "$OUT_DIR/k.ptx")]
unsafe extern "C" {
    pub unsafe fn k(x: *mut f32);
}

fn main() {}
