//! What this backend asks of the driver around captures, on a driver that keeps to the rules of captures.

use std::ptr::NonNull;
use std::sync::Arc;

use crate::argument::DevicePtr;
use crate::backend::cuda::CudaBackend;
use crate::backend::cuda::fake_driver::Device;
use crate::backend::{
    CopyMemory as _, DeviceInfo as _, DeviceMemory as _, Events as _, Fill, Graphs as _, KernelLookup as _,
    PinnedMemory as _, StreamHandle, Streams as _,
};
use crate::error::{Error, MemoryProblem, Result};

const PTX: &str = ".version 7.0\n.target sm_50\n.address_size 64\n.visible .entry k()\n{\n    ret;\n}\n";

/// Two backends on a device, and a stream of the first that captures.
fn two_and_a_capture() -> (Device, [Arc<CudaBackend>; 2], StreamHandle) {
    let device = Device::new();
    let backends = [device.open(), device.open()];
    let stream = backends[0].create_stream(None).expect("a stream");
    backends[0].begin_capture(stream).expect("a capture");
    device.calls();
    (device, backends, stream)
}

fn refused_for_a_capture<T>(outcome: Result<T>) {
    assert!(matches!(outcome.err().expect("it is refused"), Error::Capture { .. }));
}

/// Whether `calls` has these in this order, and as often.
fn in_order(calls: &[&str], expected: &[&str]) -> bool {
    let found: Vec<_> = calls.iter().filter(|call| expected.contains(call)).collect();
    found.len() == expected.len() && found.iter().zip(expected).all(|(found, expected)| *found == expected)
}

fn pinned(backend: &CudaBackend) -> NonNull<u8> {
    backend.allocate_pinned(100).expect("pinned memory")
}

fn free_pinned(backend: &CudaBackend, memory: NonNull<u8>) {
    // SAFETY: nothing uses the memory.
    unsafe { backend.free_pinned(memory) }.expect("it is live");
}

fn free(backend: &CudaBackend, memory: DevicePtr) {
    // SAFETY: nothing uses the memory.
    unsafe { backend.free(memory) }.expect("it is live");
}

#[test]
fn waiting_for_the_device_is_refused_while_another_backend_captures() {
    let (device, [capturing, other], stream) = two_and_a_capture();
    refused_for_a_capture(other.synchronize());
    capturing.end_capture(stream).expect("the capture went on");
    other.synchronize().expect("nothing captures");
    assert_eq!(device.broke(), [""; 0]);
}

#[test]
fn memory_of_every_backend_is_freed_once_nothing_captures_and_after_its_users() {
    let (device, backends, stream) = two_and_a_capture();
    for backend in &backends {
        let (memory, pinned) = (backend.allocate(100).expect("memory"), pinned(backend));
        free(backend, memory);
        free_pinned(backend, pinned);
    }
    assert_eq!(device.allocations(), (2, 2));
    device.calls();
    backends[0].end_capture(stream).expect("the capture went on");
    assert_eq!(device.allocations(), (0, 0));
    let calls = device.calls();
    assert!(in_order(&calls, &["cuCtxSynchronize", "cuMemFreeHost", "cuMemFreeHost"]), "{calls:?}");
    assert_eq!(device.broke(), [""; 0]);
}

#[test]
fn a_backend_that_is_dropped_while_another_captures_waits_for_its_streams_and_keeps_the_rest_for_later() {
    let (device, [capturing, dropped], stream) = two_and_a_capture();
    let own = dropped.create_stream(None).expect("a stream");
    let memory = dropped.allocate(100).expect("memory");
    pinned(&dropped);
    dropped.copy_to_device_async(own, memory, &[1; 100]).expect("a copy through a block");
    dropped.load_module("m", PTX).expect("a module");
    dropped.find_kernel("m", "k").expect("a kernel");
    device.calls();

    drop(dropped);
    let calls = device.calls();
    let streams = ["cuStreamSynchronize", "cuStreamSynchronize", "cuStreamDestroy"];
    assert!(in_order(&calls, &streams), "its own and the default one: {calls:?}");
    assert_eq!(device.allocations(), (1, 2));

    capturing.end_capture(stream).expect("the capture went on");
    let calls = device.calls();
    assert!(in_order(&calls, &["cuCtxSynchronize", "cuModuleUnload"]), "{calls:?}");
    assert_eq!(device.allocations(), (0, 0));
    assert_eq!(device.broke(), [""; 0]);
}

#[test]
fn the_backend_that_captures_may_be_dropped() {
    let (device, [capturing, other], _) = two_and_a_capture();
    let memory = other.allocate(100).expect("memory");
    free(&other, memory);
    drop(capturing);
    other.synchronize().expect("nothing captures");
    assert_eq!((device.allocations(), device.broke()), ((0, 0), vec![]));
}

#[test]
fn backends_on_two_devices_do_not_concern_each_other() {
    let (_, _backends, _) = two_and_a_capture();
    let elsewhere = Device::new();
    elsewhere.open().synchronize().expect("nothing captures there");
    assert_eq!(elsewhere.broke(), [""; 0]);
}

#[test]
fn a_lent_stream_that_is_released_while_it_captures_is_in_nobodys_way() {
    let device = Device::new();
    let backend = device.open();
    let stream = device.foreign_stream();
    // SAFETY: the stream lives.
    unsafe { backend.adopt_stream(stream) }.expect("it can be lent");
    backend.begin_capture(stream).expect("a capture");
    let memory = backend.allocate(100).expect("memory");
    free(&backend, memory);
    backend.release_stream(stream);
    assert_eq!(device.allocations(), (0, 0));
    backend.synchronize().expect("nothing captures");
    assert_eq!(device.broke(), [""; 0]);
}

#[test]
fn a_capture_that_another_library_ended_is_in_nobodys_way() {
    let (device, backends, stream) = two_and_a_capture();
    device.end_capture_elsewhere(stream);
    for backend in &backends {
        free_pinned(backend, pinned(backend));
        assert_eq!(device.allocations(), (0, 0));
        backend.synchronize().expect("nothing captures");
    }
    refused_for_a_capture(backends[0].end_capture(stream));
    backends[0].begin_capture(stream).expect("it can be captured again");
    refused_for_a_capture(backends[1].synchronize());
}

#[test]
fn a_stream_that_joined_a_capture_does_not_end_it() {
    let (device, [backend, _], stream) = two_and_a_capture();
    let [side, lent] = [backend.create_stream(None).expect("a stream"), device.foreign_stream()];
    // SAFETY: the stream lives.
    unsafe { backend.adopt_stream(lent) }.expect("it can be lent");
    for stream_that_joins in [side, lent] {
        backend.stream_wait_stream(stream_that_joins, stream).expect("it joins");
        assert!(backend.is_capturing(stream_that_joins).expect("the driver answers"));
        refused_for_a_capture(backend.end_capture(stream_that_joins));
        refused_for_a_capture(backend.abandon_capture(stream_that_joins));
        backend.stream_wait_stream(stream, stream_that_joins).expect("it is joined back");
    }
    backend.release_stream(lent);
    // SAFETY: the stream is not used again.
    unsafe { backend.destroy_stream(side) }.expect("it is live");
    backend.end_capture(stream).expect("the capture went on");
    assert_eq!(device.broke(), [""; 0]);
}

const ROUNDS: usize = 500;

/// Copies to `stream` again and again, from sources that are gone afterwards, while `capture` makes it capture.
fn copies_while(device: Device, backend: &CudaBackend, stream: StreamHandle, capture: impl Fn()) {
    let memory = backend.allocate(100).expect("memory");
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for _ in 0..ROUNDS {
                for outcome in [
                    backend.copy_to_device_async(stream, memory, &[1; 100]),
                    backend.copy_to_device_on(stream, memory, &[1; 100]),
                    backend.synchronize_stream(stream),
                ] {
                    assert!(matches!(outcome, Ok(()) | Err(Error::Capture { .. })), "{outcome:?}");
                }
            }
        });
        (0..ROUNDS).for_each(|_| capture());
    });
    assert_eq!(device.broke(), [""; 0]);
}

#[test]
fn no_copy_becomes_part_of_a_capture_that_begins_meanwhile() {
    let device = Device::new();
    let backend = device.open();
    let stream = backend.create_stream(None).expect("a stream");
    copies_while(device, &backend, stream, || {
        backend.begin_capture(stream).expect("a capture");
        backend.abandon_capture(stream).expect("it is given up");
    });
}

#[test]
fn no_copy_becomes_part_of_a_capture_that_the_stream_joins_meanwhile() {
    let device = Device::new();
    let backend = device.open();
    let [stream, side] = [(), ()].map(|()| backend.create_stream(None).expect("a stream"));
    copies_while(device, &backend, side, || {
        backend.begin_capture(stream).expect("a capture");
        backend.stream_wait_stream(side, stream).expect("it joins");
        backend.abandon_capture(stream).expect("it is given up");
    });
}

#[test]
fn no_wait_for_the_device_meets_a_capture_that_begins_meanwhile() {
    let device = Device::new();
    let [backend, other] = [device.open(), device.open()];
    let stream = backend.create_stream(None).expect("a stream");
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for _ in 0..ROUNDS {
                let waited = other.synchronize();
                assert!(matches!(waited, Ok(()) | Err(Error::Capture { .. })), "{waited:?}");
                free_pinned(&other, pinned(&other));
            }
        });
        for _ in 0..ROUNDS {
            backend.begin_capture(stream).expect("a capture");
            std::thread::yield_now();
            backend.abandon_capture(stream).expect("it is given up");
        }
    });
    assert_eq!((device.allocations(), device.broke()), ((0, 0), vec![]));
}

#[test]
fn the_default_stream_is_refused_while_a_stream_that_waits_for_it_captures() {
    let device = Device::new();
    let backend = device.open();
    let (memory, stream) = (backend.allocate(100).expect("memory"), device.foreign_stream());
    let event = backend.create_event(false).expect("an event");
    // SAFETY: the stream lives.
    unsafe { backend.adopt_stream(stream) }.expect("it can be lent");
    backend.begin_capture(stream).expect("a capture");
    refused_for_a_capture(backend.copy_to_device(memory, &[1; 100]));
    refused_for_a_capture(backend.copy_to_device_async(StreamHandle::DEFAULT, memory, &[1; 100]));
    refused_for_a_capture(backend.synchronize_stream(StreamHandle::DEFAULT));
    refused_for_a_capture(backend.memset_async(StreamHandle::DEFAULT, memory, Fill::Byte(0), 100));
    refused_for_a_capture(backend.record_event(event, StreamHandle::DEFAULT));
    refused_for_a_capture(backend.stream_wait_event(StreamHandle::DEFAULT, event));
    assert!(!backend.is_capturing(StreamHandle::DEFAULT).expect("it never does"));
    backend.end_capture(stream).expect("the capture went on");
    backend.copy_to_device(memory, &[1; 100]).expect("the default stream is usable again");
    assert_eq!(device.broke(), [""; 0]);
}

#[test]
fn memory_freed_during_a_capture_is_refused_as_freed() {
    let (_, backends, stream) = two_and_a_capture();
    let memory = backends[0].allocate(100).expect("memory");
    backends[1].copy_to_device(memory, &[1; 100]).expect("it is memory of the same device");
    free(&backends[0], memory);
    for backend in &backends {
        for refused in [
            backend.copy_to_device(memory, &[1; 100]),
            backend.copy_within_device_async(stream, memory, memory.byte_add(50), 50),
        ] {
            match refused {
                Err(Error::Memory { problem: MemoryProblem::Freed, ptr, .. }) => assert_eq!(ptr, memory),
                Err(Error::UnknownHandle { .. }) => {}
                other => panic!("freed memory was accepted: {other:?}"),
            }
        }
    }
}

#[test]
fn a_copy_that_gets_no_block_waits_for_its_stream() {
    for missing in ["cuMemHostAlloc", "cuEventCreate"] {
        let device = Device::new();
        let backend = device.open();
        let (memory, stream) =
            (backend.allocate(100).expect("memory"), backend.create_stream(None).expect("a stream"));
        device.refuse(missing, true);
        device.calls();
        backend.copy_to_device_async(stream, memory, &[1; 100]).expect("the copy needs no block");
        let calls = device.calls();
        assert!(
            in_order(&calls, &["cuMemcpyHtoDAsync", "cuStreamSynchronize"]),
            "without {missing}: {calls:?}"
        );
    }
}

#[test]
fn a_block_whose_copy_is_not_marked_is_waited_for_or_never_used_again() {
    let device = Device::new();
    let backend = device.open();
    let (memory, stream) =
        (backend.allocate(100).expect("memory"), backend.create_stream(None).expect("a stream"));
    let copy = || {
        device.calls();
        let copied = backend.copy_to_device_async(stream, memory, &[1; 100]);
        (copied, device.calls())
    };
    device.refuse("cuEventRecord", true);
    let (copied, calls) = copy();
    copied.expect("the stream was waited for");
    assert!(in_order(&calls, &["cuMemcpyHtoDAsync", "cuEventRecord", "cuStreamSynchronize"]), "{calls:?}");
    let (copied, calls) = copy();
    copied.expect("the stream was waited for");
    assert!(!calls.contains(&"cuMemHostAlloc"), "the block is free again: {calls:?}");

    device.refuse("cuStreamSynchronize", true);
    assert!(copy().0.is_err(), "nothing tells when the copy is done");
    device.refuse("cuEventRecord", false);
    device.refuse("cuStreamSynchronize", false);
    let (copied, calls) = copy();
    copied.expect("nothing refuses");
    assert!(calls.contains(&"cuMemHostAlloc"), "the block may still be read: {calls:?}");
    drop(backend);
    assert_eq!(device.allocations(), (0, 0));
}

#[test]
fn raising_the_limit_of_shared_memory_makes_the_context_current_first() {
    let device = Device::new();
    let backend = device.open();
    backend.bind_to_thread().expect("nothing refuses");
    let function =
        backend.describe(std::ptr::null_mut(), "m", "k", Err(String::new())).expect("nothing refuses");
    device.calls();
    Device::new().bind_elsewhere();
    function.raise_dynamic(&backend).expect("nothing refuses");
    assert!(device.calls().contains(&"cuFuncSetAttribute"), "it was set in another context");
}
