//! Structs that stand in the place of CUDA's own types. Code that is compiled while it runs has no headers, and
//! declares what it needs of them.

use warpcall_signature::{Scalar, Type, TypeKind, Vector};

/// The type of CUDA's that a struct of its name and layout stands for.
pub(super) fn of(cuda: &Type) -> Option<Type> {
    let TypeKind::Record(record) = &cuda.kind else { return None };
    let kind = match record.name.as_str() {
        "half" | "__half" => TypeKind::Scalar(Scalar::F16),
        "__nv_bfloat16" => TypeKind::Scalar(Scalar::Bf16),
        "__nv_fp8_e4m3" => TypeKind::Scalar(Scalar::Fp8E4M3),
        "__nv_fp8_e5m2" => TypeKind::Scalar(Scalar::Fp8E5M2),
        "half2" | "__half2" => TypeKind::Vector(Vector::new(Scalar::F16, 2)),
        "__nv_bfloat162" => TypeKind::Vector(Vector::new(Scalar::Bf16, 2)),
        "CUtensorMap" | "CUtensorMap_st" => TypeKind::TensorMap,
        _ => return None,
    };
    let known = Type { kind, is_const: cuda.is_const, is_volatile: cuda.is_volatile };
    let own = cuda.layout()?;
    (known.layout() == Some(own) || known.wide_layout() == Some(own)).then_some(known)
}
