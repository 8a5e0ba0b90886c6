//! Functions and launches: what a launch asked for, and the limit of dynamic shared memory.

use std::ffi::{c_int, c_uint, c_void};

use cudarc::driver::sys::{CUfunction, CUstream};

use super::super::driver::{Code, LaunchAttribute, LaunchConfigEx, code};
use super::super::handles::address;
use super::{State, call, put};

/// A launch, as the driver was asked for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) struct FakeLaunch {
    pub(in super::super) call: &'static str,
    pub(in super::super) grid: [u32; 3],
    pub(in super::super) block: [u32; 3],
    pub(in super::super) shared_mem: u32,
    pub(in super::super) stream: u64,
    /// Numbers and values, as `cuda.h` lays them out.
    pub(in super::super) attributes: Vec<(u32, [u32; 3])>,
}

/// How much static shared memory a function has.
pub(in super::super) const STATIC: u32 = 1 << 10;
/// The dynamic shared memory that a function may have as it is loaded.
pub(in super::super) const DYNAMIC: u32 = (48 << 10) - STATIC;

/// `CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES` and `_MAX_DYNAMIC_SHARED_SIZE_BYTES`.
const SHARED_SIZE: c_uint = 1;
const MAX_DYNAMIC: c_uint = 8;

pub(super) unsafe extern "C" fn get_attribute(
    value: *mut c_int,
    attribute: c_uint,
    function: CUfunction,
) -> Code {
    call("cuFuncGetAttribute", |state| {
        let limit = state.functions.get(&address(function)).copied().unwrap_or(DYNAMIC);
        let found = match attribute {
            SHARED_SIZE => STATIC,
            MAX_DYNAMIC => limit,
            _ => 1 << 5,
        };
        put(value, found.cast_signed())
    })
}

pub(super) unsafe extern "C" fn set_attribute(function: CUfunction, attribute: c_uint, value: c_int) -> Code {
    call("cuFuncSetAttribute", |state| {
        assert_eq!(attribute, MAX_DYNAMIC);
        state.functions.insert(address(function), value.cast_unsigned());
        code::SUCCESS
    })
}

impl State {
    /// A function of another context is refused, and so is one that has not as much shared memory.
    fn launch(&mut self, function: CUfunction, launch: FakeLaunch) -> Code {
        match self.functions.get(&address(function)) {
            None => code::INVALID_CONTEXT,
            Some(limit) if launch.shared_mem > *limit => code::INVALID_VALUE,
            Some(_) => {
                self.launches.push(launch);
                code::SUCCESS
            }
        }
    }
}

macro_rules! plain_launch {
    ($name:ident, $call:literal, $($rest:ty),*) => {
        #[allow(clippy::too_many_arguments)] // As the driver has them.
        pub(super) unsafe extern "C" fn $name(
            function: CUfunction,
            x: c_uint,
            y: c_uint,
            z: c_uint,
            block_x: c_uint,
            block_y: c_uint,
            block_z: c_uint,
            shared_mem: c_uint,
            stream: CUstream,
            $(_: $rest),*
        ) -> Code {
            let (grid, block, stream) = ([x, y, z], [block_x, block_y, block_z], address(stream));
            let launch = FakeLaunch { call: $call, grid, block, shared_mem, stream, attributes: Vec::new() };
            call($call, |state| state.launch(function, launch))
        }
    };
}

plain_launch!(launch, "cuLaunchKernel", *mut *mut c_void, *mut *mut c_void);
plain_launch!(launch_cooperative, "cuLaunchCooperativeKernel", *mut *mut c_void);

pub(super) unsafe extern "C" fn launch_ex(
    config: *const LaunchConfigEx,
    function: CUfunction,
    _: *mut *mut c_void,
    _: *mut *mut c_void,
) -> Code {
    // SAFETY: the caller's configuration lives, with as many attributes as it says.
    let (config, attributes) = unsafe {
        let config = &*config;
        (config, std::slice::from_raw_parts(config.attributes, config.attribute_count as usize))
    };
    let read = |attribute: &LaunchAttribute| {
        // SAFETY: an attribute is 72 bytes: a number, padding to the eighth byte, and the value.
        let words = unsafe { &*std::ptr::from_ref(attribute).cast::<[u32; 18]>() };
        (words[0], [words[2], words[3], words[4]])
    };
    let launch = FakeLaunch {
        call: "cuLaunchKernelEx",
        grid: config.grid,
        block: config.block,
        shared_mem: config.shared_mem,
        stream: address(config.stream),
        attributes: attributes.iter().map(read).collect(),
    };
    call("cuLaunchKernelEx", |state| state.launch(function, launch))
}
