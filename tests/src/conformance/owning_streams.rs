//! The owning layer: streams, events and graphs that destroy themselves.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Result, ensure};
use warpcall::{Error, Gpu, LaunchConfig, Stream, StreamRef};

use super::check::{equal, expect_error, refused};
use super::graphs::NEEDED;
use super::kernels::launch_multiply_add;
use super::{Capability, Target};

super::tests! { "owning":
    a_stream_orders_its_work_and_says_when_it_is_idle,
    the_default_stream_can_be_had_again_and_again,
    streams_wait_for_events_and_for_each_other,
    events_tell_when_they_are_done_and_what_time_passed,
    events_and_streams_of_two_backends_do_not_mix,
    a_stream_that_is_dropped_lets_its_work_run,
    a_recorded_closure_is_a_graph,
    a_closure_that_fails_gives_its_capture_up,
    a_closure_that_panics_gives_its_capture_up,
    a_stream_that_is_dropped_while_capturing_gives_up,
    begin_and_end_make_a_graph_too,
    the_view_of_a_raw_stream_serves_launches,
    what_is_made_keeps_its_backend_open,
    a_builder_opens_what_it_was_told_to,
}

fn double_plus_one(stream: &Stream, values: &mut warpcall::Buffer<u32>) -> warpcall::Result<()> {
    let n = u32::try_from(values.len()).expect("a short buffer");
    // SAFETY: the kernel works on the `n` words of the buffer.
    unsafe { launch_multiply_add(stream, LaunchConfig::for_elements(n, 32), values, n, 2, 1) }
}

fn no_drop_failed(gpu: &Gpu) -> Result<()> {
    ensure!(gpu.failed_drop_count() == 0, "drops failed: {:?}", gpu.take_failed_drops());
    Ok(())
}

fn a_stream_orders_its_work_and_says_when_it_is_idle(target: &Target) -> Result<()> {
    target.require(&[Capability::Streams])?;
    let fixture = target.open()?;
    let gpu = fixture.owning();
    let stream = gpu.create_stream()?;
    ensure!(stream.is_idle()?, "a fresh stream is not idle");
    let mut values = gpu.upload(&[4_u32; 16])?;
    fixture.multiply_add_late(stream.handle(), values.device_ptr(), 16, [3, 0])?;
    double_plus_one(&stream, &mut values)?;
    fixture.until("the stream is idle", || stream.is_idle())?;
    equal("work on a stream", &values.to_vec(&stream)?, &[25; 16])?;
    let urgent = gpu.create_stream_with_priority(-1)?;
    double_plus_one(&urgent, &mut values)?;
    urgent.synchronize()?;
    equal("work on a stream of higher priority", &values.to_vec(&stream)?, &[51; 16])?;
    urgent.destroy()?;
    drop(stream);
    no_drop_failed(&gpu)
}

fn the_default_stream_can_be_had_again_and_again(target: &Target) -> Result<()> {
    let gpu = target.open()?.owning();
    let mut values = gpu.upload(&[0_u32; 16])?;
    for _ in 0..3 {
        let stream = gpu.default_stream();
        double_plus_one(&stream, &mut values)?;
    }
    gpu.default_stream().destroy()?;
    equal("work on the default stream", &values.to_vec(&gpu.default_stream())?, &[7; 16])?;
    no_drop_failed(&gpu)
}

fn streams_wait_for_events_and_for_each_other(target: &Target) -> Result<()> {
    target.require(&[Capability::Streams, Capability::Events])?;
    let fixture = target.open()?;
    let gpu = fixture.owning();
    let [first, second] = [gpu.create_stream()?, gpu.create_stream()?];
    let mut values = gpu.upload(&[4_u32; 16])?;
    fixture.multiply_add_late(first.handle(), values.device_ptr(), 16, [3, 0])?;
    {
        let event = gpu.create_event()?;
        first.record(&event)?;
        second.wait(&event)?;
        // Dropped while it is waited for.
    }
    fixture.multiply_add_late(second.handle(), values.device_ptr(), 16, [2, 0])?;
    first.wait_for(&second)?;
    double_plus_one(&first, &mut values)?;
    equal("work of two streams", &values.to_vec(&first)?, &[49; 16])?;
    no_drop_failed(&gpu)
}

fn events_tell_when_they_are_done_and_what_time_passed(target: &Target) -> Result<()> {
    target.require(&[Capability::Streams, Capability::Events])?;
    let fixture = target.open()?;
    let gpu = fixture.owning();
    let stream = gpu.create_stream()?;
    let values = gpu.upload(&[4_u32; 16])?;
    let [start, end] = [gpu.create_timing_event()?, gpu.create_timing_event()?];
    stream.record(&start)?;
    fixture.multiply_add_late(stream.handle(), values.device_ptr(), 16, [3, 0])?;
    stream.record(&end)?;
    end.synchronize()?;
    ensure!(end.is_done()? && start.is_done()?, "an event that was waited for is not done");
    let time = end.elapsed_since(&start)?;
    ensure!((Duration::from_millis(18)..Duration::from_secs(10)).contains(&time), "{time:?} passed");
    let plain = gpu.create_event()?;
    stream.record(&plain)?;
    plain.synchronize()?;
    refused("the time since an event without timing", end.elapsed_since(&plain))?;
    Ok(())
}

fn events_and_streams_of_two_backends_do_not_mix(target: &Target) -> Result<()> {
    target.require(&[Capability::Streams, Capability::Events])?;
    let [gpu, other] = [target.open()?.owning(), target.open()?.owning()];
    let stream = gpu.create_stream()?;
    let [foreign, event] = [other.create_event()?, gpu.create_event()?];
    refused("recording an event of another backend", stream.record(&foreign))?;
    refused("waiting for an event of another backend", stream.wait(&foreign))?;
    expect_error!(stream.wait_for(&other.create_stream()?), Error::ForeignStream { .. });
    refused("the time between events of two backends", event.elapsed_since(&foreign))?;
    Ok(())
}

fn a_stream_that_is_dropped_lets_its_work_run(target: &Target) -> Result<()> {
    target.require(&[Capability::Streams])?;
    let fixture = target.open()?;
    let gpu = fixture.owning();
    let mut values = gpu.upload(&[4_u32; 16])?;
    {
        let stream = gpu.create_stream()?;
        fixture.multiply_add_late(stream.handle(), values.device_ptr(), 16, [3, 0])?;
        double_plus_one(&stream, &mut values)?;
    }
    fixture.synchronize()?;
    equal("work of a stream that is gone", &values.to_vec(&gpu.default_stream())?, &[25; 16])?;
    no_drop_failed(&gpu)
}

fn a_recorded_closure_is_a_graph(target: &Target) -> Result<()> {
    target.require(NEEDED)?;
    let gpu = target.open()?.owning();
    let stream = gpu.create_stream()?;
    let mut values = gpu.upload(&[4_u32; 16])?;
    let graph = stream.capture(|stream| {
        ensure_capturing(stream)?;
        double_plus_one(stream, &mut values)
    })?;
    ensure!(!stream.is_capturing()?, "the stream is capturing after the closure");
    equal("memory after a capture", &values.to_vec(&stream)?, &[4; 16])?;
    for expected in [9, 19, 39] {
        // SAFETY: the buffer is still there.
        unsafe { graph.launch(&stream) }?;
        equal("memory after a launch of the graph", &values.to_vec(&stream)?, &[expected; 16])?;
    }
    // SAFETY: as above.
    unsafe { graph.launch(&stream) }?;
    // Dropped while it is enqueued.
    drop(graph);
    equal("memory after the graph was dropped", &values.to_vec(&stream)?, &[79; 16])?;
    no_drop_failed(&gpu)
}

fn ensure_capturing(stream: &Stream) -> warpcall::Result<()> {
    if stream.is_capturing()? {
        return Ok(());
    }
    Err(anyhow::anyhow!("the stream is not capturing in the closure").into())
}

/// Records, launches and compares once more.
fn usable(stream: &Stream) -> Result<()> {
    ensure!(!stream.is_capturing()?, "the stream is still capturing");
    let mut values = stream.gpu().upload(&[4_u32; 16])?;
    double_plus_one(stream, &mut values)?;
    let graph = stream.capture(|stream| double_plus_one(stream, &mut values))?;
    // SAFETY: the buffer is still there.
    unsafe { graph.launch(stream) }?;
    equal("the stream's work afterwards", &values.to_vec(stream)?, &[19; 16])
}

fn a_closure_that_fails_gives_its_capture_up(target: &Target) -> Result<()> {
    target.require(NEEDED)?;
    let gpu = target.open()?.owning();
    let stream = gpu.create_stream()?;
    let mut values = gpu.upload(&[4_u32; 16])?;
    let outcome = stream.capture(|stream| {
        double_plus_one(stream, &mut values)?;
        Err(Error::Backend(anyhow::anyhow!("the third layer has no weights")))
    });
    expect_error!(outcome, Error::Backend(ref error) if error.to_string() == "the third layer has no weights");
    usable(&stream)?;
    // A copy that is forbidden in a capture ends it in the same way.
    let outcome = stream.capture(|stream| values.to_vec(stream).map(drop));
    refused("a closure with a blocking copy", outcome.map(drop))?;
    usable(&stream)?;
    equal("memory after captures that failed", &values.to_vec(&stream)?, &[4; 16])?;
    no_drop_failed(&gpu)
}

fn a_closure_that_panics_gives_its_capture_up(target: &Target) -> Result<()> {
    target.require(NEEDED)?;
    let gpu = target.open()?.owning();
    let stream = gpu.create_stream()?;
    let mut values = gpu.upload(&[4_u32; 16])?;
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        stream.capture(|stream| {
            double_plus_one(stream, &mut values)?;
            // Without a message on the standard error stream.
            std::panic::resume_unwind(Box::new("a panic in a capture"))
        })
    }));
    ensure!(panicked.is_err(), "the panic of a closure did not come through");
    usable(&stream)?;
    equal("memory after a capture that panicked", &values.to_vec(&stream)?, &[4; 16])?;
    no_drop_failed(&gpu)
}

fn a_stream_that_is_dropped_while_capturing_gives_up(target: &Target) -> Result<()> {
    target.require(NEEDED)?;
    let gpu = target.open()?.owning();
    let mut values = gpu.upload(&[4_u32; 16])?;
    {
        let stream = gpu.create_stream()?;
        stream.begin_capture()?;
        double_plus_one(&stream, &mut values)?;
    }
    gpu.synchronize()?;
    let stream = gpu.create_stream()?;
    usable(&stream)?;
    equal("memory after a capture was dropped", &values.to_vec(&stream)?, &[4; 16])?;
    no_drop_failed(&gpu)
}

fn begin_and_end_make_a_graph_too(target: &Target) -> Result<()> {
    target.require(NEEDED)?;
    let gpu = target.open()?.owning();
    let [stream, other] = [gpu.create_stream()?, gpu.create_stream()?];
    let mut values = gpu.upload(&[4_u32; 16])?;
    refused("ending what did not begin", stream.end_capture().map(drop))?;
    stream.begin_capture()?;
    refused("beginning twice", stream.begin_capture())?;
    stream.abandon_capture()?;
    stream.begin_capture()?;
    double_plus_one(&stream, &mut values)?;
    let graph = stream.end_capture()?;
    // SAFETY: the buffer is still there.
    unsafe { graph.launch(&other) }?;
    equal("a graph launched on another stream", &values.to_vec(&other)?, &[9; 16])?;
    graph.destroy()?;
    usable(&stream)
}

fn the_view_of_a_raw_stream_serves_launches(target: &Target) -> Result<()> {
    target.require(&[Capability::Streams])?;
    let fixture = target.open()?;
    let gpu = fixture.owning();
    let raw = fixture.stream()?;
    let mut values = gpu.upload(&[4_u32; 16])?;
    let view = StreamRef::new(&**gpu.backend(), raw);
    // SAFETY: the kernel works on the sixteen words of the buffer.
    unsafe { launch_multiply_add(&view, LaunchConfig::new(1, 16), &mut values, 16, 2, 1) }?;
    equal("a launch on the view of a raw stream", &values.to_vec(&view)?, &[9; 16])?;
    let default = StreamRef::default_of(&**gpu.backend());
    // SAFETY: as above.
    unsafe { launch_multiply_add(&default, LaunchConfig::new(1, 16), &mut values, 16, 2, 1) }?;
    equal("a launch on the view of the default stream", &values.to_vec(&default)?, &[19; 16])
}

fn what_is_made_keeps_its_backend_open(target: &Target) -> Result<()> {
    target.require(NEEDED)?;
    let (stream, event, graph, mut values) = {
        let gpu = target.open()?.owning();
        let stream = gpu.create_stream()?;
        let mut values = gpu.upload(&[4_u32; 16])?;
        let graph = stream.capture(|stream| double_plus_one(stream, &mut values))?;
        let event = gpu.create_event()?;
        (stream, event, graph, values)
    };
    // SAFETY: the buffer is still there.
    unsafe { graph.launch(&stream) }?;
    double_plus_one(&stream, &mut values)?;
    stream.record(&event)?;
    event.synchronize()?;
    equal("work on what outlived its device's value", &values.to_vec(&stream)?, &[19; 16])
}

fn a_builder_opens_what_it_was_told_to(target: &Target) -> Result<()> {
    let backend = (target.open)()?;
    let gpu = Gpu::builder().backend(Arc::clone(&backend)).open()?;
    ensure!(gpu.id() == backend.id() && gpu.kind() == target.kind, "the builder opened {gpu:?}");
    ensure!(Arc::ptr_eq(gpu.backend(), &backend), "the builder wrapped the backend");
    equal("a buffer of the opened device", &gpu.upload(&[1, 2])?.to_vec(&gpu.default_stream())?, &[1, 2])
}
