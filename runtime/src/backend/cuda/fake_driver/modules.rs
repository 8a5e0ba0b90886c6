//! Modules: their images, and the names in them.

use std::ffi::{CStr, c_char, c_uint, c_void};

use cudarc::driver::sys::{CUfunction, CUmodule};

use super::super::driver::{Code, code};
use super::super::handles::{address, pointer};
use super::{call, fresh, put};

pub(super) unsafe extern "C" fn load(
    module: *mut CUmodule,
    image: *const c_void,
    _: c_uint,
    _: *const c_uint,
    _: *const *mut c_void,
) -> Code {
    call("cuModuleLoadDataEx", |state| {
        let handle = fresh();
        // SAFETY: the caller's image is whole, and PTX ends with a zero.
        state.modules.insert(handle, unsafe { image_at(image.cast()) });
        put(module, pointer(handle))
    })
}

/// # Safety
///
/// PTX that ends with a zero, or a cubin.
unsafe fn image_at(start: *const u8) -> Vec<u8> {
    // SAFETY: PTX is a text that ends with a zero; a cubin begins with more bytes than these, and none of them is zero.
    let text = unsafe { CStr::from_ptr(start.cast()) }.to_bytes();
    if !text.starts_with(b"\x7fELF") {
        return text.to_vec();
    }
    // SAFETY: the header of a 64-bit ELF file has 64 bytes.
    let header = unsafe { std::slice::from_raw_parts(start, 64) };
    let number = |at: usize, bytes: usize| {
        header[at..at + bytes].iter().rev().fold(0_usize, |number, byte| number << 8 | usize::from(*byte))
    };
    let tables =
        [(number(32, 8), number(54, 2), number(56, 2)), (number(40, 8), number(58, 2), number(60, 2))];
    let end = tables.into_iter().map(|(offset, size, count)| offset + size * count).max().unwrap_or(0);
    // SAFETY: what lies before the end of a table of the file is the file.
    unsafe { std::slice::from_raw_parts(start, end) }.to_vec()
}

/// A function is there if its image has the name between others, or as an entry of PTX.
pub(super) unsafe extern "C" fn get_function(
    function: *mut CUfunction,
    module: CUmodule,
    name: *const c_char,
) -> Code {
    call("cuModuleGetFunction", |state| {
        // SAFETY: the caller's name ends with a zero.
        let name = unsafe { CStr::from_ptr(name) }.to_bytes();
        let image = state.modules.get(&address(module)).expect("the module is loaded");
        let is_there = image.windows(name.len() + 2).any(|window| {
            window[1..=name.len()] == *name
                && matches!((window[0], window[name.len() + 1]), (0, 0) | (b' ', b'('))
        });
        if !is_there {
            return code::NOT_FOUND;
        }
        let found = fresh();
        state.functions.insert(found, super::DYNAMIC);
        put(function, pointer(found))
    })
}

pub(super) unsafe extern "C" fn unload(module: CUmodule) -> Code {
    call("cuModuleUnload", |state| {
        state.modules.remove(&address(module)).expect("the module is loaded");
        state.wait("cuModuleUnload")
    })
}
