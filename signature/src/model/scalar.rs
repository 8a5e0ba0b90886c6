//! Scalars and CUDA's vectors of them.

use super::{Class, Layout};

/// A scalar type, by meaning: `unsigned`, `uint` and `std::uint32_t` are all [`Scalar::U32`].
///
/// Sizes are those of a 64-bit Linux target, where `long` has 64 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Scalar {
    /// `bool`.
    Bool,
    /// Plain `char`, whose sign depends on the host: it agrees with `I8` and with `U8`.
    Char,
    /// `signed char`, `int8_t`.
    I8,
    /// `unsigned char`, `uint8_t`.
    U8,
    /// `short`.
    I16,
    /// `unsigned short`.
    U16,
    /// `int`.
    I32,
    /// `unsigned int`.
    U32,
    /// `long`, `long long`.
    I64,
    /// `unsigned long`, `unsigned long long`, `size_t`.
    U64,
    /// `__int128`.
    I128,
    /// `unsigned __int128`.
    U128,
    /// `half`, `__half`.
    F16,
    /// `__nv_bfloat16`.
    Bf16,
    /// `float`.
    F32,
    /// `double`.
    F64,
    /// `__nv_fp8_e4m3`.
    Fp8E4M3,
    /// `__nv_fp8_e5m2`.
    Fp8E5M2,
    /// `__nv_fp8_e8m0`.
    Fp8E8M0,
    /// `__nv_fp6_e2m3`, in one byte.
    Fp6E2M3,
    /// `__nv_fp6_e3m2`, in one byte.
    Fp6E3M2,
    /// `__nv_fp4_e2m1`, in one byte.
    Fp4E2M1,
}

impl Scalar {
    /// Size in bytes, which is the alignment too.
    pub const fn size(self) -> u64 {
        match self {
            Self::Bool
            | Self::Char
            | Self::I8
            | Self::U8
            | Self::Fp8E4M3
            | Self::Fp8E5M2
            | Self::Fp8E8M0
            | Self::Fp6E2M3
            | Self::Fp6E3M2
            | Self::Fp4E2M1 => 1,
            Self::I16 | Self::U16 | Self::F16 | Self::Bf16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::I64 | Self::U64 | Self::F64 => 8,
            Self::I128 | Self::U128 => 16,
        }
    }

    /// What the compiler makes of it in PTX: half and the 8-bit floats are plain bytes there, and so
    /// is a 128-bit integer.
    pub const fn class(self) -> Class {
        match self {
            Self::F32 | Self::F64 => Class::Float,
            Self::F16
            | Self::Bf16
            | Self::Fp8E4M3
            | Self::Fp8E5M2
            | Self::Fp8E8M0
            | Self::Fp6E2M3
            | Self::Fp6E3M2
            | Self::Fp4E2M1
            | Self::I128
            | Self::U128 => Class::Bytes,
            _ => Class::Integer,
        }
    }

    /// Whether it is an integer, `bool` included.
    pub const fn is_integer(self) -> bool {
        matches!(self.class(), Class::Integer) || matches!(self, Self::I128 | Self::U128)
    }

    /// Whether it is a signed integer; plain `char` is not said to be.
    pub const fn is_signed(self) -> bool {
        matches!(self, Self::I8 | Self::I16 | Self::I32 | Self::I64 | Self::I128)
    }

    /// Whether both mean the same; plain `char` agrees with either 8-bit integer.
    pub fn agrees_with(self, other: Self) -> bool {
        let byte = |s| matches!(s, Self::I8 | Self::U8 | Self::Char);
        self == other || (self == Self::Char && byte(other)) || (other == Self::Char && byte(self))
    }

    /// The name in CUDA C++.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::Char => "char",
            Self::I8 => "signed char",
            Self::U8 => "unsigned char",
            Self::I16 => "short",
            Self::U16 => "unsigned short",
            Self::I32 => "int",
            Self::U32 => "unsigned int",
            Self::I64 => "long long",
            Self::U64 => "unsigned long long",
            Self::I128 => "__int128",
            Self::U128 => "unsigned __int128",
            Self::F16 => "__half",
            Self::Bf16 => "__nv_bfloat16",
            Self::F32 => "float",
            Self::F64 => "double",
            Self::Fp8E4M3 => "__nv_fp8_e4m3",
            Self::Fp8E5M2 => "__nv_fp8_e5m2",
            Self::Fp8E8M0 => "__nv_fp8_e8m0",
            Self::Fp6E2M3 => "__nv_fp6_e2m3",
            Self::Fp6E3M2 => "__nv_fp6_e3m2",
            Self::Fp4E2M1 => "__nv_fp4_e2m1",
        }
    }
}

/// One of CUDA's vector types, such as `float4`.
///
/// `dim3` is the vector of three `unsigned int`, and `cuFloatComplex` that of two `float`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Vector {
    /// The type of each lane.
    pub element: Scalar,
    /// The number of lanes, 1 to 4.
    pub lanes: u8,
    /// Alignment in bytes: `float4` has 16, `float3` has 4, `double4` has 16.
    pub alignment: u64,
}

impl Vector {
    /// The vector as CUDA's headers declare it: three lanes keep the element's alignment, and nothing
    /// is aligned beyond 16.
    pub const fn new(element: Scalar, lanes: u8) -> Self {
        let size = element.size();
        let alignment = match lanes {
            2 | 4 if size * lanes as u64 > 16 => 16,
            2 | 4 => size * lanes as u64,
            _ => size,
        };
        Self { element, lanes, alignment }
    }

    /// Size and alignment.
    pub const fn layout(self) -> Layout {
        Layout { size: self.element.size() * self.lanes as u64, alignment: self.alignment }
    }

    /// The name in CUDA C++.
    pub fn name(self) -> String {
        let base = match self.element {
            Scalar::I8 | Scalar::Char => "char",
            Scalar::U8 => "uchar",
            Scalar::U16 => "ushort",
            Scalar::U32 => "uint",
            Scalar::I64 => "longlong",
            Scalar::U64 => "ulonglong",
            Scalar::F16 => "half",
            Scalar::Bf16 => "bfloat16_",
            other => other.name(),
        };
        let aligned = if self.alignment == 32 { "_32a" } else { "" };
        format!("{base}{}{aligned}", self.lanes)
    }
}
