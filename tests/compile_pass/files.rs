//! Files that a declaration embeds.

#[warpcall::kernel(source = "compile_pass/files.cu")]
unsafe extern "C" {
    pub unsafe fn from_source(x: *mut f32);
}

#[warpcall::kernel(source = "compile_pass/files.cu", image = "compile_pass/files.ptx", module = "compiled")]
unsafe extern "C" {
    pub unsafe fn from_image(x: *mut f32);
}
