//! The types that CUDA and Rust share, by their names in Rust.

use crate::{Scalar, Vector};

/// The scalars by their names in Rust.
const SCALARS: [(&str, Scalar); 30] = [
    ("bool", Scalar::Bool),
    ("i8", Scalar::I8),
    ("u8", Scalar::U8),
    ("i16", Scalar::I16),
    ("u16", Scalar::U16),
    ("i32", Scalar::I32),
    ("u32", Scalar::U32),
    ("i64", Scalar::I64),
    ("u64", Scalar::U64),
    ("isize", Scalar::I64),
    ("usize", Scalar::U64),
    ("f16", Scalar::F16),
    ("bf16", Scalar::Bf16),
    ("f32", Scalar::F32),
    ("f64", Scalar::F64),
    ("F8E4M3", Scalar::Fp8E4M3),
    ("F8E5M2", Scalar::Fp8E5M2),
    ("c_char", Scalar::Char),
    ("c_schar", Scalar::I8),
    ("c_uchar", Scalar::U8),
    ("c_short", Scalar::I16),
    ("c_ushort", Scalar::U16),
    ("c_int", Scalar::I32),
    ("c_uint", Scalar::U32),
    ("c_long", Scalar::I64),
    ("c_ulong", Scalar::U64),
    ("c_longlong", Scalar::I64),
    ("c_ulonglong", Scalar::U64),
    ("c_float", Scalar::F32),
    ("c_double", Scalar::F64),
];

/// The vector types by their names in Rust, without the number of lanes.
const VECTORS: [(&str, Scalar); 10] = [
    ("Char", Scalar::I8),
    ("Uchar", Scalar::U8),
    ("Short", Scalar::I16),
    ("Ushort", Scalar::U16),
    ("Int", Scalar::I32),
    ("Uint", Scalar::U32),
    ("Longlong", Scalar::I64),
    ("Ulonglong", Scalar::U64),
    ("Float", Scalar::F32),
    ("Double", Scalar::F64),
];

/// The scalar of a name in Rust: of the language, of `std::ffi`, of the crates `half` and `float8`.
pub fn scalar_named(name: &str) -> Option<Scalar> {
    SCALARS.iter().find(|(known, _)| *known == name).map(|(_, scalar)| *scalar)
}

/// The vector of a name in Rust, one of the crate `warpcall`.
pub fn vector_named(name: &str) -> Option<Vector> {
    match name {
        "Half2" => return Some(Vector::new(Scalar::F16, 2)),
        "Bfloat162" => return Some(Vector::new(Scalar::Bf16, 2)),
        _ => {}
    }
    let lanes = name.as_bytes().last().filter(|last| (b'1'..=b'4').contains(last))? - b'0';
    let (_, element) = VECTORS.iter().find(|(known, _)| *known == &name[..name.len() - 1])?;
    Some(Vector::new(*element, lanes))
}

/// The names in Rust of a scalar, the best first; none where Rust has no such type.
pub fn names_of_scalar(scalar: Scalar) -> &'static [&'static str] {
    match scalar {
        Scalar::Bool => &["bool"],
        Scalar::Char => &["i8", "u8"],
        Scalar::I8 => &["i8"],
        Scalar::U8 => &["u8"],
        Scalar::I16 => &["i16"],
        Scalar::U16 => &["u16"],
        Scalar::I32 => &["i32"],
        Scalar::U32 => &["u32"],
        Scalar::I64 => &["i64", "isize"],
        Scalar::U64 => &["u64", "usize"],
        Scalar::F16 => &["f16"],
        Scalar::Bf16 => &["bf16"],
        Scalar::F32 => &["f32"],
        Scalar::F64 => &["f64"],
        Scalar::Fp8E4M3 => &["F8E4M3"],
        Scalar::Fp8E5M2 => &["F8E5M2"],
        _ => &[],
    }
}

/// The name in Rust of a vector type, if it has one.
pub fn name_of_vector(vector: Vector) -> Option<String> {
    if vector.lanes == 2 && vector.element == Scalar::F16 {
        return Some("Half2".to_owned());
    }
    if vector.lanes == 2 && vector.element == Scalar::Bf16 {
        return Some("Bfloat162".to_owned());
    }
    // The vectors that CUDA 13 aligns to 32 bytes have none.
    if vector != Vector::new(vector.element, vector.lanes) {
        return None;
    }
    let (base, _) = VECTORS.iter().find(|(_, element)| *element == vector.element)?;
    Some(format!("{base}{}", vector.lanes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_is_given_is_one_that_is_known() {
        for (_, scalar) in SCALARS {
            for name in names_of_scalar(scalar) {
                assert!(scalar_named(name).is_some_and(|known| known.agrees_with(scalar)), "{name}");
            }
        }
        for vector in
            VECTORS.iter().flat_map(|(_, element)| (1..=4).map(|lanes| Vector::new(*element, lanes)))
        {
            let name = name_of_vector(vector).expect("each has a name");
            assert_eq!(vector_named(&name), Some(vector));
        }
        assert_eq!(vector_named("Float5"), None);
        assert_eq!(vector_named("é"), None);
        assert_eq!(name_of_vector(Vector { alignment: 32, ..Vector::new(Scalar::F64, 4) }), None);
    }
}
