//! Without any prelude the expansion finds all it names.
#![no_implicit_prelude]

use ::core::clone::Clone;
use ::core::ffi::c_void;
use ::core::marker::Copy;

#[derive(Clone, Copy, ::warpcall::KernelParam)]
#[repr(C)]
pub struct Params {
    pub rows: u32,
    pub scale: [f32; 3],
}

#[derive(Clone, Copy, ::warpcall::KernelParam)]
#[repr(C)]
pub struct Pair(pub u8, pub Params);

#[::warpcall::kernel(module = "no_prelude")]
unsafe extern "C" {
    #[instance("instance<float>")]
    pub unsafe fn instance(to: *mut f32);
}

#[::warpcall::kernel(module = "no_prelude")]
unsafe extern "C" {
    pub unsafe fn every_kind(
        read: *const f32,
        write: *mut f32,
        untyped: *mut c_void,
        table: *const *const f32,
        #[nullable] bias: *const f32,
        #[nullable] mask: *mut u8,
        flag: bool,
        vector: ::warpcall::Float4,
        params: Params,
        pair: Pair,
        map: ::warpcall::TensorMap,
    );
}
