//! What the host backend writes into the 128 bytes of a tensor map, and reads back.

use std::iter::zip;

use crate::argument::{DevicePtr, TensorMap};
use crate::backend::{L2Promotion, Swizzle, TensorElement, TiledTensor};

/// Tells a map of this encoder from any other bytes: the last slot, which is zero in no map.
const TAG: u64 = u64::from_le_bytes(*b"hosttile");

/// The most dimensions.
const RANK: usize = 5;

const BASE: usize = 0;
const SHAPE: usize = 1;
const EXTENTS: usize = 2;
const STRIDES: usize = EXTENTS + RANK;
const TILE: usize = STRIDES + RANK - 1;
const ELEMENT_STRIDES: usize = TILE + 1;
const TAGGED: usize = 15;

/// Encodes a tensor that keeps the rules and is not interleaved.
pub(super) fn encode(tensor: &TiledTensor) -> TensorMap {
    let mut slots = [0; 16];
    slots[BASE] = tensor.base.address();
    slots[SHAPE] = u64::from_le_bytes([
        u8::try_from(tensor.extents.len()).unwrap_or(0),
        tensor.element as u8,
        tensor.swizzle as u8,
        tensor.l2_promotion as u8,
        0,
        0,
        0,
        0,
    ]);
    slots[EXTENTS..][..tensor.extents.len()].copy_from_slice(&tensor.extents);
    slots[STRIDES..][..tensor.strides.len()].copy_from_slice(&tensor.strides);
    // An extent is at most 256, and an element stride at most 8: twelve bits for each of five.
    slots[TILE] = pack(&tensor.tile);
    slots[ELEMENT_STRIDES] = pack(&tensor.element_strides);
    slots[TAGGED] = TAG;
    TensorMap::from_slots(slots)
}

/// The tensor; `None` where the map is none of this encoder.
pub(super) fn decode(map: &TensorMap) -> Option<TiledTensor> {
    let slots = map.slots();
    let [rank, element, swizzle, l2_promotion, ..] = slots[SHAPE].to_le_bytes();
    let rank = usize::from(rank);
    if slots[TAGGED] != TAG || !(1..=RANK).contains(&rank) {
        return None;
    }
    let element = TensorElement::ALL.into_iter().find(|known| *known as u8 == element)?;
    let tensor = TiledTensor::new(
        DevicePtr::new(slots[BASE]),
        element,
        &slots[EXTENTS..][..rank],
        unpack(slots[TILE], rank),
    )
    .strides(&slots[STRIDES..][..rank - 1])
    .element_strides(unpack(slots[ELEMENT_STRIDES], rank))
    .swizzle(Swizzle::ALL.into_iter().find(|known| *known as u8 == swizzle)?)
    .l2_promotion(L2Promotion::ALL.into_iter().find(|known| *known as u8 == l2_promotion)?);
    tensor.check().is_ok().then_some(tensor)
}

fn pack(numbers: &[u32]) -> u64 {
    numbers.iter().rev().fold(0, |packed, number| packed << 12 | u64::from(*number))
}

fn unpack(packed: u64, rank: usize) -> Vec<u32> {
    (0..rank).map_while(|index| u32::try_from(packed >> (12 * index) & 0xFFF).ok()).collect()
}

/// The part of a copied tile's row `index` that lies within the tensor: the address of its first element, how many elements
/// of the row come before it, and how many there are. `None` where nothing of the row lies within.
///
/// `coordinates` has the tensor's rank.
pub(super) fn row(
    tensor: &TiledTensor,
    coordinates: &[i32],
    mut index: usize,
) -> Option<(DevicePtr, usize, usize)> {
    let mut address = u128::from(tensor.base.address());
    let steps = zip(tensor.copied(), &tensor.element_strides);
    let outer = zip(&tensor.extents, steps).zip(coordinates).skip(1);
    for (((extent, (copied, step)), coordinate), stride) in zip(outer, &tensor.strides) {
        let place = i64::from(*coordinate) + i64::try_from(index % copied).ok()? * i64::from(*step);
        index /= copied;
        let place = u64::try_from(place).ok().filter(|place| place < extent)?;
        address += u128::from(place) * u128::from(*stride);
    }
    let first = i64::from(coordinates[0]);
    let extent = i64::try_from(tensor.extents[0]).unwrap_or(i64::MAX);
    let (start, end) = (first.max(0), (first + i64::from(tensor.tile[0])).min(extent));
    address += u128::try_from(start).ok()? * tensor.element.bytes() as u128;
    // Past the end of the address space there is no memory, and the null pointer is refused as such.
    let address = DevicePtr::new(u64::try_from(address).unwrap_or(0));
    let within = usize::try_from(end - start).ok().filter(|within| *within > 0)?;
    Some((address, usize::try_from(start - first).ok()?, within))
}
