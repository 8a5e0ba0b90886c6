//! Memory, where it lies, and copies.

use std::alloc::Layout;
use std::ffi::{c_int, c_uint, c_void};

use cudarc::driver::sys::CUstream;

use super::super::driver::{Code, code};
use super::super::handles::address;
use super::{call, fresh, put};

/// The alignment of what is pinned.
const PAGE: usize = 4096;

pub(super) unsafe extern "C" fn allocate(start: *mut u64, bytes: usize) -> Code {
    call("cuMemAlloc", |state| {
        let memory = fresh();
        state.device_memory.insert(memory, bytes);
        put(start, memory)
    })
}

pub(super) unsafe extern "C" fn free(start: u64) -> Code {
    call("cuMemFree", |state| {
        state.device_memory.remove(&start).expect("it is allocated");
        state.wait("cuMemFree")
    })
}

pub(super) unsafe extern "C" fn allocate_pinned(start: *mut *mut c_void, bytes: usize, _: c_uint) -> Code {
    call("cuMemHostAlloc", |state| {
        let layout = Layout::from_size_align(bytes, PAGE).expect("a small size");
        // SAFETY: nobody asks for no bytes.
        let memory = unsafe { std::alloc::alloc(layout) };
        // As whoever had the memory before may have left it.
        // SAFETY: it is as long.
        unsafe { memory.write_bytes(0xa5, bytes) };
        state.pinned.insert(address(memory), layout);
        put(start, memory.cast())
    })
}

pub(super) unsafe extern "C" fn free_pinned(start: *mut c_void) -> Code {
    call("cuMemFreeHost", |state| {
        let layout = state.pinned.remove(&address(start)).expect("it is allocated");
        // SAFETY: it was allocated with this layout, and is forgotten.
        unsafe { std::alloc::dealloc(start.cast(), layout) };
        state.wait("cuMemFreeHost")
    })
}

pub(super) unsafe extern "C" fn pinned_alias(alias: *mut u64, start: *mut c_void, _: c_uint) -> Code {
    call("cuMemHostGetDevicePointer", |_| put(alias, address(start) | 1 << 60))
}

/// Of memory that is allocated on the device.
pub(super) unsafe extern "C" fn pointer_attribute(value: *mut c_void, attribute: c_uint, at: u64) -> Code {
    call("cuPointerGetAttribute", |state| {
        let found = state
            .device_memory
            .iter()
            .find(|(start, bytes)| (**start..**start + **bytes as u64).contains(&at));
        let of_others = found.and_then(|(start, _)| state.of_others.get(start)).copied();
        let (device, is_managed) = of_others.unwrap_or((state.device, false));
        match (found, attribute) {
            (None, _) => code::INVALID_VALUE,
            // `CU_MEMORYTYPE_DEVICE`.
            (Some(_), 2) => put(value.cast::<c_uint>(), 2),
            (Some(_), 8) => put(value.cast::<c_uint>(), is_managed.into()),
            (Some(_), 9) => put(value.cast::<c_int>(), device),
            (Some((start, _)), 11) => put(value.cast(), *start),
            (Some((_, bytes)), _) => put(value.cast(), *bytes),
        }
    })
}

pub(super) unsafe extern "C" fn copy_to_device(_: u64, _: *const c_void, _: usize) -> Code {
    call("cuMemcpyHtoD", |state| state.wait_for("cuMemcpyHtoD", 0))
}

/// In the tests, of a source that is gone when a graph is launched.
pub(super) unsafe extern "C" fn copy_to_device_async(
    _: u64,
    _: *const c_void,
    _: usize,
    stream: CUstream,
) -> Code {
    call("cuMemcpyHtoDAsync", |state| state.wait_for("cuMemcpyHtoDAsync", address(stream)))
}
