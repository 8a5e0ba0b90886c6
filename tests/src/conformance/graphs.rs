//! Graphs: what they record, and what a launch of one does.

use anyhow::{Result, ensure};
use warpcall::backend::{Copy2d, Fill};
use warpcall::{GraphHandle, StreamHandle};

use super::check::{equal, pattern};
use super::{Capability, Fixture, Target};

super::tests! { "graphs":
    what_is_captured_does_not_run_until_the_graph_is_launched,
    a_graph_works_on_what_its_memory_holds_when_it_is_launched,
    a_graph_can_be_launched_many_times,
    a_graph_keeps_the_arguments_of_its_launches,
    every_asynchronous_operation_can_be_captured,
    a_retained_copy_in_a_graph_reads_its_source_at_each_launch,
    a_graph_can_be_launched_on_another_stream,
    a_graph_is_ordered_on_the_stream_that_it_is_launched_on,
    launches_of_one_graph_are_ordered_also_on_two_streams,
    a_stream_that_joins_a_capture_is_part_of_the_graph,
    a_joined_stream_is_its_own_again_after_the_capture,
    an_empty_graph_does_nothing,
    two_streams_can_capture_at_once,
    work_on_other_streams_goes_on_during_a_capture,
    destroying_a_graph_lets_its_launches_run,
    a_graph_of_many_launches_keeps_their_order,
}

pub(super) const NEEDED: &[Capability] = &[Capability::Streams, Capability::Events, Capability::Graphs];

/// What `record` enqueues on `stream`, as a graph.
pub(super) fn captured(
    gpu: &Fixture,
    stream: StreamHandle,
    record: impl FnOnce() -> Result<()>,
) -> Result<GraphHandle> {
    gpu.begin_capture(stream)?;
    record()?;
    Ok(gpu.end_capture(stream)?)
}

fn launch(gpu: &Fixture, graph: GraphHandle, stream: StreamHandle) -> Result<()> {
    // SAFETY: the memory that the suite's graphs use lives as long as their fixtures.
    Ok(unsafe { gpu.launch_graph(graph, stream) }?)
}

fn what_is_captured_does_not_run_until_the_graph_is_launched(target: &Target) -> Result<()> {
    target.require(NEEDED)?;
    let gpu = target.open()?;
    let stream = gpu.stream()?;
    let values = gpu.words(&[4; 16])?;
    let graph = captured(&gpu, stream, || gpu.multiply_add(stream, values, 16, [2, 1]))?;
    gpu.synchronize_stream(stream)?;
    equal("memory after a capture", &gpu.settled_words(values, 16)?, &[4; 16])?;
    launch(&gpu, graph, stream)?;
    gpu.synchronize_stream(stream)?;
    equal("memory after a launch of the graph", &gpu.settled_words(values, 16)?, &[9; 16])
}

fn a_graph_works_on_what_its_memory_holds_when_it_is_launched(target: &Target) -> Result<()> {
    target.require(NEEDED)?;
    let gpu = target.open()?;
    let stream = gpu.stream()?;
    let [values, copy] = [gpu.words(&[0; 16])?, gpu.words(&[0; 16])?];
    let graph = captured(&gpu, stream, || {
        gpu.multiply_add(stream, values, 16, [2, 1])?;
        Ok(gpu.copy_within_device_async(stream, copy, values, 64)?)
    })?;
    for content in [4_u32, 100, 7] {
        gpu.copy_to_device_on(stream, values, bytemuck::cast_slice(&[content; 16]))?;
        launch(&gpu, graph, stream)?;
        let mut found = [0_u32; 16];
        gpu.copy_to_host_on(stream, bytemuck::cast_slice_mut(&mut found), copy)?;
        equal(&format!("a graph's work on {content}"), &found, &[content * 2 + 1; 16])?;
    }
    Ok(())
}

fn a_graph_can_be_launched_many_times(target: &Target) -> Result<()> {
    target.require(NEEDED)?;
    let gpu = target.open()?;
    let stream = gpu.stream()?;
    let values = gpu.words(&[1; 16])?;
    let graph = captured(&gpu, stream, || gpu.multiply_add(stream, values, 16, [3, 1]))?;
    let mut expected = 1_u32;
    for _ in 0..15 {
        launch(&gpu, graph, stream)?;
        expected = expected.wrapping_mul(3).wrapping_add(1);
    }
    equal("memory after fifteen launches of a graph", &gpu.settled_words(values, 16)?, &[expected; 16])
}

fn a_graph_keeps_the_arguments_of_its_launches(target: &Target) -> Result<()> {
    target.require(NEEDED)?;
    let gpu = target.open()?;
    let stream = gpu.stream()?;
    let [first, second] = [gpu.words(&[0; 16])?, gpu.words(&[0; 16])?];
    let graph = captured(&gpu, stream, || {
        // The slots of each launch are gone, and written over, by the time the graph runs.
        gpu.count_up(stream, first, 16, 100)?;
        gpu.count_up(stream, second, 16, 200)
    })?;
    gpu.count_up(stream, first, 16, 7)?;
    launch(&gpu, graph, stream)?;
    equal("the first launch", &gpu.settled_words(first, 16)?, &(100..116).collect::<Vec<_>>())?;
    equal("the second launch", &gpu.settled_words(second, 16)?, &(200..216).collect::<Vec<_>>())
}

fn every_asynchronous_operation_can_be_captured(target: &Target) -> Result<()> {
    target.require(NEEDED)?;
    target.require(&[Capability::PinnedMemory])?;
    let gpu = target.open()?;
    let stream = gpu.stream()?;
    let [uploaded, copied, rectangle] = [gpu.words(&[1; 64])?, gpu.words(&[1; 64])?, gpu.words(&[1; 64])?];
    let [bytes, words] = [gpu.words(&[1; 64])?, gpu.words(&[1; 64])?];
    let [source, destination] = [gpu.allocate_pinned(256)?, gpu.allocate_pinned(256)?];
    // SAFETY: 256 bytes of pinned memory that nothing else uses.
    unsafe { source.as_ptr().copy_from_nonoverlapping(pattern(256, 1).as_ptr(), 256) };
    let graph = captured(&gpu, stream, || {
        // SAFETY: the pinned memory lives as long as the fixture.
        unsafe { gpu.copy_to_device_retained(stream, uploaded, source.as_ptr(), 256) }?;
        gpu.copy_within_device_async(stream, copied, uploaded, 256)?;
        let copy = Copy2d { dst: rectangle, dst_pitch: 32, src: copied, src_pitch: 64, width: 16, height: 4 };
        gpu.copy_2d_async(stream, &copy)?;
        gpu.memset_async(stream, bytes, Fill::Byte(0xA1), 100)?;
        gpu.memset_async(stream, words, Fill::Word(0x0102_0304), 100)?;
        // SAFETY: as above.
        Ok(unsafe { gpu.copy_to_host_async(stream, destination.as_ptr(), copied, 256) }?)
    })?;
    let ones = [1_u8, 0, 0, 0].repeat(64);
    for memory in [uploaded, copied, rectangle, bytes, words] {
        equal("memory before the graph is launched", &gpu.settled(memory, 256)?, &ones)?;
    }
    launch(&gpu, graph, stream)?;
    gpu.synchronize_stream(stream)?;
    let content = pattern(256, 1);
    equal("a captured retained copy", &gpu.settled(uploaded, 256)?, &content)?;
    equal("a captured copy within the device", &gpu.settled(copied, 256)?, &content)?;
    let mut expected = ones.clone();
    for row in 0..4 {
        expected[row * 32..][..16].copy_from_slice(&content[row * 64..][..16]);
    }
    equal("a captured 2-D copy", &gpu.settled(rectangle, 256)?, &expected)?;
    expected = ones.clone();
    expected[..100].fill(0xA1);
    equal("a captured byte memset", &gpu.settled(bytes, 256)?, &expected)?;
    expected = ones;
    expected[..100].copy_from_slice(&[4, 3, 2, 1].repeat(25));
    equal("a captured word memset", &gpu.settled(words, 256)?, &expected)?;
    // SAFETY: 256 bytes of pinned memory, and nothing is enqueued any more.
    let found = unsafe { std::slice::from_raw_parts(destination.as_ptr(), 256) };
    equal("a captured copy to the host", found, &content)
}

fn a_retained_copy_in_a_graph_reads_its_source_at_each_launch(target: &Target) -> Result<()> {
    target.require(NEEDED)?;
    target.require(&[Capability::PinnedMemory])?;
    let gpu = target.open()?;
    let stream = gpu.stream()?;
    let values = gpu.words(&[0; 16])?;
    let source = gpu.allocate_pinned(64)?.cast::<u32>();
    let graph = captured(&gpu, stream, || {
        // SAFETY: the pinned memory lives as long as the fixture, and is written only while the stream is idle.
        unsafe { gpu.copy_to_device_retained(stream, values, source.as_ptr().cast(), 64) }?;
        gpu.multiply_add(stream, values, 16, [2, 1])
    })?;
    for content in [5_u32, 6] {
        for index in 0..16 {
            // SAFETY: sixteen words, and the stream is idle.
            unsafe { source.add(index).write(content) };
        }
        launch(&gpu, graph, stream)?;
        gpu.synchronize_stream(stream)?;
        equal("a retained source", &gpu.settled_words(values, 16)?, &[content * 2 + 1; 16])?;
    }
    Ok(())
}

fn a_graph_can_be_launched_on_another_stream(target: &Target) -> Result<()> {
    target.require(NEEDED)?;
    let gpu = target.open()?;
    let [stream, other] = [gpu.stream()?, gpu.stream()?];
    let values = gpu.words(&[4; 16])?;
    let graph = captured(&gpu, stream, || gpu.multiply_add(stream, values, 16, [2, 1]))?;
    // SAFETY: the handle is not used again; the graph does not need the stream that it was captured from.
    unsafe { gpu.destroy_stream(stream) }?;
    for stream in [other, StreamHandle::DEFAULT] {
        launch(&gpu, graph, stream)?;
        gpu.synchronize_stream(stream)?;
    }
    equal("memory after launches on other streams", &gpu.settled_words(values, 16)?, &[19; 16])
}

fn a_graph_is_ordered_on_the_stream_that_it_is_launched_on(target: &Target) -> Result<()> {
    target.require(NEEDED)?;
    let gpu = target.open()?;
    let stream = gpu.stream()?;
    let values = gpu.words(&[4; 16])?;
    let graph = captured(&gpu, stream, || gpu.multiply_add_late(stream, values, 16, [2, 1]))?;
    gpu.multiply_add_late(stream, values, 16, [3, 0])?;
    launch(&gpu, graph, stream)?;
    gpu.multiply_add(stream, values, 16, [10, 3])?;
    let mut found = [0_u32; 16];
    gpu.copy_to_host_on(stream, bytemuck::cast_slice_mut(&mut found), values)?;
    equal("a graph between two launches", &found, &[253; 16])
}

fn launches_of_one_graph_are_ordered_also_on_two_streams(target: &Target) -> Result<()> {
    target.require(NEEDED)?;
    let gpu = target.open()?;
    let [stream, other] = [gpu.stream()?, gpu.stream()?];
    let values = gpu.words(&[4; 16])?;
    let graph = captured(&gpu, stream, || gpu.multiply_add(stream, values, 16, [10, 1]))?;
    gpu.multiply_add_late(stream, values, 16, [1, 1])?;
    launch(&gpu, graph, stream)?;
    launch(&gpu, graph, other)?;
    gpu.synchronize_stream(other)?;
    equal("memory after launches on two streams", &gpu.settled_words(values, 16)?, &[511; 16])
}

fn a_stream_that_joins_a_capture_is_part_of_the_graph(target: &Target) -> Result<()> {
    target.require(NEEDED)?;
    let gpu = target.open()?;
    let [stream, side] = [gpu.stream()?, gpu.stream()?];
    let [values, copy] = [gpu.words(&[4; 16])?, gpu.words(&[0; 16])?];
    let [forked, joined] = [gpu.create_event(false)?, gpu.create_event(false)?];
    let graph = captured(&gpu, stream, || {
        gpu.multiply_add_late(stream, values, 16, [2, 1])?;
        gpu.record_event(forked, stream)?;
        gpu.stream_wait_event(side, forked)?;
        ensure!(gpu.is_capturing(side)?, "a stream that waits for a captured event is not capturing");
        gpu.copy_within_device_async(side, copy, values, 64)?;
        gpu.multiply_add_late(side, copy, 16, [10, 0])?;
        gpu.record_event(joined, side)?;
        gpu.stream_wait_event(stream, joined)?;
        gpu.multiply_add(stream, copy, 16, [1, 5])?;
        gpu.multiply_add(stream, values, 16, [1, 1])
    })?;
    equal("the side stream's memory before a launch", &gpu.settled_words(copy, 16)?, &[0; 16])?;
    let mut value = 4;
    for _ in 0..3 {
        launch(&gpu, graph, stream)?;
        gpu.synchronize_stream(stream)?;
        equal("the side stream's work", &gpu.settled_words(copy, 16)?, &[(value * 2 + 1) * 10 + 5; 16])?;
        value = value * 2 + 2;
        equal("the capturing stream's work", &gpu.settled_words(values, 16)?, &[value; 16])?;
    }
    Ok(())
}

fn a_joined_stream_is_its_own_again_after_the_capture(target: &Target) -> Result<()> {
    target.require(NEEDED)?;
    let gpu = target.open()?;
    let [stream, side] = [gpu.stream()?, gpu.stream()?];
    let values = gpu.words(&[4; 16])?;
    captured(&gpu, stream, || {
        gpu.stream_wait_stream(side, stream)?;
        gpu.multiply_add(side, values, 16, [0, 0])?;
        Ok(gpu.stream_wait_stream(stream, side)?)
    })?;
    for stream in [stream, side] {
        ensure!(!gpu.is_capturing(stream)?, "a stream is capturing after the capture has ended");
        gpu.multiply_add(stream, values, 16, [2, 1])?;
        gpu.synchronize_stream(stream)?;
    }
    equal("memory after launches on both streams", &gpu.settled_words(values, 16)?, &[19; 16])
}

fn an_empty_graph_does_nothing(target: &Target) -> Result<()> {
    target.require(NEEDED)?;
    let gpu = target.open()?;
    let stream = gpu.stream()?;
    let values = gpu.words(&[4; 16])?;
    let graph = captured(&gpu, stream, || Ok(()))?;
    gpu.multiply_add(stream, values, 16, [2, 1])?;
    launch(&gpu, graph, stream)?;
    gpu.multiply_add(stream, values, 16, [2, 1])?;
    equal("memory around an empty graph", &gpu.settled_words(values, 16)?, &[19; 16])
}

fn two_streams_can_capture_at_once(target: &Target) -> Result<()> {
    target.require(NEEDED)?;
    let gpu = target.open()?;
    let [first, second] = [gpu.stream()?, gpu.stream()?];
    let [one, two] = [gpu.words(&[4; 16])?, gpu.words(&[4; 16])?];
    gpu.begin_capture(first)?;
    gpu.begin_capture(second)?;
    gpu.multiply_add(first, one, 16, [2, 0])?;
    gpu.multiply_add(second, two, 16, [3, 0])?;
    gpu.multiply_add(first, one, 16, [1, 1])?;
    let first_graph = gpu.end_capture(first)?;
    ensure!(gpu.is_capturing(second)?, "ending one capture ended another");
    gpu.multiply_add(second, two, 16, [1, 2])?;
    let second_graph = gpu.end_capture(second)?;
    launch(&gpu, second_graph, first)?;
    equal("the first graph's memory", &gpu.settled_words(one, 16)?, &[4; 16])?;
    equal("the second graph's memory", &gpu.settled_words(two, 16)?, &[14; 16])?;
    launch(&gpu, first_graph, second)?;
    equal("the first graph's memory", &gpu.settled_words(one, 16)?, &[9; 16])
}

fn work_on_other_streams_goes_on_during_a_capture(target: &Target) -> Result<()> {
    target.require(NEEDED)?;
    let gpu = target.open()?;
    let [capturing, other] = [gpu.stream()?, gpu.stream()?];
    let values = gpu.words(&[4; 16])?;
    // Loaded before: loading a kernel is not part of what is tested.
    gpu.multiply_add(other, values, 16, [1, 0])?;
    gpu.begin_capture(capturing)?;
    gpu.multiply_add(capturing, values, 16, [100, 0])?;
    gpu.multiply_add(other, values, 16, [2, 1])?;
    let mut found = [0_u32; 16];
    gpu.copy_to_host_on(other, bytemuck::cast_slice_mut(&mut found), values)?;
    equal("another stream's work during a capture", &found, &[9; 16])?;
    gpu.end_capture(capturing)?;
    equal("memory after a capture", &gpu.settled_words(values, 16)?, &[9; 16])
}

fn destroying_a_graph_lets_its_launches_run(target: &Target) -> Result<()> {
    target.require(NEEDED)?;
    let gpu = target.open()?;
    let stream = gpu.stream()?;
    let values = gpu.words(&[4; 16])?;
    let graph = captured(&gpu, stream, || gpu.multiply_add(stream, values, 16, [2, 1]))?;
    gpu.multiply_add_late(stream, values, 16, [3, 0])?;
    launch(&gpu, graph, stream)?;
    // SAFETY: the handle is not used again.
    unsafe { gpu.destroy_graph(graph) }?;
    equal("the launch of a graph that is gone", &gpu.settled_words(values, 16)?, &[25; 16])
}

fn a_graph_of_many_launches_keeps_their_order(target: &Target) -> Result<()> {
    target.require(NEEDED)?;
    let gpu = target.open()?;
    let stream = gpu.stream()?;
    let values = gpu.words(&[1; 16])?;
    let mut expected = 1_u32;
    let graph = captured(&gpu, stream, || {
        for step in 0..200 {
            gpu.multiply_add(stream, values, 16, [3, step])?;
            expected = expected.wrapping_mul(3).wrapping_add(step);
        }
        Ok(())
    })?;
    launch(&gpu, graph, stream)?;
    equal("two hundred launches in a graph", &gpu.settled_words(values, 16)?, &[expected; 16])
}
