//! The types of parameters and fields: how Rust and CUDA spell them, and their size and alignment.

use std::rc::Rc;

use super::structure::Struct;

/// A type that stands in a parameter, a field or behind a pointer.
#[derive(Clone)]
pub(super) enum Type {
    Scalar(&'static Scalar),
    Vector(Rc<Vector>),
    /// In fields alone.
    Array(Rc<Type>, usize),
    Struct(Rc<Struct>),
}

/// A number, a truth value or a device address.
pub(super) struct Scalar {
    pub(super) rust: &'static str,
    pub(super) cuda: &'static str,
    pub(super) size: usize,
    pub(super) class: Class,
}

/// How a scalar's bits are written in Rust, and which of them are remarkable.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    Bool,
    Signed,
    Unsigned,
    /// With this many bits of mantissa; sign and exponent are the rest.
    Float {
        mantissa: u32,
    },
    Address,
}

const fn scalar(rust: &'static str, cuda: &'static str, size: usize, class: Class) -> Scalar {
    Scalar { rust, cuda, size, class }
}

/// Every scalar that a parameter can be.
pub(super) static SCALARS: [Scalar; 17] = [
    scalar("bool", "bool", 1, Class::Bool),
    scalar("i8", "signed char", 1, Class::Signed),
    scalar("i16", "short", 2, Class::Signed),
    scalar("i32", "int", 4, Class::Signed),
    scalar("i64", "long long", 8, Class::Signed),
    scalar("isize", "long", 8, Class::Signed),
    scalar("u8", "unsigned char", 1, Class::Unsigned),
    scalar("u16", "unsigned short", 2, Class::Unsigned),
    scalar("u32", "unsigned int", 4, Class::Unsigned),
    scalar("u64", "unsigned long long", 8, Class::Unsigned),
    scalar("usize", "size_t", 8, Class::Unsigned),
    scalar("f32", "float", 4, Class::Float { mantissa: 23 }),
    scalar("f64", "double", 8, Class::Float { mantissa: 52 }),
    scalar("f16", "__half", 2, Class::Float { mantissa: 10 }),
    scalar("bf16", "__nv_bfloat16", 2, Class::Float { mantissa: 7 }),
    scalar("F8E4M3", "__nv_fp8_e4m3", 1, Class::Float { mantissa: 3 }),
    scalar("F8E5M2", "__nv_fp8_e5m2", 1, Class::Float { mantissa: 2 }),
];

/// A device address in a field.
pub(super) static ADDRESS: Scalar = scalar("DevicePtr", "unsigned char*", 8, Class::Address);

/// The scalar that Rust calls `rust`.
pub(super) fn scalar_named(rust: &str) -> &'static Scalar {
    SCALARS.iter().find(|scalar| scalar.rust == rust).expect("the name stands in the table above")
}

/// One of CUDA's vector types.
pub(super) struct Vector {
    pub(super) rust: String,
    pub(super) cuda: String,
    pub(super) scalar: &'static Scalar,
    pub(super) lanes: usize,
    pub(super) align: usize,
}

/// All of CUDA's vector types.
pub(super) fn vectors() -> Vec<Type> {
    let families = [
        ("i8", "Char", "char", [1, 2, 1, 4]),
        ("u8", "Uchar", "uchar", [1, 2, 1, 4]),
        ("i16", "Short", "short", [2, 4, 2, 8]),
        ("u16", "Ushort", "ushort", [2, 4, 2, 8]),
        ("i32", "Int", "int", [4, 8, 4, 16]),
        ("u32", "Uint", "uint", [4, 8, 4, 16]),
        ("i64", "Longlong", "longlong", [8, 16, 8, 16]),
        ("u64", "Ulonglong", "ulonglong", [8, 16, 8, 16]),
        ("f32", "Float", "float", [4, 8, 4, 16]),
        ("f64", "Double", "double", [8, 16, 8, 16]),
    ];
    let mut vectors = Vec::new();
    for (scalar, rust, cuda, aligns) in families {
        for (lanes, align) in (1..).zip(aligns) {
            vectors.push(Vector {
                rust: format!("{rust}{lanes}"),
                cuda: format!("{cuda}{lanes}"),
                scalar: scalar_named(scalar),
                lanes,
                align,
            });
        }
    }
    for (scalar, rust, cuda) in [("f16", "Half2", "__half2"), ("bf16", "Bfloat162", "__nv_bfloat162")] {
        let (rust, cuda) = (rust.into(), cuda.into());
        vectors.push(Vector { rust, cuda, scalar: scalar_named(scalar), lanes: 2, align: 4 });
    }
    vectors.into_iter().map(|vector| Type::Vector(Rc::new(vector))).collect()
}

impl Type {
    /// The scalar that Rust calls `rust`.
    pub(super) fn scalar(rust: &str) -> Self {
        Self::Scalar(scalar_named(rust))
    }

    /// An array of `len` of these.
    pub(super) fn array(self, len: usize) -> Self {
        Self::Array(Rc::new(self), len)
    }

    /// Bytes in Rust: an empty struct has none.
    pub(super) fn size(&self) -> usize {
        match self {
            Self::Scalar(scalar) => scalar.size,
            Self::Vector(vector) => (vector.scalar.size * vector.lanes).next_multiple_of(vector.align),
            Self::Array(element, len) => element.size() * len,
            Self::Struct(structure) => structure.size,
        }
    }

    /// Bytes on the device: C++ gives an empty struct the size of its alignment.
    pub(super) fn device_size(&self) -> usize {
        if self.size() == 0 { self.align() } else { self.size() }
    }

    pub(super) fn align(&self) -> usize {
        match self {
            Self::Scalar(scalar) => scalar.size,
            Self::Vector(vector) => vector.align,
            Self::Array(element, _) => element.align(),
            Self::Struct(structure) => structure.align,
        }
    }

    /// Bytes that hold a value: all but the padding.
    pub(super) fn value_bytes(&self) -> usize {
        match self {
            Self::Array(element, len) => element.value_bytes() * len,
            Self::Struct(structure) => structure.fields.iter().map(|field| field.ty.value_bytes()).sum(),
            Self::Scalar(_) | Self::Vector(_) => self.size(),
        }
    }

    /// As Rust spells it.
    pub(super) fn rust(&self) -> String {
        match self {
            Self::Scalar(scalar) => scalar.rust.into(),
            Self::Vector(vector) => vector.rust.clone(),
            Self::Array(element, len) => format!("[{}; {len}]", element.rust()),
            Self::Struct(structure) => structure.name.clone(),
        }
    }

    /// As CUDA declares something called `name` of it.
    pub(super) fn cuda(&self, name: &str) -> String {
        match self {
            Self::Scalar(scalar) => format!("{} {name}", scalar.cuda),
            Self::Vector(vector) => format!("{} {name}", vector.cuda),
            Self::Array(element, len) => element.cuda(&format!("{name}[{len}]")),
            Self::Struct(structure) => format!("{} {name}", structure.name),
        }
    }
}
