//! Handles that name nothing: never made, destroyed, or another backend's.

use std::collections::HashSet;

use anyhow::{Context as _, Result, ensure};
use warpcall::{Error, EventHandle, GraphHandle, KernelHandle, KernelLaunch, StreamHandle};

use super::check::{equal, expect_error, refused};
use super::graphs::captured;
use super::{Capability, Fixture, Target};

super::tests! { "errors":
    a_stream_that_is_not_there_is_named,
    an_event_that_is_not_there_is_named,
    a_graph_that_is_not_there_is_named,
    a_kernel_that_is_not_there_is_named,
    handles_of_another_backend_do_not_work,
    the_number_of_an_event_or_a_graph_is_not_given_again,
}

/// Checks that the error names the kind of handle and its number.
fn unknown<T>(what: &str, outcome: warpcall::Result<T>, kind: &str, number: u64) -> Result<()> {
    match refused(what, outcome)? {
        Error::UnknownHandle { what: found, handle, .. } if found == kind && handle == number => Ok(()),
        other => anyhow::bail!("{what} returned `{other:?}`; expected that {number} is no live {kind}"),
    }
}

fn a_stream_that_is_not_there_is_named(target: &Target) -> Result<()> {
    target.require(&[Capability::Streams])?;
    let gpu = target.open()?;
    let destroyed = gpu.stream()?;
    // SAFETY: the uses that follow are refused.
    unsafe { gpu.destroy_stream(destroyed) }?;
    let memory = gpu.allocate(64)?;
    for stream in [StreamHandle::new(0xDEAD_BEEF), destroyed] {
        let number = stream.get();
        let check = |what: &str, outcome: warpcall::Result<()>| unknown(what, outcome, "stream", number);
        check("synchronize_stream", gpu.synchronize_stream(stream))?;
        check("is_stream_idle", gpu.is_stream_idle(stream).map(drop))?;
        check("copy_to_device_on", gpu.copy_to_device_on(stream, memory, &[1; 4]))?;
        check("copy_to_device_async", gpu.copy_to_device_async(stream, memory, &[1; 4]))?;
        check("copy_to_host_on", gpu.copy_to_host_on(stream, &mut [1; 4], memory))?;
        check(
            "copy_within_device_async",
            gpu.copy_within_device_async(stream, memory, memory.byte_add(8), 4),
        )?;
        check("memset_async", gpu.memset_async(stream, memory, warpcall::backend::Fill::Byte(1), 4))?;
        // SAFETY: it is refused.
        check("destroy_stream", unsafe { gpu.destroy_stream(stream) })?;
        ensure!(
            !target.survives_wild_launches || gpu.count_up(stream, memory, 4, 0).is_err(),
            "a kernel was launched on a stream that is not there"
        );
        if !target.lacks.contains(&Capability::Events) {
            let event = gpu.create_event(false)?;
            check("record_event", gpu.record_event(event, stream))?;
            check("stream_wait_event", gpu.stream_wait_event(stream, event))?;
        }
        if !target.lacks.contains(&Capability::Graphs) {
            check("begin_capture", gpu.begin_capture(stream))?;
            check("end_capture", gpu.end_capture(stream).map(drop))?;
            check("is_capturing", gpu.is_capturing(stream).map(drop))?;
        }
    }
    Ok(())
}

fn an_event_that_is_not_there_is_named(target: &Target) -> Result<()> {
    target.require(&[Capability::Events])?;
    let gpu = target.open()?;
    let [destroyed, live] = [gpu.create_event(true)?, gpu.create_event(true)?];
    // SAFETY: the uses that follow are refused.
    unsafe { gpu.destroy_event(destroyed) }?;
    gpu.record_event(live, StreamHandle::DEFAULT)?;
    gpu.synchronize()?;
    for event in [EventHandle::new(0xDEAD_BEEF).context("not zero")?, destroyed] {
        let number = event.get();
        let check = |what: &str, outcome: warpcall::Result<()>| unknown(what, outcome, "event", number);
        check("record_event", gpu.record_event(event, StreamHandle::DEFAULT))?;
        check("stream_wait_event", gpu.stream_wait_event(StreamHandle::DEFAULT, event))?;
        check("synchronize_event", gpu.synchronize_event(event))?;
        check("is_event_done", gpu.is_event_done(event).map(drop))?;
        check("elapsed from it", gpu.elapsed(event, live).map(drop))?;
        check("elapsed to it", gpu.elapsed(live, event).map(drop))?;
        // SAFETY: it is refused.
        check("destroy_event", unsafe { gpu.destroy_event(event) })?;
    }
    Ok(())
}

fn a_graph_that_is_not_there_is_named(target: &Target) -> Result<()> {
    target.require(&[Capability::Streams, Capability::Graphs])?;
    let gpu = target.open()?;
    let stream = gpu.stream()?;
    let values = gpu.words(&[4; 16])?;
    let destroyed = captured(&gpu, stream, || gpu.multiply_add(stream, values, 16, [2, 1]))?;
    // SAFETY: the uses that follow are refused.
    unsafe { gpu.destroy_graph(destroyed) }?;
    for graph in [GraphHandle::new(0xDEAD_BEEF).context("not zero")?, destroyed] {
        // SAFETY: it is refused.
        unknown("launch_graph", unsafe { gpu.launch_graph(graph, stream) }, "graph", graph.get())?;
        // SAFETY: it is refused.
        unknown("destroy_graph", unsafe { gpu.destroy_graph(graph) }, "graph", graph.get())?;
    }
    equal("memory of a graph that is gone", &gpu.settled_words(values, 16)?, &[4; 16])
}

fn a_kernel_that_is_not_there_is_named(target: &Target) -> Result<()> {
    target.require_survival_of_wild_launches()?;
    let gpu = target.open()?;
    let kernel = KernelHandle::new(0xDEAD_BEEF).context("not zero")?;
    // SAFETY: it is refused.
    let launched = unsafe { KernelLaunch::new(gpu.gpu(), kernel).launch(&gpu.on(StreamHandle::DEFAULT)) };
    let error = refused("launching a kernel that is not there", launched)?;
    let found = error.failure();
    ensure!(
        matches!(found, Error::UnknownHandle { what: "kernel", handle: 0xDEAD_BEEF, .. }),
        "a kernel that is not there is reported as `{error:?}`"
    );
    ensure!(gpu.declaration(kernel).is_none(), "a kernel that is not there has a declaration");
    ensure!(gpu.kernel_attributes(kernel).is_err(), "a kernel that is not there has attributes");
    ensure!(gpu.occupancy(kernel, 32, 0).is_err(), "a kernel that is not there has an occupancy");
    Ok(())
}

fn handles_of_another_backend_do_not_work(target: &Target) -> Result<()> {
    target.require(&[Capability::Streams, Capability::Events, Capability::Graphs])?;
    let [gpu, other] = [target.open()?, target.open()?];
    let make = |gpu: &Fixture| -> Result<_> {
        let stream = gpu.stream()?;
        let graph = captured(gpu, stream, || Ok(()))?;
        Ok((stream, gpu.create_event(false)?, graph))
    };
    let (stream, event, graph) = make(&gpu)?;
    // Handles that were counted from one on each backend would be taken for these.
    make(&other)?;
    expect_error!(other.synchronize_stream(stream), Error::UnknownHandle { what: "stream", .. });
    expect_error!(other.synchronize_event(event), Error::UnknownHandle { what: "event", .. });
    // SAFETY: it is refused.
    let launched = unsafe { other.launch_graph(graph, StreamHandle::DEFAULT) };
    expect_error!(launched, Error::UnknownHandle { what: "graph", .. });
    Ok(())
}

fn the_number_of_an_event_or_a_graph_is_not_given_again(target: &Target) -> Result<()> {
    target.require(&[Capability::Streams, Capability::Events, Capability::Graphs])?;
    let gpu = target.open()?;
    let stream = gpu.stream()?;
    let (mut events, mut graphs) = (HashSet::new(), HashSet::new());
    for _ in 0..20 {
        let (event, graph) = (gpu.create_event(false)?, captured(&gpu, stream, || Ok(()))?);
        ensure!(events.insert(event), "{event:?} is an event once more");
        ensure!(graphs.insert(graph), "{graph:?} is a graph once more");
        // SAFETY: neither is used after this.
        unsafe {
            gpu.destroy_event(event)?;
            gpu.destroy_graph(graph)?;
        }
    }
    Ok(())
}
