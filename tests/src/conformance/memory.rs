//! Allocating and freeing device memory.

use anyhow::{Result, ensure};
use warpcall::{Error, StreamHandle};

use super::check::{equal, expect_error, pattern, refused};
use super::{Capability, Target};

super::tests! { "memory":
    allocations_start_at_multiples_of_256,
    allocations_do_not_overlap,
    allocating_nothing_is_refused,
    more_memory_than_there_is_is_an_error_that_says_how_much_was_asked_for,
    freed_memory_can_be_had_again,
    free_memory_goes_down_by_what_is_allocated_and_comes_back,
    the_baseline_is_that_of_the_opening,
    freeing_waits_for_the_work_that_uses_the_memory,
    managed_memory_is_reached_by_host_and_kernels_at_one_address,
    managed_memory_can_be_copied_and_freed_like_any_other,
    the_device_says_what_it_is,
    the_context_can_be_bound_again_and_again,
}

fn allocations_start_at_multiples_of_256(target: &Target) -> Result<()> {
    let gpu = target.open()?;
    for bytes in [1, 3, 255, 256, 257, 4096, 100_001] {
        let memory = gpu.allocate(bytes)?;
        ensure!(memory.address().is_multiple_of(256), "{bytes} bytes were allocated at {memory}");
        ensure!(!memory.is_null(), "{bytes} bytes were allocated at the null pointer");
    }
    Ok(())
}

fn allocations_do_not_overlap(target: &Target) -> Result<()> {
    let gpu = target.open()?;
    let sizes = [1, 256, 257, 1000, 65_536, 17];
    let mut pieces = Vec::new();
    for (seed, bytes) in (0..).zip(sizes) {
        pieces.push((gpu.holding(&pattern(bytes, seed))?, pattern(bytes, seed)));
    }
    for (memory, content) in &pieces {
        equal("an allocation after others were written", &gpu.settled(*memory, content.len())?, content)?;
    }
    Ok(())
}

fn allocating_nothing_is_refused(target: &Target) -> Result<()> {
    let gpu = target.open()?;
    refused("allocate(0)", gpu.allocate(0))?;
    if !target.lacks.contains(&Capability::ManagedMemory) {
        refused("allocate_managed(0)", gpu.allocate_managed(0))?;
    }
    if !target.lacks.contains(&Capability::PinnedMemory) {
        refused("allocate_pinned(0)", gpu.allocate_pinned(0))?;
    }
    Ok(())
}

fn more_memory_than_there_is_is_an_error_that_says_how_much_was_asked_for(target: &Target) -> Result<()> {
    let gpu = target.open()?;
    for too_much in [1 << 60, usize::MAX, usize::MAX - 255] {
        expect_error!(gpu.allocate(too_much), Error::OutOfMemory { requested, .. } if requested == too_much);
        if !target.lacks.contains(&Capability::ManagedMemory) {
            let managed = gpu.allocate_managed(too_much);
            expect_error!(managed, Error::OutOfMemory { requested, .. } if requested == too_much);
        }
        if !target.lacks.contains(&Capability::PinnedMemory) {
            let pinned = gpu.allocate_pinned(too_much);
            expect_error!(pinned, Error::OutOfMemory { requested, .. } if requested == too_much);
        }
    }
    let content = pattern(100, 1);
    let memory = gpu.holding(&content)?;
    equal("memory after a failed allocation", &gpu.settled(memory, 100)?, &content)
}

fn freed_memory_can_be_had_again(target: &Target) -> Result<()> {
    let gpu = target.open()?;
    for _ in 0..64 {
        let memory = gpu.allocate(16 << 20)?;
        // SAFETY: nothing uses the memory.
        unsafe { gpu.free(memory) }?;
    }
    Ok(())
}

fn free_memory_goes_down_by_what_is_allocated_and_comes_back(target: &Target) -> Result<()> {
    const BYTES: usize = 64 << 20;
    // Other tests may use the same device meanwhile, with less than this.
    const OTHERS: usize = 16 << 20;
    let gpu = target.open()?;
    let before = gpu.memory_info()?;
    let memory = gpu.allocate(BYTES)?;
    let during = gpu.memory_info()?;
    // SAFETY: nothing uses the memory.
    unsafe { gpu.free(memory) }?;
    let after = gpu.memory_info()?;
    for info in [before, during, after] {
        ensure!(
            info.free <= info.total && info.driver_free <= info.total,
            "more is free than there is: {info:?}"
        );
        ensure!(info.driver_free <= info.free, "the driver has more free than can be allocated: {info:?}");
        ensure!(info.total == before.total, "the total changed: {before:?}, {info:?}");
    }
    ensure!(
        during.free + BYTES <= before.free + OTHERS,
        "{BYTES} bytes were allocated, and free memory went from {} to {}",
        before.free,
        during.free
    );
    ensure!(
        after.free + OTHERS >= during.free + BYTES,
        "{BYTES} bytes were freed, and free memory went from {} to {}",
        during.free,
        after.free
    );
    Ok(())
}

fn the_baseline_is_that_of_the_opening(target: &Target) -> Result<()> {
    let gpu = target.open()?;
    let before = gpu.memory_info()?;
    ensure!(
        before.baseline_free > 0 && before.baseline_free <= before.total,
        "an impossible baseline: {before:?}"
    );
    gpu.allocate(8 << 20)?;
    let second = target.open()?;
    second.allocate(8 << 20)?;
    let after = gpu.memory_info()?;
    ensure!(
        before.baseline_free == after.baseline_free,
        "the baseline moved from {} to {}",
        before.baseline_free,
        after.baseline_free
    );
    Ok(())
}

fn freeing_waits_for_the_work_that_uses_the_memory(target: &Target) -> Result<()> {
    target.require(&[Capability::Streams])?;
    let gpu = target.open()?;
    let stream = gpu.stream()?;
    let used = gpu.words(&[5; 64])?;
    let kept = gpu.words(&[0; 64])?;
    gpu.multiply_add_late(stream, used, 64, [10, 3])?;
    gpu.copy_within_device_async(stream, kept, used, 256)?;
    // SAFETY: nothing uses the memory but what is enqueued.
    unsafe { gpu.free(used) }?;
    // What takes its place must not be seen by the work from before.
    let next = gpu.words(&[7; 64])?;
    equal("what was made of freed memory", &gpu.settled_words(kept, 64)?, &[53; 64])?;
    equal("what took the place of freed memory", &gpu.settled_words(next, 64)?, &[7; 64])
}

fn managed_memory_is_reached_by_host_and_kernels_at_one_address(target: &Target) -> Result<()> {
    target.require(&[Capability::ManagedMemory])?;
    let gpu = target.open()?;
    let memory = gpu.allocate_managed(400)?;
    let host = std::ptr::with_exposed_provenance_mut::<u32>(usize::try_from(memory.address())?);
    for index in 0..100 {
        // SAFETY: managed memory of a hundred words, and no work is enqueued.
        unsafe { host.add(index).write(u32::try_from(index)?) };
    }
    gpu.multiply_add(StreamHandle::DEFAULT, memory, 100, [2, 1])?;
    gpu.synchronize()?;
    // SAFETY: the same words, written by host and kernel, and nothing is enqueued any more.
    let found = unsafe { std::slice::from_raw_parts(host, 100) };
    equal("managed memory seen by the host", found, &(0..100).map(|index| index * 2 + 1).collect::<Vec<_>>())
}

fn managed_memory_can_be_copied_and_freed_like_any_other(target: &Target) -> Result<()> {
    target.require(&[Capability::ManagedMemory])?;
    let gpu = target.open()?;
    let content = pattern(1000, 9);
    let managed = gpu.allocate_managed(1000)?;
    let device = gpu.allocate(1000)?;
    gpu.copy_to_device(managed, &content)?;
    gpu.copy_within_device(device, managed, 1000)?;
    equal("a copy from managed memory", &gpu.settled(device, 1000)?, &content)?;
    gpu.copy_to_device(device, &pattern(1000, 10))?;
    gpu.copy_within_device(managed, device, 1000)?;
    equal("a copy to managed memory", &gpu.settled(managed, 1000)?, &pattern(1000, 10))?;
    // SAFETY: nothing uses the memory.
    unsafe { gpu.free(managed) }?;
    // SAFETY: it is refused.
    refused("freeing managed memory twice", unsafe { gpu.free(managed) })?;
    Ok(())
}

fn the_device_says_what_it_is(target: &Target) -> Result<()> {
    let gpu = target.open()?;
    ensure!(gpu.kind() == target.kind, "the kind is `{}`, expected `{}`", gpu.kind(), target.kind);
    let properties = gpu.properties();
    ensure!(!properties.name.is_empty(), "the device has no name");
    ensure!(properties.multiprocessors > 0 && properties.warp_size > 0, "{properties:?}");
    ensure!(
        properties.limits.max_threads_per_block > 0 && !properties.limits.max_grid.is_empty(),
        "{properties:?}"
    );
    ensure!(gpu.label().contains(gpu.kind()), "the label `{}` does not name the kind", gpu.label());
    ensure!(gpu.id() != target.open()?.id(), "two backends have one id");
    ensure!(gpu.id() == gpu.id(), "the id changes");
    Ok(())
}

fn the_context_can_be_bound_again_and_again(target: &Target) -> Result<()> {
    let gpu = target.open()?;
    gpu.bind_to_thread()?;
    gpu.bind_to_thread()?;
    std::thread::scope(|scope| {
        scope
            .spawn(|| {
                gpu.bind_to_thread()?;
                equal("memory of a bound thread", &gpu.settled_words(gpu.words(&[1])?, 1)?, &[1])
            })
            .join()
            .expect("binding does not panic")
    })
}
