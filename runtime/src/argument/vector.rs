//! CUDA's vector types, with the sizes and alignments of the CUDA C++ Programming Guide's table
//! "Alignment Requirements" (section Built-in Vector Types).

use super::scalar::plain_param;

macro_rules! vector_types {
    ($($scalar:ty: $($name:ident($cuda:literal, $align:literal) { $($field:ident),+ })+;)+) => {$($(
        #[doc = concat!("CUDA's `", $cuda, "`, aligned to ", $align, " bytes.")]
        #[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd, bytemuck::Pod, bytemuck::Zeroable)]
        #[repr(C, align($align))]
        #[allow(missing_docs)]
        pub struct $name {
            $(pub $field: $scalar,)+
        }

        impl $name {
            /// The vector of these components.
            pub const fn new($($field: $scalar),+) -> Self {
                Self { $($field),+ }
            }
        }

        plain_param! { Vector: $name; }
    )+)+};
}

vector_types! {
    i8: Char1("char1", 1) { x } Char2("char2", 2) { x, y } Char3("char3", 1) { x, y, z } Char4("char4", 4) { x, y, z, w };
    u8: Uchar1("uchar1", 1) { x } Uchar2("uchar2", 2) { x, y } Uchar3("uchar3", 1) { x, y, z } Uchar4("uchar4", 4) { x, y, z, w };
    i16: Short1("short1", 2) { x } Short2("short2", 4) { x, y } Short3("short3", 2) { x, y, z } Short4("short4", 8) { x, y, z, w };
    u16: Ushort1("ushort1", 2) { x } Ushort2("ushort2", 4) { x, y } Ushort3("ushort3", 2) { x, y, z } Ushort4("ushort4", 8) { x, y, z, w };
    i32: Int1("int1", 4) { x } Int2("int2", 8) { x, y } Int3("int3", 4) { x, y, z } Int4("int4", 16) { x, y, z, w };
    u32: Uint1("uint1", 4) { x } Uint2("uint2", 8) { x, y } Uint3("uint3", 4) { x, y, z } Uint4("uint4", 16) { x, y, z, w };
    i64: Longlong1("longlong1", 8) { x } Longlong2("longlong2", 16) { x, y } Longlong3("longlong3", 8) { x, y, z } Longlong4("longlong4", 16) { x, y, z, w };
    u64: Ulonglong1("ulonglong1", 8) { x } Ulonglong2("ulonglong2", 16) { x, y } Ulonglong3("ulonglong3", 8) { x, y, z } Ulonglong4("ulonglong4", 16) { x, y, z, w };
    f32: Float1("float1", 4) { x } Float2("float2", 8) { x, y } Float3("float3", 4) { x, y, z } Float4("float4", 16) { x, y, z, w };
    f64: Double1("double1", 8) { x } Double2("double2", 16) { x, y } Double3("double3", 8) { x, y, z } Double4("double4", 16) { x, y, z, w };
}

#[cfg(feature = "half")]
vector_types! {
    half::f16: Half2("__half2", 4) { x, y };
    half::bf16: Bfloat162("__nv_bfloat162", 4) { x, y };
}
