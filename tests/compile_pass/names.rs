//! Parameters that are called like the generated ones, and kernels that are called like keywords.
#![deny(warnings)]

#[warpcall::kernel(module = "names")]
unsafe extern "C" {
    pub unsafe fn parameters(
        stream: *const f32,
        config: u32,
        call: u32,
        self_: u32,
        r#type: *mut f32,
        args: f32,
        bytes: u8,
        kernel: u64,
        warpcall: u16,
        core: i8,
    );
    pub unsafe fn r#match(r#in: *const f32, r#mut: *mut f32);
    pub unsafe fn r#static();
    pub unsafe fn launch(launch: u32);
    pub unsafe fn f32(f32: f32);
}

#[derive(Clone, Copy, Debug, PartialEq, warpcall::KernelParam)]
#[repr(C)]
pub struct Fields {
    pub bytes: u32,
    pub r#type: u16,
    pub core: u16,
    pub r#self_: u8,
}
