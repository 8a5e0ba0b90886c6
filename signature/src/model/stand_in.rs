//! What a type is to those who look at its name and its bytes.

use super::{Scalar, Type, TypeKind, Vector};

impl Type {
    /// The type of CUDA's headers that a struct of its name and layout stands for: code that is compiled while it runs
    /// has no headers, and declares what it needs of them.
    pub fn stand_in(&self) -> Option<Self> {
        let TypeKind::Record(record) = &self.kind else { return None };
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
        let known = Self { kind, is_const: self.is_const, is_volatile: self.is_volatile };
        let own = self.layout()?;
        (known.layout() == Some(own) || known.wide_layout() == Some(own)).then_some(known)
    }

    /// Whether memory of this type is `const`; an array is where its elements are.
    pub fn is_const_memory(&self) -> bool {
        match &self.kind {
            TypeKind::Array { element, .. } => self.is_const || element.is_const_memory(),
            _ => self.is_const,
        }
    }
}
