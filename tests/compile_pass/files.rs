//! Files that a declaration embeds.

#[warpcall::kernel(source = "compile_pass/files.cu")]
unsafe extern "C" {
    pub unsafe fn from_source(x: *mut f32);
}

#[warpcall::kernel(source = "compile_pass/files.cu", image = "compile_pass/files.ptx", module = "compiled")]
unsafe extern "C" {
    pub unsafe fn from_image(x: *mut f32);
}

#[warpcall::kernel(
    module = "embedded_source",
    source = "compile_pass/term/add.cu",
    image = "compile_pass/term/newer.ptx",
    embed_source,
    include("compile_pass/term/include"),
    defines("PARTS=2")
)]
unsafe extern "C" {
    pub unsafe fn add(values: *mut f32, term: f32, n: i32);
}
