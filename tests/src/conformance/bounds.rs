//! Ranges of device memory that a copy cannot use. Each is an error of the call, and changes nothing.

use anyhow::{Result, ensure};
use warpcall::backend::{Copy2d, Fill};
use warpcall::{DevicePtr, Error, MemoryProblem, StreamHandle};

use super::check::{equal, memory_problem, out_of_bounds, pattern, refused};
use super::{Fixture, Target};

super::tests! { "bounds":
    a_range_past_the_end_names_the_allocation,
    a_range_in_the_middle_may_reach_the_end_and_no_further,
    the_null_pointer_is_named,
    memory_that_was_freed_is_named,
    memory_that_was_never_allocated_is_named,
    memory_of_another_backend_is_named,
    lengths_near_the_end_of_the_address_space_are_refused,
    a_refused_copy_changes_nothing,
    overlapping_ranges_of_a_copy_are_refused,
    ranges_that_only_touch_can_be_copied,
    a_word_memset_needs_whole_words,
    a_row_wider_than_a_pitch_is_refused,
    the_last_row_of_a_2d_copy_needs_no_whole_pitch,
    a_2d_copy_whose_extent_overflows_is_refused,
    kernels_are_not_given_memory_that_they_cannot_use,
}

const STREAM: StreamHandle = StreamHandle::DEFAULT;

/// A fixture, the range under test, memory that is large enough for the other range, and the length of both.
type Operation = (&'static str, fn(&Fixture, DevicePtr, DevicePtr, usize) -> warpcall::Result<()>);

/// Every operation on a range of device memory; those on two ranges once for each.
const OPERATIONS: &[Operation] = &[
    ("copy_to_device", |gpu, range, _, bytes| gpu.copy_to_device(range, &host(bytes))),
    ("copy_to_host", |gpu, range, _, bytes| gpu.copy_to_host(&mut host(bytes), range)),
    ("copy_to_device_on", |gpu, range, _, bytes| gpu.copy_to_device_on(STREAM, range, &host(bytes))),
    ("copy_to_host_on", |gpu, range, _, bytes| gpu.copy_to_host_on(STREAM, &mut host(bytes), range)),
    ("copy_to_device_async", |gpu, range, _, bytes| gpu.copy_to_device_async(STREAM, range, &host(bytes))),
    ("copy_to_device_retained", |gpu, range, _, bytes| {
        let source = host(bytes);
        // SAFETY: the device is synchronised before the source is dropped.
        let enqueued = unsafe { gpu.copy_to_device_retained(STREAM, range, source.as_ptr(), bytes) };
        gpu.synchronize()?;
        enqueued
    }),
    ("copy_to_host_async", |gpu, range, _, bytes| {
        let mut destination = host(bytes);
        // SAFETY: the device is synchronised before the destination is dropped.
        let enqueued = unsafe { gpu.copy_to_host_async(STREAM, destination.as_mut_ptr(), range, bytes) };
        gpu.synchronize()?;
        enqueued
    }),
    ("copy_within_device to it", |gpu, range, other, bytes| gpu.copy_within_device(range, other, bytes)),
    ("copy_within_device from it", |gpu, range, other, bytes| gpu.copy_within_device(other, range, bytes)),
    ("copy_within_device_async to it", |gpu, range, other, bytes| {
        gpu.copy_within_device_async(STREAM, range, other, bytes)
    }),
    ("copy_within_device_async from it", |gpu, range, other, bytes| {
        gpu.copy_within_device_async(STREAM, other, range, bytes)
    }),
    ("copy_2d_async to it", |gpu, range, other, bytes| {
        gpu.copy_2d_async(STREAM, &one_row(range, other, bytes))
    }),
    ("copy_2d_async from it", |gpu, range, other, bytes| {
        gpu.copy_2d_async(STREAM, &one_row(other, range, bytes))
    }),
    ("memset", |gpu, range, _, bytes| gpu.memset(range, Fill::Byte(1), bytes)),
    ("memset_async", |gpu, range, _, bytes| gpu.memset_async(STREAM, range, Fill::Byte(1), bytes)),
];

fn host(bytes: usize) -> Vec<u8> {
    vec![0x77; bytes]
}

fn other(gpu: &Fixture) -> Result<DevicePtr> {
    gpu.holding(&host(2000))
}

fn one_row(dst: DevicePtr, src: DevicePtr, width: usize) -> Copy2d {
    Copy2d { dst, dst_pitch: width, src, src_pitch: width, width, height: 1 }
}

fn a_range_past_the_end_names_the_allocation(target: &Target) -> Result<()> {
    let gpu = target.open()?;
    // Not a multiple of what an allocator rounds to.
    let [memory, other] = [gpu.allocate(1000)?, other(&gpu)?];
    for (name, operation) in OPERATIONS {
        out_of_bounds(
            &format!("{name}, 1001 of 1000 bytes"),
            operation(&gpu, memory, other, 1001),
            memory,
            1000,
        )?;
    }
    Ok(())
}

fn a_range_in_the_middle_may_reach_the_end_and_no_further(target: &Target) -> Result<()> {
    let gpu = target.open()?;
    let [memory, other] = [gpu.holding(&pattern(1000, 1))?, other(&gpu)?];
    let middle = memory.byte_add(400);
    for (name, operation) in OPERATIONS {
        operation(&gpu, middle, other, 600)
            .map_err(anyhow::Error::from)
            .map_err(|error| error.context(*name))?;
        out_of_bounds(
            &format!("{name}, 601 of 600 bytes"),
            operation(&gpu, middle, other, 601),
            memory,
            1000,
        )?;
    }
    Ok(())
}

fn the_null_pointer_is_named(target: &Target) -> Result<()> {
    let gpu = target.open()?;
    let other = other(&gpu)?;
    for (name, operation) in OPERATIONS {
        memory_problem(
            &format!("{name} at the null pointer"),
            operation(&gpu, DevicePtr::NULL, other, 4),
            &MemoryProblem::Null,
        )?;
    }
    Ok(())
}

fn memory_that_was_freed_is_named(target: &Target) -> Result<()> {
    let gpu = target.open()?;
    let [memory, other] = [gpu.allocate(1000)?, other(&gpu)?];
    // SAFETY: the uses that follow are refused.
    unsafe { gpu.free(memory) }?;
    for (name, operation) in OPERATIONS {
        let outcome = operation(&gpu, memory, other, 4);
        memory_problem(&format!("{name} at freed memory"), outcome, &MemoryProblem::Freed)?;
    }
    Ok(())
}

fn memory_that_was_never_allocated_is_named(target: &Target) -> Result<()> {
    let gpu = target.open()?;
    let other = other(&gpu)?;
    for (name, operation) in OPERATIONS {
        for address in [0x8, u64::MAX - 3] {
            memory_problem(
                &format!("{name} at {address:#x}"),
                operation(&gpu, DevicePtr::new(address), other, 4),
                &MemoryProblem::Unknown,
            )?;
        }
    }
    Ok(())
}

fn memory_of_another_backend_is_named(target: &Target) -> Result<()> {
    target.require_memory_apart()?;
    let gpu = target.open()?;
    let foreign = target.open()?;
    let [memory, other] = [foreign.holding(&pattern(100, 3))?, other(&gpu)?];
    for (name, operation) in OPERATIONS {
        let outcome = operation(&gpu, memory, other, 4);
        memory_problem(&format!("{name} at foreign memory"), outcome, &MemoryProblem::Foreign)?;
    }
    // SAFETY: it is refused.
    let freed = unsafe { gpu.free(memory) };
    memory_problem("freeing foreign memory", freed, &MemoryProblem::Foreign)?;
    equal("memory that another backend was refused", &foreign.settled(memory, 100)?, &pattern(100, 3))
}

fn lengths_near_the_end_of_the_address_space_are_refused(target: &Target) -> Result<()> {
    let gpu = target.open()?;
    let [memory, source] = [gpu.allocate(1000)?, gpu.allocate(1000)?];
    for bytes in [usize::MAX, usize::MAX - 8, usize::MAX / 2] {
        refused("memset", gpu.memset(memory, Fill::Byte(0), bytes))?;
        refused("memset_async", gpu.memset_async(STREAM, memory, Fill::Byte(0), bytes))?;
        refused("copy_within_device", gpu.copy_within_device(memory, source, bytes))?;
        refused("copy_within_device_async", gpu.copy_within_device_async(STREAM, memory, source, bytes))?;
    }
    Ok(())
}

fn a_refused_copy_changes_nothing(target: &Target) -> Result<()> {
    let gpu = target.open()?;
    let content = pattern(1000, 4);
    let other = other(&gpu)?;
    let [before, memory, after] = [gpu.holding(&content)?, gpu.holding(&content)?, gpu.holding(&content)?];
    for (name, operation) in OPERATIONS {
        refused(name, operation(&gpu, memory, other, 1001))?;
        for piece in [before, memory, after] {
            equal(&format!("memory after {name} was refused"), &gpu.settled(piece, 1000)?, &content)?;
        }
    }
    let mut destination = [9; 1001];
    refused("copy_to_host", gpu.copy_to_host(&mut destination, memory))?;
    refused("copy_to_host_on", gpu.copy_to_host_on(STREAM, &mut destination, memory))?;
    equal("the destination of a refused copy", &destination, &[9; 1001])
}

fn overlapping_ranges_of_a_copy_are_refused(target: &Target) -> Result<()> {
    let gpu = target.open()?;
    let content = pattern(1000, 5);
    let memory = gpu.holding(&content)?;
    for (dst, src) in
        [(0, 99), (99, 0), (50, 50)].map(|(dst, src)| (memory.byte_add(dst), memory.byte_add(src)))
    {
        for (name, outcome) in [
            ("copy_within_device", gpu.copy_within_device(dst, src, 100)),
            ("copy_within_device_async", gpu.copy_within_device_async(STREAM, dst, src, 100)),
            ("copy_2d_async", gpu.copy_2d_async(STREAM, &one_row(dst, src, 100))),
        ] {
            let error = refused(&format!("{name} of overlapping ranges"), outcome)?;
            ensure!(
                matches!(error, Error::Memory { problem: MemoryProblem::Overlap { .. }, .. }),
                "{name} from {src} to {dst} returned `{error:?}`; expected the problem Overlap"
            );
        }
    }
    equal("memory after refused copies", &gpu.settled(memory, 1000)?, &content)
}

fn ranges_that_only_touch_can_be_copied(target: &Target) -> Result<()> {
    let gpu = target.open()?;
    let content = pattern(200, 6);
    let memory = gpu.holding(&content)?;
    gpu.copy_within_device(memory.byte_add(100), memory, 100)?;
    equal("the second half", &gpu.settled(memory.byte_add(100), 100)?, &content[..100])?;
    gpu.copy_to_device(memory, &content)?;
    gpu.copy_within_device_async(STREAM, memory, memory.byte_add(100), 100)?;
    equal("the first half", &gpu.settled(memory, 100)?, &content[100..])
}

fn a_word_memset_needs_whole_words(target: &Target) -> Result<()> {
    let gpu = target.open()?;
    let content = pattern(64, 7);
    let memory = gpu.holding(&content)?;
    for (offset, bytes) in [(1, 8), (2, 8), (3, 4), (0, 7), (4, 2), (0, 1)] {
        let at = memory.byte_add(offset);
        refused("memset", gpu.memset(at, Fill::Word(7), bytes))?;
        refused("memset_async", gpu.memset_async(STREAM, at, Fill::Word(7), bytes))?;
    }
    equal("memory after refused memsets", &gpu.settled(memory, 64)?, &content)
}

fn a_row_wider_than_a_pitch_is_refused(target: &Target) -> Result<()> {
    let gpu = target.open()?;
    let [dst, src] = [gpu.holding(&pattern(1000, 8))?, gpu.allocate(1000)?];
    for (dst_pitch, src_pitch) in [(15, 16), (16, 15), (0, 16), (16, 0)] {
        let copy = Copy2d { dst, dst_pitch, src, src_pitch, width: 16, height: 4 };
        refused("copy_2d_async of rows wider than a pitch", gpu.copy_2d_async(STREAM, &copy))?;
    }
    equal("memory after refused copies", &gpu.settled(dst, 1000)?, &pattern(1000, 8))
}

fn the_last_row_of_a_2d_copy_needs_no_whole_pitch(target: &Target) -> Result<()> {
    let gpu = target.open()?;
    let exact = 3 * 32 + 10;
    let [narrow, wide] = [gpu.allocate(exact)?, gpu.allocate(exact)?];
    let fits = Copy2d { dst: narrow, dst_pitch: 32, src: wide, src_pitch: 32, width: 10, height: 4 };
    gpu.copy_2d_async(STREAM, &fits)?;
    gpu.synchronize()?;
    let [narrow, large] = [gpu.allocate(exact - 1)?, gpu.allocate(1000)?];
    let write = Copy2d { dst: narrow, src: large, ..fits };
    out_of_bounds(
        "copy_2d_async past its destination",
        gpu.copy_2d_async(STREAM, &write),
        narrow,
        exact - 1,
    )?;
    let read = Copy2d { dst: large, src: narrow, ..fits };
    out_of_bounds("copy_2d_async past its source", gpu.copy_2d_async(STREAM, &read), narrow, exact - 1)
}

fn a_2d_copy_whose_extent_overflows_is_refused(target: &Target) -> Result<()> {
    let gpu = target.open()?;
    let [dst, src] = [gpu.allocate(1000)?, gpu.allocate(1000)?];
    for (pitch, height) in [(usize::MAX, 2), (usize::MAX / 2, 4), (1 << 33, 1 << 31), (16, usize::MAX)] {
        let copy = Copy2d { dst, dst_pitch: pitch, src, src_pitch: pitch, width: 16, height };
        refused("copy_2d_async with an impossible extent", gpu.copy_2d_async(STREAM, &copy))?;
    }
    Ok(())
}

fn kernels_are_not_given_memory_that_they_cannot_use(target: &Target) -> Result<()> {
    target.require_survival_of_wild_launches()?;
    let gpu = target.open()?;
    let foreign = target.open()?;
    let freed = gpu.allocate(256)?;
    // SAFETY: the uses that follow are refused.
    unsafe { gpu.free(freed) }?;
    for (name, memory) in [
        ("the null pointer", DevicePtr::NULL),
        ("an address where nothing is", DevicePtr::new(0x1000)),
        ("freed memory", freed),
        ("memory of another backend", foreign.allocate(256)?),
        ("an address between two elements", gpu.allocate(256)?.byte_add(2)),
    ] {
        // By the launch itself: what can be seen at once is not left for the call that waits.
        let launched = gpu.count_up(STREAM, memory, 4, 0);
        ensure!(launched.is_err(), "a kernel was given {name}, and nobody noticed");
        let error = launched.unwrap_err().to_string();
        ensure!(
            error.contains("count_up") && error.contains("values"),
            "a kernel was given {name}; the error names neither kernel nor parameter: {error}"
        );
    }
    // The backend goes on working.
    let memory = gpu.allocate(16)?;
    gpu.count_up(STREAM, memory, 4, 1)?;
    equal("memory after refused launches", &gpu.settled_words(memory, 4)?, &[1, 2, 3, 4])
}
