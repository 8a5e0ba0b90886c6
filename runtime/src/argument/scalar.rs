use super::{FieldShape, KernelField, KernelParam, ParameterDescription, ParameterKind};

/// Implements [`KernelField`] for types without padding of which every bit pattern is a value.
macro_rules! plain_field {
    ($($type:ty),+ $(,)?) => {$(
        // SAFETY: a `Pod` type has no padding and every bit pattern is a value of it.
        unsafe impl $crate::KernelField for $type {
            const SHAPE: $crate::FieldShape = $crate::FieldShape::named(stringify!($type));

            #[inline]
            fn write(&self, bytes: &mut [u8]) {
                bytes.copy_from_slice(bytemuck::bytes_of(self));
            }

            fn read(bytes: &[u8]) -> Option<Self> {
                bytemuck::try_pod_read_unaligned(bytes).ok()
            }
        }
    )+};
}

/// Implements [`KernelField`] and [`KernelParam`] for types that [`plain_field`] fits.
macro_rules! plain_param {
    ($($kind:ident: $($type:ty),+;)+) => {$($(
        $crate::argument::scalar::plain_field!($type);

        // SAFETY: the type has the size and alignment of its CUDA namesake, and the slots are those
        // of its size.
        unsafe impl $crate::KernelParam for $type {
            type Slots = [u64; $crate::slots_for(size_of::<Self>())];
            const DESCRIPTION: $crate::ParameterDescription =
                $crate::ParameterDescription::of::<Self>($crate::ParameterKind::$kind);
        }
    )+)+};
}

pub(super) use {plain_field, plain_param};

plain_param! {
    Signed: i8, i16, i32, i64, isize;
    Unsigned: u8, u16, u32, u64, usize;
    Float: f32, f64;
}

const _: () = assert!(size_of::<usize>() == 8, "CUDA's `size_t` has 64 bits, and so must `usize`");

// SAFETY: one byte, written as 0 or 1, and nothing else is read as a `bool`.
unsafe impl KernelField for bool {
    const SHAPE: FieldShape = FieldShape::named("bool");

    #[inline]
    fn write(&self, bytes: &mut [u8]) {
        bytes[0] = u8::from(*self);
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        match bytes {
            [0] => Some(false),
            [1] => Some(true),
            _ => None,
        }
    }
}

// SAFETY: CUDA's `bool` is one byte.
unsafe impl KernelParam for bool {
    type Slots = [u64; 1];
    const DESCRIPTION: ParameterDescription = ParameterDescription::of::<Self>(ParameterKind::Bool);
}
