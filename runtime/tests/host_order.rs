//! Streams and events of the host backend: what is done when, and what is still to be done.
#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "what is freed or destroyed here is not used again, or that it is gone is what is tested"
)]

use std::panic::Location;
use std::time::Duration;

use warpcall::backend::{
    CopyMemory, DeviceMemory, Events, Fill, Launch, LaunchKernels, PinnedMemory, Streams,
};
use warpcall::{
    DevicePtr, Error, EventHandle, HostBackend, Kernel, KernelArg, KernelParam, LaunchConfig, MemoryProblem,
    Module, Parameter, Result, StreamHandle,
};

const DEFAULT: StreamHandle = StreamHandle::DEFAULT;

fn delayed() -> HostBackend {
    HostBackend::builder().delayed(true).open().unwrap()
}

/// One byte of device memory, zero.
fn byte(backend: &HostBackend) -> DevicePtr {
    let memory = backend.allocate(1).unwrap();
    backend.memset(memory, Fill::Byte(0), 1).unwrap();
    memory
}

fn set(backend: &HostBackend, stream: StreamHandle, memory: DevicePtr, value: u8) {
    backend.memset_async(stream, memory, Fill::Byte(value), 1).unwrap();
}

/// The byte, read without waiting for any stream but the default one.
fn now(backend: &HostBackend, memory: DevicePtr) -> u8 {
    let mut byte = [0];
    backend.copy_to_host(&mut byte, memory).unwrap();
    byte[0]
}

fn now_on(backend: &HostBackend, stream: StreamHandle, memory: DevicePtr) -> u8 {
    let mut byte = [0];
    backend.copy_to_host_on(stream, &mut byte, memory).unwrap();
    byte[0]
}

fn stream(backend: &HostBackend) -> StreamHandle {
    backend.create_stream(None).unwrap()
}

static PUSH: Kernel = Kernel::new(
    Module::new("order"),
    "push",
    &[Parameter::device_mut::<u8>("log", "*mut u8"), Parameter::value("entry", "u8", u8::DESCRIPTION)],
)
.with_host(|call| {
    call.run(|call| {
        let (log, entry): (&mut [u8], u8) = (call.slice_mut::<u8, _>(0)?, call.value(1)?);
        let free = log.iter().position(|entry| *entry == 0).expect("the log is not full");
        log[free] = entry;
        Ok(())
    })
});

static PANICS: Kernel = Kernel::new(Module::new("order"), "panics", &[]).with_host(|_| panic!("as asked"));

fn launch(
    backend: &HostBackend,
    kernel: &'static Kernel,
    config: &LaunchConfig,
    stream: StreamHandle,
    args: &[KernelArg<'_>],
) -> Result<()> {
    let kernel_handle = kernel.resolve(backend)?;
    let launch = Launch {
        kernel: kernel_handle,
        declaration: Some(kernel),
        config,
        stream,
        args,
        params: &args.iter().map(KernelArg::as_param).collect::<Vec<_>>(),
        extents: &[],
        location: Location::caller(),
    };
    // SAFETY: host functions are given what the arguments name, checked, and nothing else.
    unsafe { backend.launch(&launch) }
}

fn push(backend: &HostBackend, stream: StreamHandle, log: DevicePtr, entry: u8, priority: Option<i32>) {
    let config = LaunchConfig::new(1, 1);
    let config = priority.map_or(config, |priority| config.priority(priority));
    launch(backend, &PUSH, &config, stream, &[KernelArg::Buffer(log), entry.pack().arg()]).unwrap();
}

#[test]
fn at_once_each_work_is_done_when_it_is_enqueued() {
    let backend = HostBackend::new();
    let (stream, memory) = (stream(&backend), byte(&backend));
    set(&backend, stream, memory, 1);
    assert_eq!(now(&backend, memory), 1);
    assert!(backend.is_stream_idle(stream).unwrap());
}

#[test]
fn delayed_work_waits_for_whoever_synchronises_with_its_stream() {
    let backend = delayed();
    let (stream, memory) = (stream(&backend), byte(&backend));

    set(&backend, stream, memory, 1);
    assert_eq!(now(&backend, memory), 0, "the default stream does not wait for it");
    backend.synchronize_stream(DEFAULT).unwrap();
    assert_eq!(now(&backend, memory), 0);
    backend.synchronize_stream(stream).unwrap();
    assert_eq!(now(&backend, memory), 1);

    set(&backend, stream, memory, 2);
    assert_eq!(now_on(&backend, stream, memory), 2, "a blocking copy on the stream waits");

    set(&backend, stream, memory, 3);
    backend.synchronize().unwrap();
    assert_eq!(now(&backend, memory), 3);

    set(&backend, DEFAULT, memory, 4);
    assert_eq!(now(&backend, memory), 4, "a copy without a stream waits for the default one");
}

#[test]
fn delayed_work_waits_for_an_event_up_to_its_mark_alone() {
    let backend = delayed();
    let (stream, memory) = (stream(&backend), byte(&backend));
    let event = backend.create_event(false).unwrap();
    set(&backend, stream, memory, 1);
    backend.record_event(event, stream).unwrap();
    set(&backend, stream, memory, 2);
    backend.synchronize_event(event).unwrap();
    assert_eq!(now(&backend, memory), 1);

    backend.record_event(event, stream).unwrap();
    set(&backend, stream, memory, 3);
    backend.synchronize_event(event).unwrap();
    assert_eq!(now(&backend, memory), 2, "a later mark replaces the first");
}

#[test]
fn a_waiting_stream_pulls_in_the_other_up_to_the_mark() {
    let backend = delayed();
    let (one, two, memory) = (stream(&backend), stream(&backend), byte(&backend));
    let seen = byte(&backend);
    let event = backend.create_event(false).unwrap();
    set(&backend, one, memory, 1);
    backend.record_event(event, one).unwrap();
    set(&backend, one, memory, 2);
    backend.stream_wait_event(two, event).unwrap();
    backend.copy_within_device_async(two, seen, memory, 1).unwrap();
    // SAFETY: a wait that is enqueued keeps what it needs.
    unsafe { backend.destroy_event(event) }.unwrap();

    backend.synchronize_stream(two).unwrap();
    assert_eq!((now(&backend, seen), now(&backend, memory)), (1, 1));
    backend.synchronize_stream(one).unwrap();
    assert_eq!(now(&backend, memory), 2);
}

#[test]
fn without_a_wait_the_other_stream_sees_stale_data() {
    let backend = delayed();
    let (one, two, memory, seen) = (stream(&backend), stream(&backend), byte(&backend), byte(&backend));
    set(&backend, one, memory, 1);
    backend.copy_within_device_async(two, seen, memory, 1).unwrap();
    backend.synchronize_stream(two).unwrap();
    assert_eq!(now(&backend, seen), 0);

    backend.stream_wait_stream(two, one).unwrap();
    backend.copy_within_device_async(two, seen, memory, 1).unwrap();
    backend.synchronize_stream(two).unwrap();
    assert_eq!(now(&backend, seen), 1);
}

#[test]
fn streams_that_wait_for_each_other_in_turn_come_to_an_end() {
    let backend = delayed();
    let (one, two, log) = (stream(&backend), stream(&backend), backend.allocate(100).unwrap());
    backend.memset(log, Fill::Byte(0), 100).unwrap();
    for round in 0..50 {
        push(&backend, one, log, 2 * round + 1, None);
        backend.stream_wait_stream(two, one).unwrap();
        push(&backend, two, log, 2 * round + 2, None);
        backend.stream_wait_stream(one, two).unwrap();
    }
    backend.synchronize_stream(one).unwrap();
    let mut bytes = [0; 100];
    backend.copy_to_host(&mut bytes, log).unwrap();
    assert_eq!(bytes.to_vec(), (1..=100).collect::<Vec<u8>>());
}

#[test]
fn a_plain_copy_reads_its_source_at_once_and_a_retained_one_when_it_is_done() {
    let backend = delayed();
    let (stream, plain, retained) = (stream(&backend), byte(&backend), byte(&backend));
    let source = backend.allocate_pinned(1).unwrap();
    // SAFETY: the source is alive throughout, and written only where the test says so.
    unsafe {
        source.write(1);
        backend.copy_to_device_async(stream, plain, std::slice::from_ref(source.as_ref())).unwrap();
        backend.copy_to_device_retained(stream, retained, source.as_ptr(), 1).unwrap();
        source.write(2);
    }
    backend.synchronize_stream(stream).unwrap();
    assert_eq!((now(&backend, plain), now(&backend, retained)), (1, 2));

    let mut back = 0_u8;
    // SAFETY: `back` outlives the synchronisation, and is not touched before it.
    unsafe { backend.copy_to_host_async(stream, &raw mut back, plain, 1) }.unwrap();
    backend.synchronize_stream(stream).unwrap();
    assert_eq!(back, 1);
}

#[test]
fn freeing_completes_what_is_enqueued_first() {
    let backend = delayed();
    let (stream, from, to) = (stream(&backend), byte(&backend), byte(&backend));
    set(&backend, stream, from, 9);
    backend.copy_within_device_async(stream, to, from, 1).unwrap();
    unsafe { backend.free(from) }.unwrap();
    assert_eq!(now(&backend, to), 9);
}

#[test]
fn what_fails_is_returned_once_by_the_call_that_waits() {
    let backend = delayed();
    let (one, memory) = (stream(&backend), byte(&backend));
    let run = |stream| launch(&backend, &PANICS, &LaunchConfig::new(1, 1), stream, &[]);
    let failed = |result: Result<()>| matches!(result, Err(Error::HostFunctionPanicked { kernel, .. }) if &*kernel == "panics");

    run(one).unwrap();
    set(&backend, one, memory, 5);
    backend.synchronize_stream(DEFAULT).unwrap();
    assert!(failed(backend.synchronize_stream(one)));
    assert_eq!(now(&backend, memory), 5, "what comes after it is done all the same");
    backend.synchronize_stream(one).unwrap();

    run(one).unwrap();
    assert!(failed(backend.copy_to_host_on(one, &mut [0], memory)));
    run(one).unwrap();
    assert!(failed(backend.synchronize()));
    backend.synchronize().unwrap();

    // Freeing does the work, and speaks of the memory alone.
    run(one).unwrap();
    unsafe { backend.free(memory) }.unwrap();
    assert!(failed(backend.synchronize_stream(one)));
    backend.synchronize().unwrap();
}

#[test]
fn what_is_wrong_already_is_returned_by_the_call_that_enqueues() {
    let backend = delayed();
    let (stream, memory) = (stream(&backend), byte(&backend));
    match backend.memset_async(stream, memory, Fill::Byte(0), 2) {
        Err(Error::Memory { operation, problem: MemoryProblem::OutOfBounds { .. }, .. }) => {
            assert_eq!(&*operation, "memset_async");
        }
        other => panic!("{other:?}"),
    }
    let args = [KernelArg::Buffer(DevicePtr::NULL), KernelArg::Buffer(memory)];
    assert!(launch(&backend, &PUSH, &LaunchConfig::new(1, 1), stream, &args).is_err());
    assert!(backend.is_stream_idle(stream).unwrap());
}

#[test]
fn asking_again_and_again_comes_to_an_end() {
    let backend = delayed();
    let (stream, memory) = (stream(&backend), byte(&backend));
    let event = backend.create_event(false).unwrap();
    assert!(backend.is_event_done(event).unwrap(), "never recorded");
    set(&backend, stream, memory, 1);
    set(&backend, stream, memory, 2);
    backend.record_event(event, stream).unwrap();
    set(&backend, stream, memory, 3);
    let asked = (1..10).find(|_| backend.is_event_done(event).unwrap()).unwrap();
    assert!(asked > 1, "not done when first asked");
    assert_eq!(now(&backend, memory), 2);
    assert!((1..10).any(|_| backend.is_stream_idle(stream).unwrap()));
    assert_eq!(now(&backend, memory), 3);
}

#[test]
fn the_more_urgent_goes_first_where_several_could() {
    let backend = delayed();
    let log = backend.allocate(8).unwrap();
    backend.memset(log, Fill::Byte(0), 8).unwrap();
    let low = backend.create_stream(Some(0)).unwrap();
    let high = backend.create_stream(Some(-5)).unwrap();
    push(&backend, low, log, 1, None);
    push(&backend, high, log, 2, None);
    push(&backend, high, log, 3, Some(1));
    push(&backend, low, log, 4, Some(-9));
    backend.synchronize().unwrap();
    let mut bytes = [0; 5];
    backend.copy_to_host(&mut bytes, log).unwrap();
    assert_eq!(bytes, [2, 1, 4, 3, 0]);
}

#[test]
fn time_passes_between_two_events_that_were_reached() {
    let backend = delayed();
    let stream = stream(&backend);
    let [start, end] = [true, true].map(|timing| backend.create_event(timing).unwrap());
    let untimed = backend.create_event(false).unwrap();
    let reason = |start, end| backend.elapsed(start, end).unwrap_err().to_string();
    assert!(reason(start, end).ends_with("one that was never recorded; expected an event that was recorded"));
    backend.record_event(start, stream).unwrap();
    backend.record_event(end, stream).unwrap();
    backend.record_event(untimed, stream).unwrap();
    assert!(reason(start, end).contains("not reached yet"));
    backend.synchronize_event(start).unwrap();
    std::thread::sleep(Duration::from_millis(5));
    backend.synchronize_event(end).unwrap();
    assert!(backend.elapsed(start, end).unwrap() >= Duration::from_millis(5));
    backend.synchronize_stream(stream).unwrap();
    assert!(reason(start, untimed).contains("created with timing, as by `Gpu::create_timing_event`"));
}

#[test]
fn destroyed_and_foreign_handles_are_unknown() {
    let (backend, other) = (delayed(), delayed());
    let (gone, memory) = (stream(&backend), byte(&backend));
    set(&backend, gone, memory, 1);
    unsafe { backend.destroy_stream(gone) }.unwrap();
    for handle in [gone, stream(&other), StreamHandle::new(3)] {
        for result in [
            backend.synchronize_stream(handle),
            backend.memset_async(handle, memory, Fill::Byte(0), 1),
            backend.memset_async(handle, memory, Fill::Byte(0), 0),
            backend.copy_to_device_on(handle, memory, &[]),
            unsafe { backend.destroy_stream(handle) },
        ] {
            assert!(matches!(result, Err(Error::UnknownHandle { what: "stream", .. })), "{result:?}");
        }
    }
    assert_eq!(now(&backend, memory), 0);
    backend.synchronize().unwrap();
    assert_eq!(now(&backend, memory), 1, "what was enqueued on a destroyed stream still runs");
    assert!(matches!(unsafe { backend.destroy_stream(DEFAULT) }, Err(Error::InvalidArgument { .. })));

    let event = backend.create_event(true).unwrap();
    unsafe { backend.destroy_event(event) }.unwrap();
    let unknown = |event: EventHandle| {
        matches!(backend.record_event(event, DEFAULT), Err(Error::UnknownHandle { what: "event", .. }))
            && matches!(backend.synchronize_event(event), Err(Error::UnknownHandle { what: "event", .. }))
    };
    assert!(unknown(event) && unknown(other.create_event(false).unwrap()));
}

#[test]
fn a_mark_on_a_stream_that_is_gone_is_reached() {
    let backend = delayed();
    let (gone, memory) = (stream(&backend), byte(&backend));
    let event = backend.create_event(false).unwrap();
    set(&backend, gone, memory, 1);
    backend.record_event(event, gone).unwrap();
    unsafe { backend.destroy_stream(gone) }.unwrap();
    backend.synchronize_event(event).unwrap();
    assert_eq!(now(&backend, memory), 1);
    assert!(backend.is_event_done(event).unwrap());
}
