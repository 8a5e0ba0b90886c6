//! What copies, memsets and pinned memory ask of the driver, on one that notes it, and what they refuse before.

use std::sync::Arc;

use crate::argument::DevicePtr;
use crate::backend::cuda::CudaBackend;
use crate::backend::cuda::driver::{Code, code};
use crate::backend::cuda::fake_driver::{Device, REFUSED};
use crate::backend::{
    Copy2d, CopyMemory as _, DeviceMemory as _, Fill, Graphs as _, PinnedMemory as _, StreamHandle,
    Streams as _,
};
use crate::error::{Error, MemoryProblem, Result};

const DEFAULT: StreamHandle = StreamHandle::DEFAULT;

fn opened() -> (Device, Arc<CudaBackend>, DevicePtr, StreamHandle) {
    let device = Device::new();
    let backend = device.open();
    let memory = backend.allocate(1024).expect("memory");
    let stream = backend.create_stream(None).expect("a stream");
    (device, backend, memory, stream)
}

/// The calls of `run` that enqueue or wait.
fn work(device: Device, run: impl FnOnce() -> Result<()>) -> (Result<()>, Vec<&'static str>) {
    device.calls();
    let outcome = run();
    let is_work = |call: &&str| {
        ["cuMemcpy", "cuMemset", "cuStreamSynchronize"].iter().any(|prefix| call.starts_with(prefix))
    };
    (outcome, device.calls().into_iter().filter(is_work).collect())
}

#[test]
fn what_blocks_waits_for_its_stream_also_where_the_copy_is_refused() {
    let (device, backend, memory, stream) = opened();
    let (there, b) = (memory.byte_add(512), &backend);
    let mut host = [0; 64];
    let source = [1; 64];
    let mut check =
        |call: &'static str, waits_after_refusal, run: &mut dyn FnMut(&mut [u8]) -> Result<()>| {
            let (done, calls) = work(device, || run(&mut host));
            done.expect("nothing refuses");
            assert_eq!(calls, [call, "cuStreamSynchronize"]);
            device.refuse(call, true);
            let (refused, calls) = work(device, || run(&mut host));
            device.refuse(call, false);
            assert!(matches!(refused, Err(Error::Driver { code: REFUSED, .. })), "{call}: {refused:?}");
            assert_eq!(calls.len(), if waits_after_refusal { 2 } else { 1 }, "{calls:?}");
        };
    check("cuMemcpyHtoD", false, &mut |_| b.copy_to_device(memory, &source));
    check("cuMemcpyDtoDAsync", false, &mut |_| b.copy_within_device(memory, there, 64));
    check("cuMemsetD8Async", false, &mut |_| b.memset(memory, Fill::Byte(1), 64));
    check("cuMemsetD32Async", false, &mut |_| b.memset(memory, Fill::Word(1), 64));
    // Whose host memory is the caller's again.
    check("cuMemcpyHtoDAsync", true, &mut |_| b.copy_to_device_on(stream, memory, &source));
    check("cuMemcpyDtoHAsync", true, &mut |host| b.copy_to_host_on(stream, host, memory));
    // Longer than a block.
    let long = vec![1; (256 << 10) + 1];
    let large = b.allocate(long.len()).expect("memory");
    check("cuMemcpyHtoDAsync", true, &mut |_| b.copy_to_device_async(stream, large, &long));
    // This call returns once the copy is done.
    let (done, calls) = work(device, || b.copy_to_host(&mut host, memory));
    done.expect("nothing refuses");
    assert_eq!(calls, ["cuMemcpyDtoH"]);
}

#[test]
fn what_is_asynchronous_waits_for_nothing() {
    let (device, backend, memory, stream) = opened();
    let (there, mut host) = (memory.byte_add(512), [0_u8; 64]);
    let rectangle = Copy2d { dst: memory, dst_pitch: 32, src: there, src_pitch: 16, width: 16, height: 4 };
    let staged = work(device, || backend.copy_to_device_async(stream, memory, &[1; 64]));
    // SAFETY: nothing is copied, here and below.
    let retained = work(device, || unsafe {
        backend.copy_to_device_retained(stream, memory, host.as_ptr(), host.len())
    });
    // SAFETY: as above.
    let to_host =
        work(device, || unsafe { backend.copy_to_host_async(stream, host.as_mut_ptr(), memory, 64) });
    let within = work(device, || backend.copy_within_device_async(stream, memory, there, 64));
    let fill = work(device, || backend.memset_async(stream, memory, Fill::Word(7), 64));
    let in_rows = work(device, || backend.copy_2d_async(stream, &rectangle));
    for ((outcome, calls), call) in [
        (staged, "cuMemcpyHtoDAsync"),
        (retained, "cuMemcpyHtoDAsync"),
        (to_host, "cuMemcpyDtoHAsync"),
        (within, "cuMemcpyDtoDAsync"),
        (fill, "cuMemsetD32Async"),
        (in_rows, "cuMemcpy2DAsync"),
    ] {
        outcome.expect("nothing refuses");
        assert_eq!(calls, [call]);
    }
}

#[test]
fn no_bytes_ask_the_driver_for_nothing() {
    let (device, backend, _, stream) = opened();
    let nowhere = DevicePtr::NULL;
    let nothing = Copy2d { dst: nowhere, dst_pitch: 0, src: nowhere, src_pitch: 0, width: 0, height: 9 };
    device.calls();
    backend.copy_to_device(nowhere, &[]).expect("nothing to do");
    backend.copy_to_host(&mut [], nowhere).expect("nothing to do");
    backend.copy_to_device_async(stream, nowhere, &[]).expect("nothing to do");
    backend.copy_within_device(nowhere, nowhere, 0).expect("nothing to do");
    backend.memset(nowhere, Fill::Word(1), 0).expect("nothing to do");
    backend.copy_2d_async(stream, &nothing).expect("nothing to do");
    backend.copy_2d_async(stream, &Copy2d { width: 9, height: 0, ..nothing }).expect("nothing to do");
    assert_eq!(device.calls(), [""; 0]);
}

/// What is wrong with `bytes` bytes at `ptr`, as every operation says that reads or writes there.
fn problem(
    backend: &CudaBackend,
    stream: StreamHandle,
    ptr: DevicePtr,
    bytes: usize,
) -> Option<MemoryProblem> {
    let apart = backend.allocate(bytes).expect("memory");
    let mut host = vec![0; bytes];
    let rows = |dst, src| Copy2d { dst, dst_pitch: bytes, src, src_pitch: bytes, width: bytes, height: 1 };
    let outcomes = [
        backend.copy_to_device(ptr, &host),
        backend.copy_to_device_on(stream, ptr, &host),
        backend.copy_to_device_async(stream, ptr, &host),
        // SAFETY: nothing is copied, here and below.
        unsafe { backend.copy_to_device_retained(stream, ptr, host.as_ptr(), bytes) },
        backend.copy_to_host(&mut host, ptr),
        backend.copy_to_host_on(stream, &mut host, ptr),
        // SAFETY: as above.
        unsafe { backend.copy_to_host_async(stream, host.as_mut_ptr(), ptr, bytes) },
        backend.copy_within_device(ptr, apart, bytes),
        backend.copy_within_device(apart, ptr, bytes),
        backend.copy_within_device_async(stream, ptr, apart, bytes),
        backend.copy_within_device_async(stream, apart, ptr, bytes),
        backend.copy_2d_async(stream, &rows(ptr, apart)),
        backend.copy_2d_async(stream, &rows(apart, ptr)),
        backend.memset(ptr, Fill::Byte(0), bytes),
        backend.memset_async(stream, ptr, Fill::Byte(0), bytes),
    ];
    // SAFETY: nothing uses it.
    unsafe { backend.free(apart) }.expect("it is live");
    let mut problems = outcomes.map(|outcome| match outcome {
        Ok(()) => None,
        Err(Error::Memory { ptr: named, problem, .. }) => {
            assert_eq!(named, ptr);
            Some(problem)
        }
        Err(error) => panic!("{error}"),
    });
    let first = problems[0].take();
    assert!(problems[1..].iter().all(|problem| *problem == first), "{first:?}, but {problems:?}");
    first
}

#[test]
fn a_range_must_be_memory_of_the_device_to_its_last_byte() {
    let (device, backend, memory, stream) = opened();
    let problem = |ptr, bytes| problem(&backend, stream, ptr, bytes);
    let out = |start, length| Some(MemoryProblem::OutOfBounds { start, length });
    assert_eq!(problem(memory, 1024), None);
    assert_eq!(problem(memory, 1025), out(memory, 1024));
    assert_eq!(problem(memory.byte_add(1023), 1), None);
    assert_eq!(problem(memory.byte_add(1023), 2), out(memory, 1024));
    assert_eq!(problem(DevicePtr::NULL, 1), Some(MemoryProblem::Null));
    assert_eq!(problem(memory.byte_add(1024), 1), Some(MemoryProblem::Unknown));
    assert_eq!(problem(DevicePtr::new(u64::MAX), 8), Some(MemoryProblem::Unknown));

    let theirs = device.memory_of_others(true, false);
    assert_eq!(problem(theirs.byte_add(4000), 96), None);
    assert_eq!(problem(theirs.byte_add(4000), 97), out(theirs, 4096));
    // Which a slice on the host may borrow.
    assert_eq!(problem(device.memory_of_others(true, true), 1), Some(MemoryProblem::Foreign));
    assert_eq!(problem(device.memory_of_others(false, false), 1), Some(MemoryProblem::Foreign));

    let pinned = backend.allocate_pinned(100).expect("pinned memory");
    let alias = backend.pinned_device_ptr(pinned).expect("it is mapped");
    assert_eq!(problem(alias, 1), Some(MemoryProblem::Pinned));
    assert_eq!(problem(alias.byte_add(99), 1), Some(MemoryProblem::Pinned));
    assert_eq!(problem(alias.byte_add(100), 1), Some(MemoryProblem::Unknown));
    // SAFETY: nothing uses either.
    unsafe { backend.free_pinned(pinned).and_then(|()| backend.free(memory)) }.expect("they are live");
    assert_eq!(problem(alias, 1), Some(MemoryProblem::Unknown));
    assert_eq!(problem(memory, 1), Some(MemoryProblem::Freed));
}

#[test]
fn ranges_that_overlap_and_words_that_do_not_fit_are_refused() {
    let (device, backend, memory, stream) = opened();
    let overlap = |offset: usize, bytes| {
        let there = memory.byte_add(offset);
        [(memory, there), (there, memory)].map(|(dst, src)| {
            let rows = Copy2d { dst, dst_pitch: bytes, src, src_pitch: bytes, width: bytes, height: 1 };
            [
                backend.copy_within_device(dst, src, bytes),
                backend.copy_within_device_async(stream, dst, src, bytes),
                backend.copy_2d_async(stream, &rows),
            ]
            .map(|outcome| match outcome {
                Ok(()) => false,
                Err(Error::Memory { problem: MemoryProblem::Overlap { .. }, .. }) => true,
                Err(error) => panic!("{error}"),
            })
        })
    };
    assert_eq!(overlap(64, 64), [[false; 3]; 2]);
    assert_eq!(overlap(63, 64), [[true; 3]; 2]);
    assert_eq!(overlap(0, 1), [[true; 3]; 2]);

    let fill = |ptr, bytes| backend.memset_async(stream, ptr, Fill::Word(1), bytes);
    fill(memory.byte_add(4), 8).expect("whole words");
    let misaligned = MemoryProblem::Misaligned { align: 4 };
    match fill(memory.byte_add(2), 8) {
        Err(Error::Memory { problem, .. }) => assert_eq!(problem, misaligned),
        other => panic!("{other:?}"),
    }
    assert!(matches!(fill(memory, 6), Err(Error::InvalidArgument { .. })));
    assert!(matches!(backend.memset(memory, Fill::Word(1), 6), Err(Error::InvalidArgument { .. })));
    backend.memset(memory.byte_add(1), Fill::Byte(1), 3).expect("bytes fit anywhere");
    let words = device.calls().iter().filter(|call| **call == "cuMemsetD32Async").count();
    assert_eq!(words, 1);
}

#[test]
fn no_more_copies_are_staged_than_there_are_blocks_and_none_in_a_block_that_is_still_read() {
    let (device, backend, memory, stream) = opened();
    let copy = || backend.copy_to_device_async(stream, memory, &[1; 100]).expect("nothing refuses");
    device.answer("cuEventQuery", Some(code::NOT_READY));
    let ((), calls) = ((0..40).for_each(|_| copy()), device.calls());
    let count = |calls: &[&str], call| calls.iter().filter(|found| **found == call).count();
    assert_eq!(count(&calls, "cuMemHostAlloc"), 16);
    assert_eq!(count(&calls, "cuStreamSynchronize"), 24, "the others wait");
    device.answer("cuEventQuery", None);
    copy();
    assert_eq!(count(&device.calls(), "cuMemHostAlloc"), 0, "a block is free again");
}

#[test]
fn pinned_memory_is_zeroed_and_given_up_where_it_cannot_be_mapped() {
    let (device, backend, ..) = opened();
    let pinned = backend.allocate_pinned(300).expect("pinned memory");
    // SAFETY: it has 300 bytes, and nothing else uses them.
    assert!(unsafe { std::slice::from_raw_parts(pinned.as_ptr(), 300) }.iter().all(|byte| *byte == 0));
    device.refuse("cuMemHostGetDevicePointer", true);
    assert!(matches!(backend.allocate_pinned(300), Err(Error::Driver { code: REFUSED, .. })));
    assert_eq!(device.allocations(), (1, 1), "what could not be mapped is freed");

    // What the device found wrong is told by the call that waits for it, and the memory freed.
    device.refuse("cuCtxSynchronize", true);
    // SAFETY: nothing uses it.
    let freed = unsafe { backend.free_pinned(pinned) };
    assert!(matches!(freed, Err(Error::Driver { call: "cuCtxSynchronize", .. })), "{freed:?}");
    assert_eq!(device.allocations(), (1, 0));
    device.refuse("cuCtxSynchronize", false);
}

#[test]
fn a_size_that_the_driver_has_no_memory_for_is_out_of_memory_and_nothing_else_is() {
    let (device, backend, ..) = opened();
    let check = |call, answer: Code, is_out: bool, allocate: &dyn Fn() -> Result<()>| {
        device.answer(call, Some(answer));
        match allocate() {
            Err(Error::OutOfMemory { requested: 100, .. }) => assert!(is_out, "{call}: {answer}"),
            Err(Error::Driver { call: named, code, .. }) => {
                assert!(!is_out && named == call && code == answer, "{call}: {answer}");
            }
            other => panic!("{call}, {answer}: {other:?}"),
        }
        device.answer(call, None);
    };
    for (answer, is_out) in [(code::OUT_OF_MEMORY, true), (code::INVALID_VALUE, true), (700, false)] {
        check("cuMemAlloc", answer, is_out, &|| backend.allocate(100).map(drop));
        check("cuMemAllocManaged", answer, is_out, &|| backend.allocate_managed(100).map(drop));
        check("cuMemHostAlloc", answer, is_out, &|| backend.allocate_pinned(100).map(drop));
    }
    device.calls();
    for bytes in [usize::MAX, isize::MAX.unsigned_abs() + 1] {
        let refused = [backend.allocate(bytes).map(drop), backend.allocate_pinned(bytes).map(drop)];
        assert!(
            refused.iter().all(|outcome| matches!(outcome, Err(Error::OutOfMemory { .. }))),
            "{refused:?}"
        );
    }
    assert!(device.calls().iter().all(|call| !call.contains("Alloc")), "the driver would round it up");
}

#[test]
fn a_captured_graph_is_destroyed_however_its_capture_ends() {
    let (device, backend, _, stream) = opened();
    let begin = || backend.begin_capture(stream).expect("a capture");
    begin();
    backend.end_capture(stream).expect("it is instantiated");
    assert_eq!(device.graphs(), 0);
    begin();
    device.refuse("cuGraphInstantiateWithFlags", true);
    assert!(matches!(backend.end_capture(stream), Err(Error::Driver { code: REFUSED, .. })));
    assert_eq!(device.graphs(), 0, "its instance was refused");
    device.refuse("cuGraphInstantiateWithFlags", false);
    begin();
    backend.abandon_capture(stream).expect("it is given up");
    assert_eq!(device.graphs(), 0, "it was abandoned");
    begin();
    // SAFETY: it is not used any more.
    unsafe { backend.destroy_stream(stream) }.expect("it is live");
    assert_eq!(device.graphs(), 0, "its stream was destroyed");
    backend.synchronize_stream(DEFAULT).expect("nothing captures");
}
