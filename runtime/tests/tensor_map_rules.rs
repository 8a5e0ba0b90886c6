//! The rules of tensor maps: each is kept at its edge, and named past it.

use warpcall::backend::{Interleave, L2Promotion, OutsideFill, Swizzle, TensorElement, TiledTensor};
use warpcall::{DevicePtr, Error};

const BASE: DevicePtr = DevicePtr::new(0x1000);

/// 100 rows of 64 floats, in tiles of 16 rows by 8 columns.
fn matrix() -> TiledTensor {
    TiledTensor::new(BASE, TensorElement::F32, [64, 100], [8, 16])
}

/// NC/8HWC8 with two bytes a channel, in slices of 16 or 32 bytes.
fn interleaved(interleave: Interleave) -> TiledTensor {
    let swizzle = if interleave == Interleave::Bytes32 { Swizzle::Bytes32 } else { Swizzle::None };
    TiledTensor::new(BASE, TensorElement::F16, [16, 8, 4], [16, 4, 2]).interleave(interleave).swizzle(swizzle)
}

#[track_caller]
fn kept(tensor: &TiledTensor) {
    tensor.check().unwrap_or_else(|error| panic!("{tensor:?}: {error}"));
}

#[track_caller]
fn broken(tensor: &TiledTensor, expected: &str) {
    match tensor.check() {
        Err(error @ Error::InvalidArgument { operation: "encode_tensor_map", .. }) => {
            assert_eq!(error.to_string(), format!("encode_tensor_map: {expected}"));
        }
        other => panic!("{tensor:?}: {other:?}"),
    }
}

fn with(mut tensor: TiledTensor, change: impl FnOnce(&mut TiledTensor)) -> TiledTensor {
    change(&mut tensor);
    tensor
}

#[test]
fn a_tensor_without_gaps_needs_no_strides() {
    let five = TiledTensor::new(BASE, TensorElement::F16, [8, 3, 5, 7, 9], [8, 1, 1, 1, 1]);
    assert_eq!(five.strides, [16, 48, 240, 1680]);
    assert_eq!(five.element_strides, [1; 5]);
    kept(&five);
    let one = TiledTensor::new(BASE, TensorElement::U8, [1 << 32], [256]);
    assert_eq!(one.strides, [0; 0]);
    kept(&one);
    let huge = TiledTensor::new(BASE, TensorElement::F64, [1 << 32, 1 << 32, 1 << 32], [2, 1, 1]);
    broken(
        &huge,
        "the stride of dimension 2 is 18446744073709551615 bytes; expected a multiple of 16 below 2^40",
    );
    assert_eq!(
        TiledTensor::matrix(BASE, TensorElement::F32, [100, 64], 512, [16, 8]),
        matrix().strides([512])
    );
}

#[test]
fn the_number_of_dimensions() {
    broken(
        &TiledTensor::new(BASE, TensorElement::F32, [], []),
        "the number of extents is 0; expected 1 to 5, one a dimension",
    );
    broken(
        &TiledTensor::new(BASE, TensorElement::F32, [4; 6], [4; 6]),
        "the number of extents is 6; expected 1 to 5, one a dimension",
    );
    kept(&TiledTensor::new(BASE, TensorElement::F32, [4; 5], [4; 5]));
    kept(&TiledTensor::new(BASE, TensorElement::F32, [4], [4]));
    broken(
        &with(matrix(), |tensor| tensor.interleave = Interleave::Bytes16),
        "the number of extents is 2; expected 3 to 5 where the first is interleaved, one a dimension",
    );
    kept(&interleaved(Interleave::Bytes16));
}

#[test]
fn one_number_for_each_dimension() {
    broken(
        &matrix().strides([256, 256]),
        "the number of strides is 2; expected 1, one a dimension but the first",
    );
    broken(&matrix().strides([]), "the number of strides is 0; expected 1, one a dimension but the first");
    broken(
        &with(matrix(), |tensor| tensor.tile.truncate(1)),
        "the number of the tile's extents is 1; expected 2, one a dimension",
    );
    broken(
        &matrix().element_strides([1; 3]),
        "the number of element strides is 3; expected 2, one a dimension",
    );
}

#[test]
fn the_address_is_aligned() {
    let at = |tensor: TiledTensor, address| with(tensor, |tensor| tensor.base = DevicePtr::new(address));
    kept(&at(matrix(), 0x1010));
    broken(
        &at(matrix(), 0x1008),
        "the address of the first element is 0x1008; expected device memory aligned to 16 bytes",
    );
    assert!(at(matrix(), 0).check().is_err(), "the null pointer");
    kept(&at(interleaved(Interleave::Bytes16), 0x1010));
    kept(&at(interleaved(Interleave::Bytes32), 0x1020));
    broken(
        &at(interleaved(Interleave::Bytes32), 0x1010),
        "the address of the first element is 0x1010; expected device memory aligned to 32 bytes, as slices of 32 bytes are interleaved",
    );
}

#[test]
fn extents_and_strides() {
    let high = |extent| with(matrix(), |tensor| tensor.extents[1] = extent);
    kept(&high(1));
    kept(&high(1 << 32));
    broken(&high(0), "the extent of dimension 1 is 0; expected 1 to 2^32");
    broken(&high((1 << 32) + 1), "the extent of dimension 1 is 4294967297; expected 1 to 2^32");

    kept(&matrix().strides([(1 << 40) - 16]));
    broken(
        &matrix().strides([1 << 40]),
        "the stride of dimension 1 is 1099511627776 bytes; expected a multiple of 16 below 2^40",
    );
    broken(
        &matrix().strides([264]),
        "the stride of dimension 1 is 264 bytes; expected a multiple of 16 below 2^40",
    );
    kept(&interleaved(Interleave::Bytes16).strides([48, 384]));
    kept(&interleaved(Interleave::Bytes32).strides([32, 64]));
    broken(
        &interleaved(Interleave::Bytes32).strides([32, 48]),
        "the stride of dimension 2 is 48 bytes; expected a multiple of 32 below 2^40, as slices of 32 bytes are interleaved",
    );
}

#[test]
fn the_tile() {
    let high = |extent| with(matrix(), |tensor| tensor.tile[1] = extent);
    kept(&high(1));
    kept(&high(256));
    broken(&high(0), "the tile's extent in dimension 1 is 0; expected 1 to 256");
    broken(&high(257), "the tile's extent in dimension 1 is 257; expected 1 to 256");

    let wide = |extent| with(matrix(), |tensor| tensor.tile[0] = extent);
    kept(&wide(4));
    kept(&wide(256));
    broken(&wide(3), "a row of the tile is 12 bytes; expected a multiple of 16 bytes");
    // What is interleaved comes in slices, whatever a row has.
    kept(&with(interleaved(Interleave::Bytes16), |tensor| tensor.tile[0] = 3));
}

#[test]
fn element_strides() {
    kept(&matrix().element_strides([1, 8]));
    broken(&matrix().element_strides([1, 9]), "the element stride of dimension 1 is 9; expected 1 to 8");
    broken(&matrix().element_strides([0, 1]), "the element stride of dimension 0 is 0; expected 1 to 8");
    // Of 16 rows every third: rows 0, 3, 6, 9, 12 and 15. The first dimension takes no stride but where it is interleaved.
    assert_eq!(matrix().element_strides([2, 3]).tile_bytes(), 8 * 6 * 4);
    assert_eq!(interleaved(Interleave::Bytes16).element_strides([2, 1, 1]).tile_bytes(), 8 * 4 * 2 * 2);
}

#[test]
fn a_row_of_the_tile_is_no_wider_than_the_swizzle() {
    for (swizzle, span) in [
        (Swizzle::Bytes32, 32),
        (Swizzle::Bytes64, 64),
        (Swizzle::Bytes128, 128),
        (Swizzle::Bytes128Atom32, 128),
        (Swizzle::Bytes128Atom32Flip8, 128),
        (Swizzle::Bytes128Atom64, 128),
    ] {
        let wide = |bytes: u32| with(matrix().swizzle(swizzle), |tensor| tensor.tile[0] = bytes / 4);
        assert_eq!(swizzle.span(), Some(span as usize));
        kept(&wide(span));
        kept(&wide(16));
        broken(
            &wide(span + 16),
            &format!(
                "a row of the tile is {} bytes; expected at most {span}, the span of the swizzle",
                span + 16
            ),
        );
    }
    kept(&with(interleaved(Interleave::Bytes16).swizzle(Swizzle::Bytes32), |tensor| tensor.tile[0] = 256));
}

#[test]
fn slices_of_32_bytes_have_their_own_swizzle() {
    kept(&interleaved(Interleave::Bytes32));
    for swizzle in [Swizzle::None, Swizzle::Bytes64, Swizzle::Bytes128] {
        kept(&interleaved(Interleave::Bytes16).swizzle(swizzle));
        broken(
            &interleaved(Interleave::Bytes32).swizzle(swizzle),
            &format!("the swizzle is {swizzle:?}; expected Bytes32, as slices of 32 bytes are interleaved"),
        );
    }
}

#[test]
fn only_floating_point_elements_have_a_nan() {
    use TensorElement::{BF16, F16, F32, F32Ftz, F64, I32, I64, Tf32, Tf32Ftz, U8, U16, U32, U64};
    let filled = |element| TiledTensor::new(BASE, element, [64, 100], [16, 16]).outside(OutsideFill::Nan);
    for element in [F16, BF16, F32, F32Ftz, Tf32, Tf32Ftz, F64] {
        kept(&filled(element));
    }
    for element in [U8, U16, U32, I32, U64, I64] {
        kept(&filled(element).outside(OutsideFill::Zero));
        broken(
            &filled(element),
            &format!(
                "the fill of elements outside of the tensor is Nan for elements of type {element:?}; expected Zero, or a floating-point type"
            ),
        );
    }
}

#[test]
fn the_promotion_has_no_rule() {
    for promotion in [L2Promotion::None, L2Promotion::Bytes64, L2Promotion::Bytes128, L2Promotion::Bytes256] {
        kept(&matrix().l2_promotion(promotion));
    }
}
