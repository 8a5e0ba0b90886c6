//! What the host backend writes into the 128 bytes of a tensor map, and reads back.

use std::iter::zip;

use crate::argument::{DevicePtr, TensorMap};
use crate::backend::TiledTensor;

/// Tells a map of this encoder from any other bytes: the last slot, which is zero in no map.
const TAG: u64 = u64::from_le_bytes(*b"hosttile");

/// The most dimensions.
const RANK: usize = 5;

const BASE: usize = 0;
const SHAPE: usize = 1;
const EXTENTS: usize = 2;
const STRIDES: usize = EXTENTS + RANK;
const TILE: usize = STRIDES + RANK - 1;
const TAGGED: usize = 15;

/// Encodes a tensor that keeps the rules.
pub(super) fn encode(tensor: &TiledTensor) -> TensorMap {
    let mut slots = [0; 16];
    slots[BASE] = tensor.base.address();
    slots[SHAPE] = (tensor.extents.len() as u64) << 32 | tensor.element_bytes as u64;
    slots[EXTENTS..][..tensor.extents.len()].copy_from_slice(&tensor.extents);
    slots[STRIDES..][..tensor.strides.len()].copy_from_slice(&tensor.strides);
    for (index, extent) in tensor.tile.iter().enumerate() {
        // An extent is at most 256: twelve bits for each of five.
        slots[TILE] |= u64::from(*extent) << (12 * index);
    }
    slots[TAGGED] = TAG;
    TensorMap::from_slots(slots)
}

/// The tensor; `None` where the map is none of this encoder.
pub(super) fn decode(map: &TensorMap) -> Option<TiledTensor> {
    let slots = map.slots();
    let rank = usize::try_from(slots[SHAPE] >> 32).ok()?;
    if slots[TAGGED] != TAG || !(1..=RANK).contains(&rank) {
        return None;
    }
    let tensor = TiledTensor {
        base: DevicePtr::new(slots[BASE]),
        element_bytes: usize::try_from(slots[SHAPE] & 0xFFFF_FFFF).ok()?,
        extents: slots[EXTENTS..][..rank].to_vec(),
        strides: slots[STRIDES..][..rank - 1].to_vec(),
        tile: (0..rank).map_while(|index| u32::try_from(slots[TILE] >> (12 * index) & 0xFFF).ok()).collect(),
    };
    tensor.check().is_ok().then_some(tensor)
}

/// The part of a tile's row `index` that lies within the tensor: the address of its first element, how many elements
/// of the row come before it, and how many there are. `None` where nothing of the row lies within.
///
/// `coordinates` has the tensor's rank.
pub(super) fn row(
    tensor: &TiledTensor,
    coordinates: &[i32],
    mut index: usize,
) -> Option<(DevicePtr, usize, usize)> {
    let mut address = u128::from(tensor.base.address());
    let outer = zip(&tensor.extents, &tensor.tile).zip(coordinates).skip(1);
    for (((extent, tile), coordinate), stride) in zip(outer, &tensor.strides) {
        let tile = *tile as usize;
        let place = i64::from(*coordinate) + i64::try_from(index % tile).ok()?;
        index /= tile;
        let place = u64::try_from(place).ok().filter(|place| place < extent)?;
        address += u128::from(place) * u128::from(*stride);
    }
    let first = i64::from(coordinates[0]);
    let extent = i64::try_from(tensor.extents[0]).unwrap_or(i64::MAX);
    let (start, end) = (first.max(0), (first + i64::from(tensor.tile[0])).min(extent));
    address += u128::try_from(start).ok()? * tensor.element_bytes as u128;
    // Past the end of the address space there is no memory, and the null pointer is refused as such.
    let address = DevicePtr::new(u64::try_from(address).unwrap_or(0));
    let within = usize::try_from(end - start).ok().filter(|within| *within > 0)?;
    Some((address, usize::try_from(start - first).ok()?, within))
}
