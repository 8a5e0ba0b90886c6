//! Captures that go wrong, are given up, or meet what they do not allow. The streams are usable afterwards.

use anyhow::{Result, ensure};
use warpcall::backend::Fill;
use warpcall::{MemoryProblem, StreamHandle};

use super::check::{equal, memory_problem, pattern, refused};
use super::graphs::{NEEDED, captured};
use super::{Capability, Fixture, Target};

super::tests! { "graphs":
    a_stream_says_whether_it_is_capturing,
    a_capture_cannot_begin_twice_on_a_stream,
    a_capture_that_did_not_begin_cannot_end,
    a_capture_ends_on_the_stream_that_it_began_on,
    a_stream_that_joined_neither_ends_nor_gives_up_the_capture,
    giving_up_a_capture_drops_what_it_recorded,
    giving_up_what_did_not_begin_does_nothing,
    giving_up_a_capture_frees_the_streams_that_joined,
    a_capture_with_a_stream_that_was_not_joined_back_is_refused,
    waiting_for_a_capturing_stream_is_refused,
    waiting_for_the_device_during_a_capture_is_refused,
    asking_whether_a_capturing_stream_is_idle_is_refused,
    copies_that_block_are_refused_on_a_capturing_stream,
    a_plain_asynchronous_copy_is_refused_on_a_capturing_stream,
    memory_freed_during_a_capture_is_refused_as_freed,
    pinned_memory_freed_during_a_capture_waits_for_the_work_that_uses_it,
    a_capture_can_begin_again_after_one_that_failed,
    a_launch_that_is_refused_during_a_capture_leaves_the_stream_usable,
}

/// Launches, copies and captures once more on each stream, and checks the result.
fn usable(gpu: &Fixture, streams: &[StreamHandle]) -> Result<()> {
    for stream in streams.iter().copied() {
        ensure!(!gpu.is_capturing(stream)?, "the stream is still capturing");
        let values = gpu.words(&[4; 16])?;
        gpu.multiply_add(stream, values, 16, [2, 1])?;
        gpu.copy_to_device_async(stream, values, bytemuck::cast_slice(&[100_u32; 8]))?;
        gpu.synchronize_stream(stream)?;
        let graph = captured(gpu, stream, || gpu.multiply_add(stream, values, 16, [2, 0]))?;
        // SAFETY: the values live as long as the fixture.
        unsafe { gpu.launch_graph(graph, stream) }?;
        let mut found = [0_u32; 16];
        gpu.copy_to_host_on(stream, bytemuck::cast_slice_mut(&mut found), values)?;
        equal("the stream's work afterwards", &found, &[[200; 8], [18; 8]].concat())?;
    }
    gpu.synchronize()?;
    Ok(())
}

/// Begins a capture, does what is refused in one, ends it, and checks that it went on and the stream is usable.
fn forbidden(
    target: &Target,
    what: &str,
    operation: impl FnOnce(&Fixture, StreamHandle) -> warpcall::Result<()>,
) -> Result<()> {
    let gpu = target.open()?;
    let stream = gpu.stream()?;
    let values = gpu.words(&[4; 16])?;
    gpu.multiply_add(stream, values, 16, [1, 0])?;
    gpu.synchronize()?;
    gpu.begin_capture(stream)?;
    gpu.multiply_add(stream, values, 16, [2, 1])?;
    refused(what, operation(&gpu, stream))?;
    let graph = gpu.end_capture(stream)?;
    equal("memory after a capture with a forbidden call", &gpu.settled_words(values, 16)?, &[4; 16])?;
    // SAFETY: the values live as long as the fixture.
    unsafe { gpu.launch_graph(graph, stream) }?;
    equal("memory after a launch of that capture", &gpu.settled_words(values, 16)?, &[9; 16])?;
    usable(&gpu, &[stream])
}

fn a_stream_says_whether_it_is_capturing(target: &Target) -> Result<()> {
    target.require(NEEDED)?;
    let gpu = target.open()?;
    let [stream, other] = [gpu.stream()?, gpu.stream()?];
    ensure!(!gpu.is_capturing(stream)?, "a fresh stream is capturing");
    ensure!(!gpu.is_capturing(StreamHandle::DEFAULT)?, "the default stream is capturing");
    gpu.begin_capture(stream)?;
    ensure!(gpu.is_capturing(stream)?, "a capture began, and the stream is not capturing");
    ensure!(!gpu.is_capturing(other)?, "a capture began on another stream, and this one is capturing");
    gpu.end_capture(stream)?;
    ensure!(!gpu.is_capturing(stream)?, "a capture has ended, and the stream is capturing");
    usable(&gpu, &[stream, other])
}

fn a_capture_cannot_begin_twice_on_a_stream(target: &Target) -> Result<()> {
    target.require(NEEDED)?;
    forbidden(target, "begin_capture on a capturing stream", |gpu, stream| gpu.begin_capture(stream))
}

fn a_capture_that_did_not_begin_cannot_end(target: &Target) -> Result<()> {
    target.require(NEEDED)?;
    let gpu = target.open()?;
    let stream = gpu.stream()?;
    refused("end_capture without begin_capture", gpu.end_capture(stream))?;
    captured(&gpu, stream, || Ok(()))?;
    refused("end_capture a second time", gpu.end_capture(stream))?;
    usable(&gpu, &[stream])
}

fn a_capture_ends_on_the_stream_that_it_began_on(target: &Target) -> Result<()> {
    target.require(NEEDED)?;
    let gpu = target.open()?;
    let [stream, side] = [gpu.stream()?, gpu.stream()?];
    gpu.begin_capture(stream)?;
    gpu.stream_wait_stream(side, stream)?;
    refused("end_capture on a stream that only joined", gpu.end_capture(side))?;
    gpu.abandon_capture(stream)?;
    usable(&gpu, &[stream, side])
}

fn a_stream_that_joined_neither_ends_nor_gives_up_the_capture(target: &Target) -> Result<()> {
    target.require(NEEDED)?;
    let gpu = target.open()?;
    let [stream, side] = [gpu.stream()?, gpu.stream()?];
    let values = gpu.words(&[4; 16])?;
    let graph = captured(&gpu, stream, || {
        gpu.stream_wait_stream(side, stream)?;
        gpu.multiply_add(side, values, 16, [2, 1])?;
        refused("end_capture on a stream that only joined", gpu.end_capture(side))?;
        refused("abandon_capture on a stream that only joined", gpu.abandon_capture(side))?;
        ensure!(gpu.is_capturing(stream)? && gpu.is_capturing(side)?, "a refusal ended the capture");
        gpu.multiply_add(side, values, 16, [10, 0])?;
        Ok(gpu.stream_wait_stream(stream, side)?)
    })?;
    // SAFETY: the values live as long as the fixture.
    unsafe { gpu.launch_graph(graph, stream) }?;
    equal("memory after a launch of that capture", &gpu.settled_words(values, 16)?, &[90; 16])?;
    usable(&gpu, &[stream, side])
}

fn giving_up_a_capture_drops_what_it_recorded(target: &Target) -> Result<()> {
    target.require(NEEDED)?;
    let gpu = target.open()?;
    let stream = gpu.stream()?;
    let values = gpu.words(&[4; 16])?;
    gpu.begin_capture(stream)?;
    gpu.multiply_add(stream, values, 16, [2, 1])?;
    gpu.abandon_capture(stream)?;
    refused("end_capture after abandon_capture", gpu.end_capture(stream))?;
    equal("memory after a capture was given up", &gpu.settled_words(values, 16)?, &[4; 16])?;
    usable(&gpu, &[stream])?;
    equal("memory some time later", &gpu.settled_words(values, 16)?, &[4; 16])
}

fn giving_up_what_did_not_begin_does_nothing(target: &Target) -> Result<()> {
    target.require(NEEDED)?;
    let gpu = target.open()?;
    let stream = gpu.stream()?;
    let values = gpu.words(&[4; 16])?;
    gpu.multiply_add_late(stream, values, 16, [2, 1])?;
    gpu.abandon_capture(stream)?;
    gpu.abandon_capture(stream)?;
    equal("work on a stream without a capture", &gpu.settled_words(values, 16)?, &[9; 16])?;
    usable(&gpu, &[stream])
}

fn giving_up_a_capture_frees_the_streams_that_joined(target: &Target) -> Result<()> {
    target.require(NEEDED)?;
    let gpu = target.open()?;
    let [stream, side] = [gpu.stream()?, gpu.stream()?];
    let values = gpu.words(&[4; 16])?;
    gpu.begin_capture(stream)?;
    gpu.stream_wait_stream(side, stream)?;
    gpu.multiply_add(side, values, 16, [2, 1])?;
    gpu.abandon_capture(stream)?;
    equal("memory after a capture was given up", &gpu.settled_words(values, 16)?, &[4; 16])?;
    usable(&gpu, &[side, stream])
}

fn a_capture_with_a_stream_that_was_not_joined_back_is_refused(target: &Target) -> Result<()> {
    target.require(NEEDED)?;
    let gpu = target.open()?;
    let [stream, side] = [gpu.stream()?, gpu.stream()?];
    let values = gpu.words(&[4; 16])?;
    gpu.begin_capture(stream)?;
    gpu.stream_wait_stream(side, stream)?;
    gpu.multiply_add(side, values, 16, [2, 1])?;
    refused("end_capture with a stream that was not joined back", gpu.end_capture(stream))?;
    equal("memory after a refused capture", &gpu.settled_words(values, 16)?, &[4; 16])?;
    usable(&gpu, &[stream, side])
}

fn waiting_for_a_capturing_stream_is_refused(target: &Target) -> Result<()> {
    target.require(NEEDED)?;
    forbidden(target, "synchronize_stream on a capturing stream", |gpu, stream| {
        gpu.synchronize_stream(stream)
    })
}

fn waiting_for_the_device_during_a_capture_is_refused(target: &Target) -> Result<()> {
    target.require(NEEDED)?;
    forbidden(target, "synchronize during a capture", |gpu, _| gpu.synchronize())
}

fn asking_whether_a_capturing_stream_is_idle_is_refused(target: &Target) -> Result<()> {
    target.require(NEEDED)?;
    forbidden(target, "is_stream_idle on a capturing stream", |gpu, stream| {
        gpu.is_stream_idle(stream).map(drop)
    })
}

fn copies_that_block_are_refused_on_a_capturing_stream(target: &Target) -> Result<()> {
    target.require(NEEDED)?;
    forbidden(target, "copy_to_device_on on a capturing stream", |gpu, stream| {
        let memory = gpu.allocate(64)?;
        gpu.copy_to_device_on(stream, memory, &[1; 64])
    })?;
    forbidden(target, "copy_to_host_on on a capturing stream", |gpu, stream| {
        let memory = gpu.allocate(64)?;
        gpu.copy_to_host_on(stream, &mut [0; 64], memory)
    })
}

fn a_plain_asynchronous_copy_is_refused_on_a_capturing_stream(target: &Target) -> Result<()> {
    target.require(NEEDED)?;
    forbidden(target, "copy_to_device_async on a capturing stream", |gpu, stream| {
        let memory = gpu.allocate(64)?;
        gpu.copy_to_device_async(stream, memory, &[1; 64])
    })?;
    if target.lacks.contains(&Capability::PinnedMemory) {
        return Ok(());
    }
    forbidden(target, "copy_to_device_async from pinned memory on a capturing stream", |gpu, stream| {
        let memory = gpu.allocate(64)?;
        let source = gpu.allocate_pinned(64)?;
        // SAFETY: 64 bytes, zero, that nothing writes.
        gpu.copy_to_device_async(stream, memory, unsafe { std::slice::from_raw_parts(source.as_ptr(), 64) })
    })
}

fn memory_freed_during_a_capture_is_refused_as_freed(target: &Target) -> Result<()> {
    target.require(NEEDED)?;
    let gpu = target.open()?;
    let [stream, other] = [gpu.stream()?, gpu.stream()?];
    let [kept, freed] = [gpu.words(&[4; 16])?, gpu.words(&[5; 16])?];
    gpu.begin_capture(stream)?;
    gpu.multiply_add(stream, freed, 16, [2, 1])?;
    // SAFETY: nothing uses the memory: the graph is not launched.
    unsafe { gpu.free(freed) }?;
    let check = |what: &str, outcome| memory_problem(what, outcome, &MemoryProblem::Freed);
    check("copy_to_device_on", gpu.copy_to_device_on(other, freed, &[1; 64]))?;
    check("copy_to_host", gpu.copy_to_host(&mut [0; 64], freed.byte_add(32)))?;
    check("memset_async on the capturing stream", gpu.memset_async(stream, freed, Fill::Byte(1), 64))?;
    for (dst, src) in [(kept, freed), (freed, kept)] {
        check("copy_within_device_async", gpu.copy_within_device_async(stream, dst, src, 64))?;
    }
    // SAFETY: it is refused.
    check("free", unsafe { gpu.free(freed) })?;
    gpu.end_capture(stream)?;
    equal("memory beside", &gpu.settled_words(kept, 16)?, &[4; 16])?;
    usable(&gpu, &[stream, other])
}

fn pinned_memory_freed_during_a_capture_waits_for_the_work_that_uses_it(target: &Target) -> Result<()> {
    target.require(NEEDED)?;
    target.require(&[Capability::PinnedMemory])?;
    let gpu = target.open()?;
    gpu.load_kernels()?;
    let [stream, busy] = [gpu.stream()?, gpu.stream()?];
    let content = pattern(4096, 1);
    let (memory, device) = (gpu.allocate_pinned(4096)?, gpu.allocate(4096)?);
    // SAFETY: 4096 bytes that nothing else uses.
    unsafe { memory.as_ptr().copy_from_nonoverlapping(content.as_ptr(), 4096) };
    let something = gpu.words(&[0; 4])?;
    gpu.begin_capture(stream)?;
    gpu.multiply_add_late(busy, something, 4, [1, 1])?;
    // SAFETY: the pinned memory is freed only after this copy, which the backend completes first.
    unsafe { gpu.copy_to_device_retained(busy, device, memory.as_ptr(), 4096) }?;
    // SAFETY: nothing uses the memory but what is enqueued.
    unsafe { gpu.free_pinned(memory) }?;
    gpu.end_capture(stream)?;
    // What takes its place must not be what is copied.
    let next = gpu.allocate_pinned(4096)?;
    // SAFETY: 4096 bytes that nothing else uses.
    unsafe { next.as_ptr().write_bytes(0xEE, 4096) };
    equal("copied from pinned memory that is gone", &gpu.settled(device, 4096)?, &content)?;
    usable(&gpu, &[stream, busy])
}

fn a_capture_can_begin_again_after_one_that_failed(target: &Target) -> Result<()> {
    target.require(NEEDED)?;
    let gpu = target.open()?;
    let [stream, side] = [gpu.stream()?, gpu.stream()?];
    let values = gpu.words(&[4; 16])?;
    for _ in 0..5 {
        gpu.begin_capture(stream)?;
        gpu.stream_wait_stream(side, stream)?;
        gpu.multiply_add(side, values, 16, [2, 1])?;
        refused("end_capture with a stream that was not joined back", gpu.end_capture(stream))?;
        gpu.begin_capture(stream)?;
        gpu.abandon_capture(stream)?;
        usable(&gpu, &[stream, side])?;
    }
    equal("memory after captures that failed", &gpu.settled_words(values, 16)?, &[4; 16])
}

fn a_launch_that_is_refused_during_a_capture_leaves_the_stream_usable(target: &Target) -> Result<()> {
    target.require(NEEDED)?;
    let gpu = target.open()?;
    let stream = gpu.stream()?;
    let values = gpu.words(&[4; 16])?;
    gpu.multiply_add(stream, values, 16, [1, 0])?;
    gpu.begin_capture(stream)?;
    gpu.multiply_add(stream, values, 16, [2, 1])?;
    ensure!(gpu.multiply_add(stream, values, 0, [2, 1]).is_err(), "a launch with an empty grid was captured");
    gpu.abandon_capture(stream)?;
    equal("memory after a capture was given up", &gpu.settled_words(values, 16)?, &[4; 16])?;
    usable(&gpu, &[stream])
}
