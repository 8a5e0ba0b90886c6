//! What each kernel of the suite does, on the host.

use std::cell::Cell;
use std::time::Duration;

use warpcall::{DevicePtr, HostCall, HostLaunch, KernelParam, Result, TensorMap};

use super::kernels::{Aligned, Empty, Nested, Nine, Padded, Wide};

pub(super) fn count_up(values: &mut [u32], n: u32, base: u32) {
    for (value, number) in values[..n as usize].iter_mut().zip(base..) {
        *value = number;
    }
}

pub(super) fn multiply_add(values: &mut [u32], n: u32, factor: u32, term: u32) {
    for value in &mut values[..n as usize] {
        *value = value.wrapping_mul(factor).wrapping_add(term);
    }
}

pub(super) fn accumulate(sums: &[Cell<u32>], terms: &[Cell<u32>], n: u32) {
    for (sum, term) in sums[..n as usize].iter().zip(&terms[..n as usize]) {
        sum.set(sum.get().wrapping_add(term.get()));
    }
}

pub(super) fn multiply_add_late(values: &mut [u32], n: u32, factor: u32, term: u32, nanoseconds: u64) {
    std::thread::sleep(Duration::from_nanos(nanoseconds));
    multiply_add(values, n, factor, term);
}

pub(super) fn geometry(launch: &HostLaunch<'_>, seen: &mut [u32]) {
    let config = launch.config();
    seen[..3].copy_from_slice(&config.grid.to_array());
    seen[3..6].copy_from_slice(&config.block.to_array());
    seen[6] = config.shared_mem;
}

pub(super) fn nothing() {}

#[allow(clippy::too_many_arguments, reason = "one a parameter of the kernel")]
pub(super) fn follow_pointers(
    launch: &HostLaunch<'_>,
    seen: &mut [f32],
    plain: &[f32],
    untyped: &mut [u8],
    nullable: Option<&[f32]>,
    nullable_mutable: Option<&mut [f32]>,
    pointers: &[DevicePtr],
    address: &mut [u64],
) {
    seen[0] = plain[0];
    seen[1] = f32::from(untyped[0]);
    untyped[0] += 1;
    seen[2] = nullable.map_or(-1.0, |values| values[0]);
    seen[3] = nullable_mutable.as_ref().map_or(-1.0, |values| values[0]);
    if let Some(values) = nullable_mutable {
        values[0] = 99.0;
    }
    seen[4] = launch.slice_at::<f32>(pointers[1], 1).expect("the table holds device pointers")[0].get();
    address[0] = pointers[1].address();
}

pub(super) fn echo<P: KernelParam>(seen: &mut [u8], before: u8, value: P, after: u8) {
    let packed = value.pack();
    echo_bytes(seen, before, packed.arg().bytes(), after);
}

pub(super) fn echo_tensor_map(seen: &mut [u8], before: u8, value: &TensorMap, after: u8) {
    echo_bytes(seen, before, bytemuck::bytes_of(value.slots()), after);
}

fn echo_bytes(seen: &mut [u8], before: u8, value: &[u8], after: u8) {
    seen[0] = before;
    seen[1..=value.len()].copy_from_slice(value);
    seen[1 + value.len()] = after;
}

/// Folds numbers into one, as the kernel does.
pub(super) fn mix(numbers: impl IntoIterator<Item = u64>) -> u64 {
    numbers.into_iter().reduce(|sum, next| sum.wrapping_mul(1_000_003).wrapping_add(next)).unwrap_or(0)
}

pub(super) fn digest_of_padded(value: &Padded) -> u64 {
    mix([value.a.into(), value.b, value.c.into(), value.d.into(), value.e.into()])
}

#[allow(clippy::too_many_arguments, clippy::large_types_passed_by_value, reason = "as the kernel takes them")]
pub(super) fn read_structs(
    seen: &mut [u64],
    first: u8,
    padded: Padded,
    second: u8,
    aligned: Aligned,
    third: u8,
    nested: Nested,
    fourth: u8,
    nine: Nine,
    fifth: u8,
    _empty: Empty,
    sixth: u8,
    wide: Wide,
    last: u8,
) {
    let [x, y, z] = aligned.weights.map(|weight| u64::from(weight.to_bits()));
    let pair = [nested.pair.x, nested.pair.y].map(|number| u64::from(number.cast_unsigned()));
    seen[..13].copy_from_slice(&[
        first.into(),
        digest_of_padded(&padded),
        second.into(),
        mix([x, y, z, aligned.on.into()]),
        third.into(),
        mix([nested.tag.into(), digest_of_padded(&nested.padded), pair[0], pair[1]]),
        nested.memory.address(),
        fourth.into(),
        mix([0].into_iter().chain(nine.bytes.map(u64::from))),
        fifth.into(),
        sixth.into(),
        mix([0].into_iter().chain(wide.words)),
        last.into(),
    ]);
}

pub(super) fn seventy(call: &HostCall<'_>) -> Result<()> {
    call.run(|call| {
        let seen = call.slice_mut::<u32, &mut [u32]>(0)?;
        for (index, seen) in seen[..70].iter_mut().enumerate() {
            *seen = call.value::<u32>(index + 1)?;
        }
        Ok(())
    })
}
