//! Structs passed by value.

use anyhow::{Result, ensure};
use warpcall::{DevicePtr, Int2, LaunchConfig, StreamHandle};

use super::Target;
use super::check::{elements, equal};
use super::kernels::{Aligned, Empty, Nested, Nine, Padded, Wide, launch_echo_padded, launch_read_structs};
use super::reference::{digest_of_padded, mix};

super::tests! { "arguments":
    structs_of_every_shape_arrive_with_their_neighbours,
    the_padding_of_a_struct_is_zero,
}

const PADDED: Padded = Padded { a: 0x11, b: 0x2222_3333_4444_5555, c: 0x6666, d: 0x7777_8888, e: 0x99 };

fn structs_of_every_shape_arrive_with_their_neighbours(target: &Target) -> Result<()> {
    let gpu = target.open()?;
    let aligned = Aligned { weights: [1.5, -2.25, f32::from_bits(0x7FA1_2345)], on: true };
    let inner = Padded { a: 1, b: u64::MAX, c: 2, d: u32::MAX, e: 3 };
    let nested =
        Nested { tag: 0xAB, padded: inner, pair: Int2::new(-5, 6), memory: DevicePtr::new(0x1234_5678_9ABC) };
    let nine = Nine { bytes: [9, 8, 7, 6, 5, 4, 3, 2, 1] };
    let wide = Wide { words: std::array::from_fn(|index| u64::MAX - index as u64 * 3) };
    let mut seen = gpu.holding(bytemuck::cast_slice(&[0_u64; 14]))?;
    // SAFETY: the memory has room for thirteen numbers.
    unsafe {
        launch_read_structs(
            &gpu.on(StreamHandle::DEFAULT),
            LaunchConfig::new(1, 1),
            &mut seen,
            101,
            PADDED,
            102,
            aligned,
            103,
            nested,
            104,
            nine,
            105,
            Empty {},
            106,
            wide,
            107,
        )
    }?;
    let weights = aligned.weights.map(|weight| u64::from(weight.to_bits()));
    let found: Vec<u64> = elements(&gpu.settled(seen, 14 * 8)?);
    let expected = [
        ("the argument before the padded struct", 101),
        ("the padded struct", digest_of_padded(&PADDED)),
        ("the argument before the aligned struct", 102),
        ("the aligned struct", mix(weights.into_iter().chain([1]))),
        ("the argument before the nested struct", 103),
        ("the nested struct", mix([0xAB, digest_of_padded(&inner), u64::from(u32::MAX - 4), 6])),
        ("the device pointer in the nested struct", 0x1234_5678_9ABC),
        ("the argument before the struct of nine bytes", 104),
        ("the struct of nine bytes", mix([0, 9, 8, 7, 6, 5, 4, 3, 2, 1])),
        ("the argument before the empty struct", 105),
        ("the argument before the wide struct", 106),
        ("the wide struct", mix([0].into_iter().chain(wide.words))),
        ("the last argument", 107),
        ("what the kernel leaves alone", 0),
    ];
    for (found, (what, expected)) in found.into_iter().zip(expected) {
        ensure!(found == expected, "{what} arrived as {found:#x}; expected {expected:#x}");
    }
    Ok(())
}

fn the_padding_of_a_struct_is_zero(target: &Target) -> Result<()> {
    let gpu = target.open()?;
    let mut seen = gpu.holding(&[0xEE; 35])?;
    // SAFETY: the memory has room for the 32 bytes of the struct and its two neighbours.
    unsafe {
        let stream = &gpu.on(StreamHandle::DEFAULT);
        launch_echo_padded(stream, LaunchConfig::new(1, 1), &mut seen, 0xA5, PADDED, 0x5A)
    }?;
    let mut expected = vec![0xA5, 0x11, 0, 0, 0, 0, 0, 0, 0];
    expected.extend(PADDED.b.to_le_bytes());
    expected.extend([0x66, 0x66, 0, 0]);
    expected.extend(PADDED.d.to_le_bytes());
    expected.extend([0x99, 0, 0, 0, 0, 0, 0, 0, 0x5A, 0xEE]);
    equal("the bytes of a struct with padding", &gpu.settled(seen, 35)?, &expected)
}
