//! The bits of values, read field by field, so that nothing of the crate that encoded them is used to look at them.

use float8::{F8E4M3, F8E5M2};
use half::{bf16, f16};
#[allow(clippy::wildcard_imports)]
use warpcall::*;

/// Appends the scalars of a value, one after another, without padding.
pub(crate) trait Bits {
    fn bits(&self, out: &mut Vec<u8>);
}

macro_rules! bits_of {
    ($value:ident => $bytes:expr; $($type:ty),+) => {$(
        impl Bits for $type {
            fn bits(&self, out: &mut Vec<u8>) {
                let $value = *self;
                out.extend_from_slice(&$bytes);
            }
        }
    )+};
}

bits_of!(value => value.to_le_bytes(); i8, i16, i32, i64, isize, u8, u16, u32, u64, usize);
bits_of!(value => value.to_bits().to_le_bytes(); f32, f64, f16, bf16, F8E4M3, F8E5M2);
bits_of!(value => value.address().to_le_bytes(); DevicePtr);
bits_of!(value => [u8::from(value)]; bool);

macro_rules! bits_of_vectors {
    ($($one:ident $two:ident $three:ident $four:ident),+) => {
        $(bits_of_vectors! { $one x; $two x y; $three x y z; $four x y z w; })+
    };
    ($($type:ident $($component:ident)+;)+) => {$(
        impl Bits for $type {
            fn bits(&self, out: &mut Vec<u8>) {
                $(self.$component.bits(out);)+
            }
        }
    )+};
}

bits_of_vectors!(
    Char1 Char2 Char3 Char4,
    Uchar1 Uchar2 Uchar3 Uchar4,
    Short1 Short2 Short3 Short4,
    Ushort1 Ushort2 Ushort3 Ushort4,
    Int1 Int2 Int3 Int4,
    Uint1 Uint2 Uint3 Uint4,
    Longlong1 Longlong2 Longlong3 Longlong4,
    Ulonglong1 Ulonglong2 Ulonglong3 Ulonglong4,
    Float1 Float2 Float3 Float4,
    Double1 Double2 Double3 Double4
);
bits_of_vectors! { Half2 x y; Bfloat162 x y; }

impl<T: Bits, const N: usize> Bits for [T; N] {
    fn bits(&self, out: &mut Vec<u8>) {
        for element in self {
            element.bits(out);
        }
    }
}
