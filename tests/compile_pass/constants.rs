//! Constants of the user's in the type of a parameter, called as a macro might call its own.
#![allow(unused)]

use warpcall::{FieldDescription, KernelField, KernelParam, ParameterDescription, kernel};

pub const FOUND: usize = 2;
const CLASS: usize = 2;
const MESSAGE: usize = 2;
const FIELDS: usize = 2;
const EXPECTED: usize = 2;

#[derive(Clone, Copy)]
#[repr(C)]
pub struct Tile<const A: usize, const B: usize, const C: usize, const D: usize, const E: usize>([f32; A]);

// SAFETY: an array of numbers is written and read by its own implementation.
unsafe impl<const A: usize, const B: usize, const C: usize, const D: usize, const E: usize> KernelField
    for Tile<A, B, C, D, E>
{
    const FIELDS: &'static [FieldDescription] = &[FieldDescription {
        name: "0",
        rust_type: "[f32; 2]",
        offset: 0,
        size: 8,
        align: 4,
        fields: &[],
        shape: <[f32; 2]>::SHAPE,
    }];

    fn write(&self, bytes: &mut [u8]) {
        self.0.write(bytes);
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        <[f32; A]>::read(bytes).map(Self)
    }
}

// SAFETY: two floats are 8 bytes, one slot.
unsafe impl<const B: usize, const C: usize, const D: usize, const E: usize> KernelParam
    for Tile<2, B, C, D, E>
{
    type Slots = [u64; 1];
    const DESCRIPTION: ParameterDescription = ParameterDescription::of_struct::<Self>("Tile", Self::FIELDS);
}

#[kernel(module = "constants", source = "compile_pass/constants.cu")]
unsafe extern "C" {
    pub unsafe fn fill(tile: Tile<FOUND, CLASS, MESSAGE, FIELDS, EXPECTED>);
}
