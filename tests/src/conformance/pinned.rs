//! Pinned host memory.

use std::ptr::NonNull;

use anyhow::{Result, ensure};
use warpcall::backend::{Copy2d, Fill};
use warpcall::{MemoryProblem, StreamHandle};

use super::check::{elements, equal, memory_problem, pattern, refused};
use super::{Capability, Target};

super::tests! { "pinned":
    pinned_memory_is_zero,
    pinned_memory_that_was_used_before_is_zero_again,
    pinned_memory_is_aligned_to_64_bytes,
    a_kernel_reaches_pinned_memory_through_its_device_address,
    the_device_address_moves_with_the_pointer,
    memory_that_is_not_pinned_has_no_device_address,
    pinned_memory_cannot_be_freed_twice,
    freeing_pinned_memory_waits_for_the_work_that_uses_it,
    pinned_memory_serves_blocking_copies_too,
    no_copy_and_no_memset_reaches_pinned_memory_by_its_device_address,
}

fn bytes_of<'a>(memory: NonNull<u8>, bytes: usize) -> &'a [u8] {
    // SAFETY: the callers give live pinned memory of as many bytes, with nothing enqueued on it.
    unsafe { std::slice::from_raw_parts(memory.as_ptr(), bytes) }
}

fn pinned_memory_is_zero(target: &Target) -> Result<()> {
    target.require(&[Capability::PinnedMemory])?;
    let gpu = target.open()?;
    for bytes in [1, 63, 4096, 1_000_003] {
        equal("fresh pinned memory", bytes_of(gpu.allocate_pinned(bytes)?, bytes), &vec![0; bytes])?;
    }
    Ok(())
}

fn pinned_memory_that_was_used_before_is_zero_again(target: &Target) -> Result<()> {
    target.require(&[Capability::PinnedMemory])?;
    let gpu = target.open()?;
    for _ in 0..20 {
        let memory = gpu.allocate_pinned(10_000)?;
        equal("pinned memory allocated again", bytes_of(memory, 10_000), &[0; 10_000])?;
        // SAFETY: ten thousand bytes of this test's own; nothing uses them after they are freed.
        unsafe {
            memory.as_ptr().write_bytes(0xEE, 10_000);
            gpu.free_pinned(memory)?;
        }
    }
    Ok(())
}

fn pinned_memory_is_aligned_to_64_bytes(target: &Target) -> Result<()> {
    target.require(&[Capability::PinnedMemory])?;
    let gpu = target.open()?;
    for bytes in [1, 3, 65, 1000] {
        let memory = gpu.allocate_pinned(bytes)?;
        ensure!(memory.addr().get().is_multiple_of(64), "{bytes} pinned bytes were allocated at {memory:p}");
    }
    Ok(())
}

fn a_kernel_reaches_pinned_memory_through_its_device_address(target: &Target) -> Result<()> {
    target.require(&[Capability::PinnedMemory])?;
    let gpu = target.open()?;
    let memory = gpu.allocate_pinned(400)?;
    for index in 0..100 {
        // SAFETY: a hundred words, and nothing is enqueued.
        unsafe { memory.cast::<u32>().add(index).write(u32::try_from(index)?) };
    }
    let alias = gpu.pinned_device_ptr(memory)?;
    gpu.multiply_add(StreamHandle::DEFAULT, alias, 100, [2, 1])?;
    gpu.synchronize()?;
    let found: Vec<u32> = elements(bytes_of(memory, 400));
    equal("pinned memory after a kernel", &found, &(0..100).map(|index| index * 2 + 1).collect::<Vec<_>>())
}

fn the_device_address_moves_with_the_pointer(target: &Target) -> Result<()> {
    target.require(&[Capability::PinnedMemory])?;
    let gpu = target.open()?;
    let memory = gpu.allocate_pinned(1000)?;
    let alias = gpu.pinned_device_ptr(memory)?;
    for offset in [1, 64, 999] {
        // SAFETY: within the allocation.
        let inside = gpu.pinned_device_ptr(unsafe { memory.add(offset) })?;
        ensure!(
            inside == alias.byte_add(offset),
            "{offset} bytes further on the device address is {inside}, from {alias}"
        );
    }
    Ok(())
}

fn memory_that_is_not_pinned_has_no_device_address(target: &Target) -> Result<()> {
    target.require(&[Capability::PinnedMemory])?;
    let gpu = target.open()?;
    let mut pageable = vec![0_u8; 4096];
    let pageable = NonNull::from(pageable.as_mut_slice()).cast();
    refused("the device address of pageable memory", gpu.pinned_device_ptr(pageable))?;
    // SAFETY: it is refused.
    refused("freeing pageable memory as pinned", unsafe { gpu.free_pinned(pageable) })?;
    let memory = gpu.allocate_pinned(1000)?;
    // SAFETY: nothing uses the memory.
    unsafe { gpu.free_pinned(memory) }?;
    refused("the device address of freed pinned memory", gpu.pinned_device_ptr(memory))?;
    Ok(())
}

fn pinned_memory_cannot_be_freed_twice(target: &Target) -> Result<()> {
    target.require(&[Capability::PinnedMemory])?;
    let gpu = target.open()?;
    let memory = gpu.allocate_pinned(1000)?;
    // SAFETY: within the allocation, and refused.
    refused("freeing pinned memory from its middle", unsafe { gpu.free_pinned(memory.add(64)) })?;
    // SAFETY: nothing uses the memory.
    unsafe { gpu.free_pinned(memory) }?;
    // SAFETY: it is refused.
    refused("freeing pinned memory twice", unsafe { gpu.free_pinned(memory) })?;
    Ok(())
}

fn freeing_pinned_memory_waits_for_the_work_that_uses_it(target: &Target) -> Result<()> {
    target.require(&[Capability::PinnedMemory, Capability::Streams])?;
    let gpu = target.open()?;
    let stream = gpu.stream()?;
    let content = pattern(4096, 1);
    let memory = gpu.allocate_pinned(4096)?;
    // SAFETY: 4096 bytes that nothing else uses.
    unsafe { memory.as_ptr().copy_from_nonoverlapping(content.as_ptr(), 4096) };
    let device = gpu.allocate(4096)?;
    let something = gpu.words(&[0; 4])?;
    gpu.multiply_add_late(stream, something, 4, [1, 1])?;
    // SAFETY: the pinned memory is freed only after this copy, which the backend completes first.
    unsafe { gpu.copy_to_device_retained(stream, device, memory.as_ptr(), 4096) }?;
    // SAFETY: nothing uses the memory but what is enqueued.
    unsafe { gpu.free_pinned(memory) }?;
    // What takes its place must not be what is copied.
    let next = gpu.allocate_pinned(4096)?;
    // SAFETY: 4096 bytes that nothing else uses.
    unsafe { next.as_ptr().write_bytes(0xEE, 4096) };
    equal("copied from pinned memory that is gone", &gpu.settled(device, 4096)?, &content)
}

fn pinned_memory_serves_blocking_copies_too(target: &Target) -> Result<()> {
    target.require(&[Capability::PinnedMemory])?;
    let gpu = target.open()?;
    let memory = gpu.allocate_pinned(1000)?;
    let device = gpu.holding(&pattern(1000, 2))?;
    // SAFETY: a thousand bytes of this test's own.
    let pinned = unsafe { std::slice::from_raw_parts_mut(memory.as_ptr(), 1000) };
    gpu.copy_to_host(pinned, device)?;
    equal("copied to pinned memory", pinned, &pattern(1000, 2))?;
    pinned.copy_from_slice(&pattern(1000, 3));
    gpu.copy_to_device(device, pinned)?;
    equal("copied from pinned memory", &gpu.settled(device, 1000)?, &pattern(1000, 3))
}

fn no_copy_and_no_memset_reaches_pinned_memory_by_its_device_address(target: &Target) -> Result<()> {
    target.require(&[Capability::PinnedMemory])?;
    let gpu = target.open()?;
    let memory = gpu.allocate_pinned(256)?;
    let (device, stream) = (gpu.holding(&pattern(256, 4))?, StreamHandle::DEFAULT);
    // A slice on the host, which each of these would write behind, or read while it is written.
    let pinned = bytes_of(memory, 256);
    let mut found = vec![0xCD; 64];
    for offset in [0, 64] {
        let alias = gpu.pinned_device_ptr(memory)?.byte_add(offset);
        let check = |what: &str, outcome| memory_problem(what, outcome, &MemoryProblem::Pinned);
        check("copy_to_device", gpu.copy_to_device(alias, &[1; 64]))?;
        check("copy_to_device_on", gpu.copy_to_device_on(stream, alias, &[1; 64]))?;
        check("copy_to_device_async", gpu.copy_to_device_async(stream, alias, &[1; 64]))?;
        // SAFETY: the source is a constant.
        let retained = unsafe { gpu.copy_to_device_retained(stream, alias, [1; 64].as_ptr(), 64) };
        check("copy_to_device_retained", retained)?;
        check("copy_to_host", gpu.copy_to_host(&mut found, alias))?;
        check("copy_to_host_on", gpu.copy_to_host_on(stream, &mut found, alias))?;
        // SAFETY: the destination is there until the synchronisation.
        let kept = unsafe { gpu.copy_to_host_async(stream, found.as_mut_ptr(), alias, 64) };
        check("copy_to_host_async", kept)?;
        for (dst, src) in [(alias, device), (device, alias)] {
            check("copy_within_device", gpu.copy_within_device(dst, src, 64))?;
            check("copy_within_device_async", gpu.copy_within_device_async(stream, dst, src, 64))?;
            let rectangle = Copy2d { dst, dst_pitch: 16, src, src_pitch: 32, width: 8, height: 4 };
            check("copy_2d_async", gpu.copy_2d_async(stream, &rectangle))?;
        }
        for fill in [Fill::Byte(1), Fill::Word(1)] {
            check("memset", gpu.memset(alias, fill, 64))?;
            check("memset_async", gpu.memset_async(stream, alias, fill, 64))?;
        }
    }
    gpu.synchronize()?;
    equal("pinned memory after the refusals", pinned, &[0; 256])?;
    equal("device memory after the refusals", &gpu.settled(device, 256)?, &pattern(256, 4))?;
    equal("host memory after the refusals", &found, &[0xCD; 64])
}
