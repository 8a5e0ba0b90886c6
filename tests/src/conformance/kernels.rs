//! The kernels that the suite launches, declared as a user declares them.

use std::ffi::c_void;

use float8::{F8E4M3, F8E5M2};
use half::{bf16, f16};
use warpcall::{
    Bfloat162, Char1, Char2, Char3, Char4, DevicePtr, Double1, Double2, Double3, Double4, Float1, Float2,
    Float3, Float4, Half2, Int1, Int2, Int3, Int4, Kernel, KernelParam, Longlong1, Longlong2, Longlong3,
    Longlong4, Module, Parameter, Short1, Short2, Short3, Short4, TensorMap, Uchar1, Uchar2, Uchar3, Uchar4,
    Uint1, Uint2, Uint3, Uint4, Ulonglong1, Ulonglong2, Ulonglong3, Ulonglong4, Ushort1, Ushort2, Ushort3,
    Ushort4, kernel,
};

use super::reference;

#[kernel(module = "conformance", source = "cuda/conformance.cu", image = "ptx/conformance.ptx")]
unsafe extern "C" {
    /// `values[i] = base + i` for every `i < n`.
    #[host(reference::count_up)]
    pub(super) unsafe fn count_up(values: *mut u32, n: u32, base: u32);

    /// `values[i] = values[i] * factor + term` for every `i < n`.
    #[host(reference::multiply_add)]
    pub(super) unsafe fn multiply_add(values: *mut u32, n: u32, factor: u32, term: u32);

    /// `sums[i] += terms[i]` for every `i < n`. The two may be the same memory.
    #[host(reference::accumulate)]
    pub(super) unsafe fn accumulate(sums: *mut u32, terms: *const u32, n: u32);

    /// As `multiply_add`, after `nanoseconds`.
    #[host(reference::multiply_add_late)]
    pub(super) unsafe fn multiply_add_late(
        values: *mut u32,
        n: u32,
        factor: u32,
        term: u32,
        nanoseconds: u64,
    );

    /// The grid, the block and the dynamic shared memory: seven numbers.
    #[host(reference::geometry, launch)]
    pub(super) unsafe fn geometry(seen: *mut u32);

    /// Takes nothing and does nothing.
    #[host(reference::nothing)]
    pub(super) unsafe fn nothing();

    /// What each pointer points to, -1 for null; of the table, where its second pointer leads.
    #[host(reference::follow_pointers, launch)]
    pub(super) unsafe fn follow_pointers(
        seen: *mut f32,
        plain: *const f32,
        untyped: *mut c_void,
        #[nullable] nullable: *const f32,
        #[nullable] nullable_mutable: *mut f32,
        pointers: *const *const f32,
        address: *mut u64,
    );

    /// A digest of each struct, and the bytes between them.
    #[host(reference::read_structs)]
    pub(super) unsafe fn read_structs(
        seen: *mut u64,
        first: u8,
        padded: Padded,
        second: u8,
        aligned: Aligned,
        third: u8,
        nested: Nested,
        fourth: u8,
        nine: Nine,
        fifth: u8,
        empty: Empty,
        sixth: u8,
        wide: Wide,
        last: u8,
    );

    /// The bytes of a struct with padding.
    #[host(reference::echo)]
    pub(super) unsafe fn echo_padded(seen: *mut u8, before: u8, value: Padded, after: u8);

    /// The bytes of a tensor map.
    #[host(reference::echo_tensor_map)]
    pub(super) unsafe fn echo_tensor_map(seen: *mut u8, before: u8, value: TensorMap, after: u8);
}

/// Declares the kernels that write the bytes of one value between two neighbours.
macro_rules! echoes {
    ($($kernel:ident: $type:ident;)+) => {
        #[kernel(module = "conformance", source = "cuda/conformance.cu", image = "ptx/conformance.ptx")]
        unsafe extern "C" {
            $(
                #[host(reference::echo)]
                pub(super) unsafe fn $kernel(seen: *mut u8, before: u8, value: $type, after: u8);
            )+
        }
    };
}

echoes! {
    echo_bool: bool; echo_i8: i8; echo_u8: u8; echo_i16: i16; echo_u16: u16; echo_i32: i32; echo_u32: u32;
    echo_i64: i64; echo_u64: u64; echo_isize: isize; echo_usize: usize; echo_f32: f32; echo_f64: f64;
    echo_f16: f16; echo_bf16: bf16; echo_f8e4m3: F8E4M3; echo_f8e5m2: F8E5M2;
    echo_char1: Char1; echo_char2: Char2; echo_char3: Char3; echo_char4: Char4;
    echo_uchar1: Uchar1; echo_uchar2: Uchar2; echo_uchar3: Uchar3; echo_uchar4: Uchar4;
    echo_short1: Short1; echo_short2: Short2; echo_short3: Short3; echo_short4: Short4;
    echo_ushort1: Ushort1; echo_ushort2: Ushort2; echo_ushort3: Ushort3; echo_ushort4: Ushort4;
    echo_int1: Int1; echo_int2: Int2; echo_int3: Int3; echo_int4: Int4;
    echo_uint1: Uint1; echo_uint2: Uint2; echo_uint3: Uint3; echo_uint4: Uint4;
    echo_longlong1: Longlong1; echo_longlong2: Longlong2; echo_longlong3: Longlong3; echo_longlong4: Longlong4;
    echo_ulonglong1: Ulonglong1; echo_ulonglong2: Ulonglong2; echo_ulonglong3: Ulonglong3; echo_ulonglong4: Ulonglong4;
    echo_float1: Float1; echo_float2: Float2; echo_float3: Float3; echo_float4: Float4;
    echo_double1: Double1; echo_double2: Double2; echo_double3: Double3; echo_double4: Double4;
    echo_half2: Half2; echo_bfloat162: Bfloat162;
}

/// Padding after the first, the third and the last field.
#[derive(Clone, Copy, Debug, KernelParam)]
#[repr(C)]
pub(super) struct Padded {
    pub(super) a: u8,
    pub(super) b: u64,
    pub(super) c: u16,
    pub(super) d: u32,
    pub(super) e: u8,
}

/// Aligned more strictly than its fields.
#[derive(Clone, Copy, Debug, KernelParam)]
#[repr(C, align(16))]
pub(super) struct Aligned {
    pub(super) weights: [f32; 3],
    pub(super) on: bool,
}

/// A struct, a vector and a device pointer in a struct.
#[derive(Clone, Copy, Debug, KernelParam)]
#[repr(C)]
pub(super) struct Nested {
    pub(super) tag: u8,
    pub(super) padded: Padded,
    pub(super) pair: Int2,
    pub(super) memory: DevicePtr,
}

/// One byte more than a slot.
#[derive(Clone, Copy, Debug, KernelParam)]
#[repr(C)]
pub(super) struct Nine {
    pub(super) bytes: [u8; 9],
}

/// Nothing in Rust, one byte in C++.
#[derive(Clone, Copy, Debug, KernelParam)]
#[repr(C)]
pub(super) struct Empty {}

/// 320 bytes.
#[derive(Clone, Copy, Debug, KernelParam)]
#[repr(C)]
pub(super) struct Wide {
    pub(super) words: [u64; 40],
}

/// What the module's image holds.
pub(super) const IMAGE: &[u8] =
    include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/", "ptx/conformance.ptx"));

/// The module of the kernels that are declared in data.
pub(super) const MODULE: Module = Module::new("conformance").with_image("ptx/conformance.ptx", IMAGE);

const SEVENTY_PARAMETERS: [Parameter; 71] = {
    let mut parameters = [Parameter::value("value", "u32", u32::DESCRIPTION); 71];
    parameters[0] = Parameter::device_mut::<u32>("seen", "*mut u32");
    parameters
};

/// Stores its seventy numbers.
pub(super) static SEVENTY: Kernel =
    Kernel::new(MODULE, "seventy", &SEVENTY_PARAMETERS).with_host(reference::seventy);

/// A kernel that the module does not have.
pub(super) static MISSING: Kernel = Kernel::new(MODULE, "no_such_kernel", &[]);
