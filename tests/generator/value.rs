//! Values as bit patterns: random ones, biased to those where mistakes show.

use std::fmt::Write;

use super::types::{Class, Scalar, Type};

/// A value of some [`Type`].
pub(super) enum Value {
    /// Of a scalar.
    Bits(u64),
    /// Of the components, elements or fields.
    List(Vec<Value>),
}

impl Value {
    /// A random value of this type.
    pub(super) fn random(ty: &Type, rng: &mut fastrand::Rng) -> Self {
        match ty {
            Type::Scalar(scalar) => Self::Bits(bits(scalar, rng)),
            Type::Vector(vector) => {
                Self::List((0..vector.lanes).map(|_| Self::Bits(bits(vector.scalar, rng))).collect())
            }
            Type::Array(element, len) => Self::List((0..*len).map(|_| Self::random(element, rng)).collect()),
            Type::Struct(structure) => {
                Self::List(structure.fields.iter().map(|field| Self::random(&field.ty, rng)).collect())
            }
        }
    }

    /// The bytes as the device reads them: little-endian, padding zero. An empty struct is zeros.
    pub(super) fn bytes(&self, ty: &Type) -> Vec<u8> {
        let mut bytes = vec![0; ty.device_size()];
        self.place(ty, &mut bytes);
        bytes
    }

    fn place(&self, ty: &Type, bytes: &mut [u8]) {
        match (ty, self) {
            (Type::Scalar(scalar), Self::Bits(bits)) => {
                bytes[..scalar.size].copy_from_slice(&bits.to_le_bytes()[..scalar.size]);
            }
            (Type::Vector(vector), Self::List(lanes)) => {
                for (lane, bytes) in lanes.iter().zip(bytes.chunks_mut(vector.scalar.size)) {
                    lane.place(&Type::Scalar(vector.scalar), bytes);
                }
            }
            (Type::Array(element, _), Self::List(elements)) => {
                for (value, bytes) in elements.iter().zip(bytes.chunks_mut(element.size())) {
                    value.place(element, bytes);
                }
            }
            (Type::Struct(structure), Self::List(fields)) => {
                for (field, value) in structure.fields.iter().zip(fields) {
                    value.place(&field.ty, &mut bytes[field.offset..][..field.ty.size()]);
                }
            }
            _ => unreachable!("`random` makes bits for scalars and lists for the rest"),
        }
    }

    /// The bytes of the scalars in it, one after another, without padding.
    pub(super) fn fields(&self, ty: &Type, out: &mut Vec<u8>) {
        match (ty, self) {
            (Type::Array(element, _), Self::List(elements)) => {
                for value in elements {
                    value.fields(element, out);
                }
            }
            (Type::Struct(structure), Self::List(fields)) => {
                for (field, value) in structure.fields.iter().zip(fields) {
                    value.fields(&field.ty, out);
                }
            }
            // Neither a scalar nor a vector has padding.
            _ => {
                let start = out.len();
                out.resize(start + ty.size(), 0);
                self.place(ty, &mut out[start..]);
            }
        }
    }

    /// The value as a Rust expression.
    pub(super) fn literal(&self, ty: &Type) -> String {
        match (ty, self) {
            (Type::Scalar(scalar), Self::Bits(bits)) => scalar_literal(scalar, *bits),
            (Type::Vector(vector), Self::List(lanes)) => {
                let lanes = lanes.iter().map(|lane| lane.literal(&Type::Scalar(vector.scalar)));
                format!("{}::new({})", vector.rust, joined(lanes))
            }
            (Type::Array(element, _), Self::List(elements)) => match &**element {
                Type::Scalar(scalar) if scalar.rust == "u8" => format!("*{}", byte_string(&self.bytes(ty))),
                _ => format!("[{}]", joined(elements.iter().map(|value| value.literal(element)))),
            },
            (Type::Struct(structure), Self::List(fields)) => {
                let fields = structure.fields.iter().zip(fields).map(|(field, value)| {
                    let name = if structure.tuple { String::new() } else { format!("{}: ", field.name) };
                    name + &value.literal(&field.ty)
                });
                let (open, close) = if structure.tuple { ('(', ')') } else { ('{', '}') };
                format!("{}{open}{}{close}", structure.name, joined(fields))
            }
            _ => unreachable!("`random` makes bits for scalars and lists for the rest"),
        }
    }
}

fn joined(parts: impl Iterator<Item = String>) -> String {
    parts.collect::<Vec<_>>().join(",")
}

fn scalar_literal(scalar: &Scalar, bits: u64) -> String {
    match scalar.class {
        Class::Bool => (bits != 0).to_string(),
        Class::Unsigned => format!("{bits:#x}"),
        Class::Signed => {
            let unused = 64 - 8 * scalar.size;
            ((bits << unused).cast_signed() >> unused).to_string()
        }
        Class::Float { .. } => format!("{}::from_bits({bits:#x})", scalar.rust),
        Class::Address => format!("DevicePtr::new({bits:#x})"),
    }
}

/// The bytes as a Rust byte string.
pub(super) fn byte_string(bytes: &[u8]) -> String {
    let mut text = String::from("b\"");
    for byte in bytes {
        write!(text, "\\x{byte:02x}").expect("a string takes all that is written");
    }
    text + "\""
}

/// The bits of a scalar; half the time remarkable ones.
pub(super) fn bits(scalar: &Scalar, rng: &mut fastrand::Rng) -> u64 {
    let width = 8 * u32::try_from(scalar.size).expect("a scalar has at most eight bytes");
    let all = u64::MAX >> (64 - width);
    let sign = 1 << (width - 1);
    let random = rng.u64(..) & all;
    if rng.bool() {
        return if scalar.class == Class::Bool { random & 1 } else { random };
    }
    match scalar.class {
        Class::Bool => 1,
        Class::Float { mantissa } => {
            let infinity = (sign - 1) & !((1 << mantissa) - 1);
            let payload = random & ((1 << mantissa) - 1);
            let quiet = 1 << (mantissa - 1);
            let sign = if rng.bool() { sign } else { 0 };
            // Zero, the infinity, a quiet and a signalling NaN, the smallest and the largest number, a NaN of ones.
            let magnitudes =
                [0, infinity, infinity | quiet | payload, infinity | 1, 1, infinity - 1, all >> 1, payload];
            sign | magnitudes[rng.usize(..magnitudes.len())]
        }
        Class::Signed | Class::Unsigned | Class::Address => {
            let edges = [0, 1, all, sign, sign - 1, sign | 1, all & 0x8080_8080_8080_8080, all - 1];
            edges[rng.usize(..edges.len())]
        }
    }
}
