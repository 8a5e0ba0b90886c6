//! What the headers that are not read declare: well-known types and macros.

use crate::{Scalar, Type, TypeKind, Vector};

/// The macros that stand from the start.
pub(crate) const MACROS: &str = "\
#define __CUDACC__ 1
#define __NVCC__ 1
#define __CUDA_ARCH__ 900
#define __CUDACC_VER_MAJOR__ 13
#define __CUDACC_VER_MINOR__ 0
#define __CUDACC_VER_BUILD__ 88
#define CUDART_VERSION 13000
#define CUDA_VERSION 13000
#define __cplusplus 201703L
#define __STDC_HOSTED__ 1
#define __GNUC__ 13
#define __GNUC_MINOR__ 0
#define __linux__ 1
#define __linux 1
#define linux 1
#define __unix__ 1
#define __x86_64__ 1
#define __LP64__ 1
#define _LP64 1
#define __CHAR_BIT__ 8
#define CHAR_BIT 8
#define SCHAR_MAX 127
#define UCHAR_MAX 255
#define SHRT_MAX 32767
#define USHRT_MAX 65535
#define INT_MAX 2147483647
#define INT_MIN (-INT_MAX - 1)
#define UINT_MAX 4294967295U
#define LONG_MAX 9223372036854775807L
#define ULONG_MAX 18446744073709551615UL
#define LLONG_MAX 9223372036854775807LL
#define INT8_MAX 127
#define INT16_MAX 32767
#define INT32_MAX 2147483647
#define INT64_MAX 9223372036854775807LL
#define UINT8_MAX 255
#define UINT16_MAX 65535
#define UINT32_MAX 4294967295U
#define UINT64_MAX 18446744073709551615ULL
#define SIZE_MAX 18446744073709551615UL
";

/// Whether a header is one of CUDA's toolkit or of the standard libraries, which are never read: what
/// signatures need of them is built in.
pub(crate) fn is_toolkit_header(path: &str) -> bool {
    let cuda = ["cuda", "cooperative_groups", "cuComplex", "curand", "mma.h", "crt/", "sm_", "nvrtc"];
    let system = [
        "stdint.h",
        "stddef.h",
        "stdio.h",
        "stdlib.h",
        "string.h",
        "math.h",
        "float.h",
        "limits.h",
        "assert.h",
        "device_launch_parameters.h",
        "vector_types.h",
        "vector_functions.h",
        "driver_types.h",
        "sys/",
        "unistd.h",
    ];
    let bare = !path.contains(['.', '/']);
    // `cuda/std/…` belongs to a library, and may define macros that kernels are made with.
    let is_library = path.starts_with("cuda/");
    bare || !is_library && cuda.iter().chain(&system).any(|known| path.starts_with(known))
}

/// Whether a header is there for `__has_include`, read or not.
pub(crate) fn is_known_header(path: &str) -> bool {
    let libraries = ["cuda/", "nv/", "cub/", "thrust/", "cutlass/", "cute/"];
    is_toolkit_header(path) || libraries.iter().any(|known| path.starts_with(known))
}

/// The name spaces in which the well-known types stand.
pub(crate) fn is_known_namespace(path: &[&str]) -> bool {
    matches!(path, [] | ["std" | "cuda" | "nvcuda"] | ["cuda", "std"])
}

/// A well-known type by its name.
pub(crate) fn named_type(name: &str) -> Option<Type> {
    if let Some(scalar) = scalar(name) {
        return Some(scalar.into());
    }
    if let Some(vector) = vector(name) {
        return Some(TypeKind::Vector(vector).into());
    }
    let handle = |name: &str| Some(Type::from(TypeKind::Named(name.to_owned())).pointer());
    match name {
        "CUtensorMap" => Some(TypeKind::TensorMap.into()),
        "nullptr_t" | "va_list" => handle("void"),
        "cudaStream_t" | "CUstream" => handle("CUstream_st"),
        "cudaEvent_t" | "CUevent" => handle("CUevent_st"),
        "cudaArray_t" => handle("cudaArray"),
        _ => None,
    }
}

fn scalar(name: &str) -> Option<Scalar> {
    Some(match name {
        "int8_t" | "int_least8_t" | "int_fast8_t" => Scalar::I8,
        "uint8_t" | "uint_least8_t" | "uint_fast8_t" | "uchar" | "u_char" | "byte" | "char8_t"
        | "u_int8_t" | "__nv_fp8_storage_t" | "__nv_fp6_storage_t" | "__nv_fp4_storage_t" => Scalar::U8,
        "int16_t" | "int_least16_t" => Scalar::I16,
        "uint16_t"
        | "uint_least16_t"
        | "ushort"
        | "u_short"
        | "char16_t"
        | "u_int16_t"
        | "__nv_fp8x2_storage_t" => Scalar::U16,
        "int32_t" | "int_least32_t" | "wchar_t" => Scalar::I32,
        "uint32_t"
        | "uint_least32_t"
        | "uint"
        | "u_int"
        | "char32_t"
        | "u_int32_t"
        | "__nv_fp8x4_storage_t" => Scalar::U32,
        "int64_t" | "int_least64_t" | "int_fast16_t" | "int_fast32_t" | "int_fast64_t" | "intptr_t"
        | "intmax_t" | "ptrdiff_t" | "ssize_t" | "clock_t" | "time_t" | "off_t" => Scalar::I64,
        "uint64_t"
        | "uint_least64_t"
        | "uint_fast16_t"
        | "uint_fast32_t"
        | "uint_fast64_t"
        | "uintptr_t"
        | "uintmax_t"
        | "size_t"
        | "ulong"
        | "u_long"
        | "u_int64_t"
        | "cudaTextureObject_t"
        | "cudaSurfaceObject_t"
        | "CUtexObject"
        | "CUsurfObject"
        | "CUdeviceptr"
        | "cudaGraphConditionalHandle" => Scalar::U64,
        "__int128_t" => Scalar::I128,
        "__uint128_t" => Scalar::U128,
        "half" | "__half" | "nv_half" | "__nv_half" => Scalar::F16,
        "__nv_bfloat16" | "nv_bfloat16" => Scalar::Bf16,
        "__nv_fp8_e4m3" => Scalar::Fp8E4M3,
        "__nv_fp8_e5m2" => Scalar::Fp8E5M2,
        "__nv_fp8_e8m0" => Scalar::Fp8E8M0,
        "__nv_fp6_e2m3" => Scalar::Fp6E2M3,
        "__nv_fp6_e3m2" => Scalar::Fp6E3M2,
        "__nv_fp4_e2m1" => Scalar::Fp4E2M1,
        _ => return None,
    })
}

fn vector(name: &str) -> Option<Vector> {
    let special = match name {
        "dim3" => Some(Vector::new(Scalar::U32, 3)),
        "half2" | "__half2" | "nv_half2" | "__nv_half2" => Some(Vector::new(Scalar::F16, 2)),
        "__nv_bfloat162" | "nv_bfloat162" => Some(Vector::new(Scalar::Bf16, 2)),
        "cuComplex" | "cuFloatComplex" => Some(Vector::new(Scalar::F32, 2)),
        "cuDoubleComplex" => Some(Vector::new(Scalar::F64, 2)),
        "__nv_fp8x2_e4m3" => Some(Vector::new(Scalar::Fp8E4M3, 2)),
        "__nv_fp8x4_e4m3" => Some(Vector::new(Scalar::Fp8E4M3, 4)),
        "__nv_fp8x2_e5m2" => Some(Vector::new(Scalar::Fp8E5M2, 2)),
        "__nv_fp8x4_e5m2" => Some(Vector::new(Scalar::Fp8E5M2, 4)),
        _ => None,
    };
    if special.is_some() {
        return special;
    }
    // From CUDA 13 the 32-byte vectors say their alignment in their name.
    let (base, alignment) = match (name.strip_suffix("_16a"), name.strip_suffix("_32a")) {
        (Some(base), _) => (base, Some(16)),
        (_, Some(base)) => (base, Some(32)),
        _ => (name, None),
    };
    let lanes = base.as_bytes().last().filter(|b| (b'1'..=b'4').contains(b))? - b'0';
    let element = match &base[..base.len() - 1] {
        "char" => Scalar::I8,
        "uchar" => Scalar::U8,
        "short" => Scalar::I16,
        "ushort" => Scalar::U16,
        "int" => Scalar::I32,
        "uint" => Scalar::U32,
        "long" | "longlong" => Scalar::I64,
        "ulong" | "ulonglong" => Scalar::U64,
        "float" => Scalar::F32,
        "double" => Scalar::F64,
        _ => return None,
    };
    let vector = Vector::new(element, lanes);
    match alignment {
        Some(alignment) if lanes == 4 && element.size() == 8 => Some(Vector { alignment, ..vector }),
        Some(_) => None,
        None => Some(vector),
    }
}
