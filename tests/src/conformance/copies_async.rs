//! The two promises of asynchronous copies between host and device, from pageable and from pinned memory.

use std::ptr::NonNull;

use anyhow::{Result, ensure};
use warpcall::StreamHandle;

use super::check::{elements, equal, pattern};
use super::{Capability, Fixture, Target};

super::tests! { "copies":
    the_source_of_a_plain_asynchronous_copy_may_be_rewritten_at_once,
    the_source_of_a_plain_asynchronous_copy_may_be_freed_at_once,
    a_pinned_source_of_a_plain_asynchronous_copy_may_be_rewritten_at_once,
    a_small_plain_copy_may_be_rewritten_while_others_are_under_way,
    a_gather_of_retained_copies_needs_one_synchronisation,
    a_gather_from_pinned_memory_needs_one_synchronisation,
    a_retained_copy_is_ordered_on_its_stream,
    a_copy_to_pageable_host_memory_is_there_after_a_synchronisation,
    a_copy_to_pinned_host_memory_is_there_after_a_synchronisation,
    copies_there_and_back_keep_their_order_on_a_stream,
}

fn busy_stream(gpu: &Fixture) -> Result<StreamHandle> {
    let stream = gpu.stream()?;
    let something = gpu.words(&[0; 4])?;
    gpu.multiply_add_late(stream, something, 4, [1, 1])?;
    Ok(stream)
}

/// Pinned memory as bytes.
fn pinned(gpu: &Fixture, bytes: usize) -> Result<(NonNull<u8>, &'static mut [u8])> {
    let memory = gpu.allocate_pinned(bytes)?;
    // SAFETY: so many bytes, zero, and never freed while the test runs.
    Ok((memory, unsafe { std::slice::from_raw_parts_mut(memory.as_ptr(), bytes) }))
}

fn the_source_of_a_plain_asynchronous_copy_may_be_rewritten_at_once(target: &Target) -> Result<()> {
    target.require(&[Capability::Streams])?;
    let gpu = target.open()?;
    for bytes in [1, 100, 70_000, 5 << 20] {
        let stream = busy_stream(&gpu)?;
        let memory = gpu.allocate(bytes)?;
        let mut source = pattern(bytes, 1);
        gpu.copy_to_device_async(stream, memory, &source)?;
        source.fill(0xEE);
        equal(
            &format!("{bytes} bytes that were rewritten later"),
            &gpu.settled(memory, bytes)?,
            &pattern(bytes, 1),
        )?;
    }
    Ok(())
}

fn the_source_of_a_plain_asynchronous_copy_may_be_freed_at_once(target: &Target) -> Result<()> {
    target.require(&[Capability::Streams])?;
    let gpu = target.open()?;
    let stream = busy_stream(&gpu)?;
    let memory = gpu.allocate(40_000)?;
    for index in 0..10 {
        gpu.copy_to_device_async(stream, memory.byte_add(index * 4000), &pattern(4000, index as u64))?;
    }
    // Likely to take the place of what was dropped.
    let _others: Vec<_> = (0..10).map(|_| vec![0xEE_u8; 4000]).collect();
    let expected: Vec<u8> = (0..10).flat_map(|seed| pattern(4000, seed)).collect();
    equal("ten pieces whose sources are gone", &gpu.settled(memory, 40_000)?, &expected)
}

fn a_pinned_source_of_a_plain_asynchronous_copy_may_be_rewritten_at_once(target: &Target) -> Result<()> {
    target.require(&[Capability::Streams, Capability::PinnedMemory])?;
    let gpu = target.open()?;
    for bytes in [1, 100, 70_000, 5 << 20] {
        let stream = busy_stream(&gpu)?;
        let memory = gpu.allocate(bytes)?;
        let (_, source) = pinned(&gpu, bytes)?;
        source.copy_from_slice(&pattern(bytes, 2));
        gpu.copy_to_device_async(stream, memory, source)?;
        source.fill(0xEE);
        let what = format!("{bytes} pinned bytes that were rewritten later");
        equal(&what, &gpu.settled(memory, bytes)?, &pattern(bytes, 2))?;
    }
    Ok(())
}

fn a_small_plain_copy_may_be_rewritten_while_others_are_under_way(target: &Target) -> Result<()> {
    target.require(&[Capability::Streams])?;
    let gpu = target.open()?;
    let streams = [busy_stream(&gpu)?, busy_stream(&gpu)?, busy_stream(&gpu)?];
    let memory = gpu.allocate(4 * 300)?;
    // One place on the host is used for all: every copy must have its own content.
    let mut source = [0; 4];
    for index in 0..300_u32 {
        source.copy_from_slice(&index.to_le_bytes());
        let at = memory.byte_add(index as usize * 4);
        gpu.copy_to_device_async(streams[index as usize % 3], at, &source)?;
    }
    equal(
        "three hundred copies from one place",
        &gpu.settled_words(memory, 300)?,
        &(0..300).collect::<Vec<_>>(),
    )
}

fn a_gather_of_retained_copies_needs_one_synchronisation(target: &Target) -> Result<()> {
    target.require(&[Capability::Streams])?;
    let gpu = target.open()?;
    let stream = busy_stream(&gpu)?;
    let chunks: Vec<Vec<u8>> = (0..64).map(|seed| pattern(1000 + usize::from(seed % 2 == 0), seed)).collect();
    let expected = chunks.concat();
    let memory = gpu.allocate(expected.len())?;
    let mut at = memory;
    for chunk in &chunks {
        // SAFETY: the chunks live, unchanged, until the stream is synchronised.
        unsafe { gpu.copy_to_device_retained(stream, at, chunk.as_ptr(), chunk.len()) }?;
        at = at.byte_add(chunk.len());
    }
    gpu.synchronize_stream(stream)?;
    let mut found = vec![0; expected.len()];
    gpu.copy_to_host(&mut found, memory)?;
    equal("64 chunks gathered", &found, &expected)
}

fn a_gather_from_pinned_memory_needs_one_synchronisation(target: &Target) -> Result<()> {
    target.require(&[Capability::Streams, Capability::PinnedMemory])?;
    let gpu = target.open()?;
    let stream = busy_stream(&gpu)?;
    let (_, source) = pinned(&gpu, 64_000)?;
    source.copy_from_slice(&pattern(64_000, 3));
    let memory = gpu.allocate(64_000)?;
    // The last chunk first: the order of the chunks on the device is not that on the host.
    for (index, chunk) in source.chunks(1000).rev().enumerate() {
        // SAFETY: pinned memory that lives, unchanged, until the stream is synchronised.
        unsafe { gpu.copy_to_device_retained(stream, memory.byte_add(index * 1000), chunk.as_ptr(), 1000) }?;
    }
    gpu.synchronize_stream(stream)?;
    let mut found = vec![0; 64_000];
    gpu.copy_to_host(&mut found, memory)?;
    equal("64 pinned chunks gathered", &found, &source.chunks(1000).rev().collect::<Vec<_>>().concat())
}

fn a_retained_copy_is_ordered_on_its_stream(target: &Target) -> Result<()> {
    target.require(&[Capability::Streams])?;
    let gpu = target.open()?;
    let stream = gpu.stream()?;
    let values = gpu.words(&[2; 8])?;
    let source = [10_u32; 8];
    gpu.multiply_add_late(stream, values, 8, [3, 1])?;
    let bytes: &[u8] = bytemuck::cast_slice(&source);
    // SAFETY: the source lives, unchanged, until everything is synchronised below.
    unsafe { gpu.copy_to_device_retained(stream, values, bytes.as_ptr(), bytes.len()) }?;
    gpu.multiply_add(stream, values, 8, [2, 5])?;
    equal("a retained copy between two launches", &gpu.settled_words(values, 8)?, &[25; 8])
}

fn a_copy_to_pageable_host_memory_is_there_after_a_synchronisation(target: &Target) -> Result<()> {
    target.require(&[Capability::Streams])?;
    let gpu = target.open()?;
    let stream = gpu.stream()?;
    let values = gpu.words(&[1; 100])?;
    gpu.multiply_add_late(stream, values, 100, [7, 2])?;
    let mut found = vec![0_u32; 100];
    let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut found);
    // SAFETY: the destination is not touched until the stream is synchronised.
    unsafe { gpu.copy_to_host_async(stream, bytes.as_mut_ptr(), values, 400) }?;
    gpu.synchronize_stream(stream)?;
    equal("copied to pageable memory", &found, &[9; 100])
}

fn a_copy_to_pinned_host_memory_is_there_after_a_synchronisation(target: &Target) -> Result<()> {
    target.require(&[Capability::Streams, Capability::PinnedMemory])?;
    let gpu = target.open()?;
    let stream = gpu.stream()?;
    let values = gpu.words(&[1; 100])?;
    let (found, _) = pinned(&gpu, 402)?;
    gpu.multiply_add_late(stream, values, 100, [7, 2])?;
    // SAFETY: the destination is not touched until the stream is synchronised, and has a byte on either side.
    unsafe { gpu.copy_to_host_async(stream, found.as_ptr().add(1), values, 400) }?;
    gpu.synchronize_stream(stream)?;
    // SAFETY: 402 bytes, and nothing is enqueued any more.
    let found = unsafe { std::slice::from_raw_parts(found.as_ptr(), 402) };
    ensure!(found[0] == 0 && found[401] == 0, "a copy to pinned memory wrote beside its range");
    equal("copied to pinned memory", &elements::<u32>(&found[1..401]), &[9; 100])
}

fn copies_there_and_back_keep_their_order_on_a_stream(target: &Target) -> Result<()> {
    target.require(&[Capability::Streams])?;
    let gpu = target.open()?;
    let stream = busy_stream(&gpu)?;
    let memory = gpu.allocate(4)?;
    let mut found = [[0_u8; 4]; 20];
    for (index, found) in (0..).zip(&mut found) {
        gpu.copy_to_device_async(stream, memory, &[index; 4])?;
        // SAFETY: the destination is not touched until the stream is synchronised.
        unsafe { gpu.copy_to_host_async(stream, found.as_mut_ptr(), memory, 4) }?;
    }
    gpu.synchronize_stream(stream)?;
    let expected: Vec<[u8; 4]> = (0..20).map(|index| [index; 4]).collect();
    equal("twenty copies there and back", &found, &expected)
}
