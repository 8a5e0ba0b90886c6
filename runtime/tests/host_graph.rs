//! Captures and graphs of the host backend.
#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "what is freed or destroyed here is not used again, or that it is gone is what is tested"
)]

use std::panic::Location;

use warpcall::backend::{CopyMemory, DeviceMemory, Events, Fill, Graphs, Launch, LaunchKernels, Streams};
use warpcall::{
    DevicePtr, Error, GraphHandle, HostBackend, Kernel, KernelArg, KernelParam, LaunchConfig, Module,
    Parameter, Result, StreamHandle,
};

static ADD: Kernel = Kernel::new(
    Module::new("graph"),
    "add",
    &[Parameter::device_mut::<u8>("value", "*mut u8"), Parameter::value("by", "u8", u8::DESCRIPTION)],
)
.with_host(|call| {
    call.run(|call| {
        let (value, by): (&mut [u8], u8) = (call.slice_mut::<u8, _>(0)?, call.value(1)?);
        value[0] += by;
        Ok(())
    })
});

fn add(backend: &HostBackend, stream: StreamHandle, value: DevicePtr, by: u8) -> Result<()> {
    let (config, by) = (LaunchConfig::new(1, 1), by.pack());
    let args = [KernelArg::Buffer(value), by.arg()];
    let launch = Launch {
        kernel: ADD.resolve(backend)?,
        declaration: Some(&ADD),
        config: &config,
        stream,
        args: &args,
        params: &args.each_ref().map(KernelArg::as_param),
        extents: &[],
        location: Location::caller(),
    };
    // SAFETY: the host function is given what the arguments name, checked, and nothing else.
    unsafe { backend.launch(&launch) }
}

fn setup() -> (HostBackend, StreamHandle, DevicePtr) {
    let backend = HostBackend::new();
    let stream = backend.create_stream(None).unwrap();
    let memory = backend.allocate(1).unwrap();
    backend.memset(memory, Fill::Byte(0), 1).unwrap();
    (backend, stream, memory)
}

fn value(backend: &HostBackend, memory: DevicePtr) -> u8 {
    let mut byte = [0];
    backend.copy_to_host(&mut byte, memory).unwrap();
    byte[0]
}

fn replay(backend: &HostBackend, graph: GraphHandle, stream: StreamHandle) -> Result<()> {
    // SAFETY: the memory is alive, or its absence is what is tested.
    unsafe { backend.launch_graph(graph, stream) }
}

fn capture_problem<T: std::fmt::Debug>(result: Result<T>) -> String {
    match result.expect_err("an error of the capture").failure() {
        Error::Capture { problem, .. } => problem.to_string(),
        other => panic!("expected an error of the capture, found {other:?}"),
    }
}

/// After whatever went wrong, the stream does work again.
fn assert_usable(backend: &HostBackend, stream: StreamHandle, memory: DevicePtr) {
    assert!(!backend.is_capturing(stream).unwrap());
    let before = value(backend, memory);
    add(backend, stream, memory, 1).unwrap();
    backend.synchronize_stream(stream).unwrap();
    assert_eq!(value(backend, memory), before + 1);
    backend.begin_capture(stream).unwrap();
    let graph = backend.end_capture(stream).unwrap();
    replay(backend, graph, stream).unwrap();
}

#[test]
fn a_capture_records_and_a_launch_replays_with_values_kept_and_memory_live() {
    let (backend, stream, memory) = setup();
    backend.begin_capture(stream).unwrap();
    assert!(backend.is_capturing(stream).unwrap());
    add(&backend, stream, memory, 2).unwrap();
    assert_eq!(value(&backend, memory), 0, "recorded, not done");
    let graph = backend.end_capture(stream).unwrap();
    assert!(!backend.is_capturing(stream).unwrap());
    assert_eq!(value(&backend, memory), 0);

    replay(&backend, graph, stream).unwrap();
    backend.memset(memory, Fill::Byte(10), 1).unwrap();
    replay(&backend, graph, stream).unwrap();
    replay(&backend, graph, StreamHandle::DEFAULT).unwrap();
    assert_eq!(value(&backend, memory), 14);

    unsafe { backend.destroy_graph(graph) }.unwrap();
    assert!(matches!(replay(&backend, graph, stream), Err(Error::UnknownHandle { what: "graph", .. })));
    assert!(unsafe { backend.destroy_graph(graph) }.is_err());
}

#[test]
fn a_graph_reads_retained_memory_when_it_is_launched() {
    let (backend, stream, memory) = setup();
    let mut source = 1_u8;
    let place = &raw mut source;
    backend.begin_capture(stream).unwrap();
    // SAFETY: the source outlives the graph's launches and is written between them.
    unsafe { backend.copy_to_device_retained(stream, memory, place, 1) }.unwrap();
    let graph = backend.end_capture(stream).unwrap();
    for expected in [3, 4] {
        unsafe { place.write(expected) };
        replay(&backend, graph, stream).unwrap();
        assert_eq!(value(&backend, memory), expected);
    }
}

#[test]
fn a_delayed_launch_of_a_destroyed_graph_still_runs() {
    let backend = HostBackend::builder().delayed(true).open().unwrap();
    let stream = backend.create_stream(None).unwrap();
    let memory = backend.allocate(1).unwrap();
    backend.memset(memory, Fill::Byte(0), 1).unwrap();
    backend.begin_capture(stream).unwrap();
    add(&backend, stream, memory, 5).unwrap();
    let graph = backend.end_capture(stream).unwrap();
    replay(&backend, graph, stream).unwrap();
    unsafe { backend.destroy_graph(graph) }.unwrap();
    assert_eq!(value(&backend, memory), 0);
    backend.synchronize_stream(stream).unwrap();
    assert_eq!(value(&backend, memory), 5);
}

#[test]
fn a_graph_whose_memory_was_freed_fails_by_name() {
    let (backend, stream, memory) = setup();
    backend.begin_capture(stream).unwrap();
    add(&backend, stream, memory, 1).unwrap();
    let graph = backend.end_capture(stream).unwrap();
    unsafe { backend.free(memory) }.unwrap();
    let error = replay(&backend, graph, stream).unwrap_err().to_string();
    assert!(error.contains("kernel `add`, parameter `value`") && error.contains("freed"), "{error}");
}

#[test]
fn work_forks_to_another_stream_and_joins_back() {
    let (backend, stream, memory) = setup();
    let other = backend.create_stream(None).unwrap();
    backend.begin_capture(stream).unwrap();
    add(&backend, stream, memory, 1).unwrap();
    backend.stream_wait_stream(other, stream).unwrap();
    assert!(backend.is_capturing(other).unwrap());
    add(&backend, other, memory, 2).unwrap();
    backend.stream_wait_stream(stream, other).unwrap();
    add(&backend, stream, memory, 4).unwrap();
    let graph = backend.end_capture(stream).unwrap();
    assert!(!backend.is_capturing(other).unwrap());
    replay(&backend, graph, stream).unwrap();
    assert_eq!(value(&backend, memory), 7);
    assert_usable(&backend, other, memory);
}

#[test]
fn a_stream_that_was_not_joined_back_is_reported() {
    let (backend, stream, memory) = setup();
    let other = backend.create_stream(None).unwrap();
    backend.begin_capture(stream).unwrap();
    backend.stream_wait_stream(other, stream).unwrap();
    add(&backend, other, memory, 1).unwrap();
    backend.stream_wait_stream(stream, other).unwrap();
    add(&backend, other, memory, 1).unwrap();
    let problem = capture_problem(backend.end_capture(stream));
    assert!(problem.contains(&format!("{:#x}", other.get())), "{problem}");
    assert_eq!(value(&backend, memory), 0);
    assert_usable(&backend, stream, memory);
    assert_usable(&backend, other, memory);
}

#[test]
fn a_stream_that_joined_and_did_nothing_needs_no_joining_back() {
    let (backend, stream, _) = setup();
    let other = backend.create_stream(None).unwrap();
    backend.begin_capture(stream).unwrap();
    backend.stream_wait_stream(other, stream).unwrap();
    backend.end_capture(stream).unwrap();
}

#[test]
fn what_waits_or_blocks_is_refused_and_the_capture_goes_on() {
    type Forbidden = fn(&HostBackend, StreamHandle, DevicePtr) -> Result<()>;
    let forbidden: [(&str, Forbidden); 6] = [
        ("synchronize", |backend, _, _| backend.synchronize()),
        ("synchronize_stream", |backend, stream, _| backend.synchronize_stream(stream)),
        ("is_stream_idle", |backend, stream, _| backend.is_stream_idle(stream).map(drop)),
        ("copy_to_host_on", |backend, stream, memory| backend.copy_to_host_on(stream, &mut [0], memory)),
        ("copy_to_device_on", |backend, stream, memory| backend.copy_to_device_on(stream, memory, &[0])),
        ("copy_to_device_async", |backend, stream, memory| {
            backend.copy_to_device_async(stream, memory, &[0])
        }),
    ];
    for (name, call) in forbidden {
        let (backend, stream, memory) = setup();
        backend.begin_capture(stream).unwrap();
        match call(&backend, stream, memory) {
            Err(Error::Capture { operation, .. }) => assert_eq!(operation, name),
            other => panic!("{name}: {other:?}"),
        }
        add(&backend, stream, memory, 1).unwrap();
        let graph = backend.end_capture(stream).unwrap();
        assert_eq!(value(&backend, memory), 0, "{name}");
        replay(&backend, graph, stream).unwrap();
        assert_eq!(value(&backend, memory), 1, "{name}");
    }
}

#[test]
fn waiting_for_an_event_of_a_capture_makes_that_invalid() {
    let (backend, stream, memory) = setup();
    let event = backend.create_event(false).unwrap();
    backend.begin_capture(stream).unwrap();
    backend.record_event(event, stream).unwrap();
    capture_problem(backend.synchronize_event(event));
    assert!(backend.is_capturing(stream).unwrap(), "until it is ended");
    for problem in
        [capture_problem(add(&backend, stream, memory, 1)), capture_problem(backend.end_capture(stream))]
    {
        assert!(problem.contains("synchronize_event"), "{problem}");
    }
    assert_usable(&backend, stream, memory);
}

#[test]
fn an_abandoned_capture_leaves_nothing() {
    let (backend, stream, memory) = setup();
    backend.abandon_capture(stream).unwrap();
    backend.begin_capture(stream).unwrap();
    add(&backend, stream, memory, 1).unwrap();
    backend.abandon_capture(stream).unwrap();
    assert_eq!(value(&backend, memory), 0);
    assert_usable(&backend, stream, memory);
}

#[test]
fn a_capture_begins_once_on_a_stream_of_its_own_and_ends_where_it_began() {
    let (backend, stream, memory) = setup();
    let other = backend.create_stream(None).unwrap();
    capture_problem(backend.begin_capture(StreamHandle::DEFAULT));
    capture_problem(backend.end_capture(stream));
    backend.begin_capture(stream).unwrap();
    capture_problem(backend.begin_capture(stream));
    backend.stream_wait_stream(other, stream).unwrap();
    for refused in [backend.end_capture(other).map(drop), backend.abandon_capture(other)] {
        assert!(capture_problem(refused).contains(&format!("began on stream {:#x}", stream.get())));
    }
    backend.abandon_capture(stream).unwrap();
    assert_usable(&backend, stream, memory);
    assert_usable(&backend, other, memory);
}

#[test]
fn a_capture_does_not_reach_outside_of_itself() {
    let (backend, stream, memory) = setup();
    let other = backend.create_stream(None).unwrap();
    let event = backend.create_event(true).unwrap();

    backend.record_event(event, other).unwrap();
    backend.begin_capture(stream).unwrap();
    capture_problem(backend.stream_wait_event(stream, event));
    capture_problem(backend.end_capture(stream));

    backend.begin_capture(stream).unwrap();
    backend.begin_capture(other).unwrap();
    backend.record_event(event, stream).unwrap();
    assert!(capture_problem(backend.stream_wait_event(other, event)).contains("two captures"));
    capture_problem(backend.end_capture(stream));
    capture_problem(backend.end_capture(other));
    capture_problem(backend.stream_wait_event(other, event));

    backend.begin_capture(stream).unwrap();
    backend.record_event(event, stream).unwrap();
    capture_problem(backend.stream_wait_event(StreamHandle::DEFAULT, event));
    capture_problem(backend.end_capture(stream));
    assert_usable(&backend, stream, memory);
    assert_usable(&backend, other, memory);
}

#[test]
fn a_graph_is_not_recorded_in_another() {
    let (backend, stream, memory) = setup();
    backend.begin_capture(stream).unwrap();
    let graph = backend.end_capture(stream).unwrap();
    backend.begin_capture(stream).unwrap();
    capture_problem(replay(&backend, graph, stream));
    capture_problem(backend.end_capture(stream));
    assert_usable(&backend, stream, memory);
}

#[test]
fn a_stream_that_is_destroyed_takes_its_capture_along() {
    let (backend, stream, memory) = setup();
    let other = backend.create_stream(None).unwrap();
    backend.begin_capture(stream).unwrap();
    backend.stream_wait_stream(other, stream).unwrap();
    unsafe { backend.destroy_stream(stream) }.unwrap();
    assert_usable(&backend, other, memory);
}
