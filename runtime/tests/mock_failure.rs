//! Failures that a test asks for.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Barrier, Mutex};

use warpcall::backend::mock::{Call, CallKind};
use warpcall::backend::{CopyMemory, Fill};
use warpcall::{DevicePtr, Error, Gpu, Kernel, MockBackend, Module, Result, StreamHandle};

static SCALE: Kernel = Kernel::new(Module::new("scale"), "scale", &[]);

#[test]
fn the_nth_call_from_now_on_fails_and_no_other() -> Result<()> {
    let mock = MockBackend::new()?;
    let gpu = Gpu::from_backend(mock.clone());
    gpu.zeros::<u8>(1)?;
    mock.fail(CallKind::Allocate, 3);
    let outcomes: Vec<bool> = (0..5).map(|_| gpu.zeros::<u8>(1).is_ok()).collect();
    assert_eq!(outcomes, [true, true, false, true, true]);
    assert_eq!(mock.count(CallKind::Allocate), 6, "the call that failed is in the record");
    Ok(())
}

#[test]
fn several_failures_wait_at_once() -> Result<()> {
    let mock = MockBackend::new()?;
    let gpu = Gpu::from_backend(mock.clone());
    mock.fail(CallKind::Synchronize, 1);
    mock.fail(CallKind::Synchronize, 3);
    mock.fail(CallKind::CreateEvent, 1);
    let numbers: Vec<Option<u64>> = (0..4)
        .map(|_| match gpu.synchronize() {
            Err(Error::Injected { call: "synchronize", number, kernel: None }) => Some(number),
            other => other.map(|()| None).expect("only injected failures"),
        })
        .collect();
    assert_eq!(numbers, [Some(1), None, Some(3), None]);
    assert!(gpu.create_event().is_err());
    Ok(())
}

#[test]
fn a_failing_call_does_not_reach_the_memory() -> Result<()> {
    let mock = MockBackend::new()?;
    let gpu = Gpu::from_backend(mock.clone());
    let stream = gpu.default_stream();
    let mut buffer = gpu.upload(&[1_u8])?;
    mock.fail(CallKind::CopyToDeviceAsync, 1);
    assert!(buffer.copy_from_host(&stream, &[2]).is_err());
    assert_eq!(buffer.to_vec(&stream)?, [1]);
    Ok(())
}

#[test]
fn cleared_failures_do_not_come() -> Result<()> {
    let mock = MockBackend::new()?;
    let gpu = Gpu::from_backend(mock.clone());
    mock.fail(CallKind::Synchronize, 0);
    mock.fail(CallKind::Synchronize, 1);
    mock.clear_failures();
    gpu.synchronize()
}

#[test]
fn a_look_up_that_fails_is_in_the_audit_with_its_place() -> Result<()> {
    let mock = MockBackend::new()?;
    let gpu = Gpu::from_backend(mock.clone());
    mock.fail(CallKind::FindKernel, 1);
    let line = line!() + 1;
    assert!(gpu.find_kernel("norm", "rms_norm").is_err());
    let failed = gpu.lookup_audit().failed();
    assert_eq!((failed[0].module.as_str(), failed[0].kernel.as_deref()), ("norm", Some("rms_norm")));
    assert_eq!((failed[0].location.file(), failed[0].location.line()), (file!(), line));

    mock.fail(CallKind::HasModule, 1);
    assert_eq!([gpu.has_module("norm"), gpu.has_module("norm")], [false, true]);
    Ok(())
}

#[test]
fn a_kernel_that_failed_to_resolve_is_resolved_again() -> Result<()> {
    let mock = MockBackend::new()?;
    let gpu = Gpu::from_backend(mock.clone());
    mock.fail(CallKind::ResolveKernel, 1);
    let line = line!() + 1;
    assert!(SCALE.resolve(&*gpu).is_err());
    let location = gpu.lookup_audit().failed()[0].location;
    assert_eq!((location.file(), location.line()), (file!(), line));
    let handle = SCALE.resolve(&*gpu)?;
    assert_eq!(SCALE.resolve(&*gpu)?, handle);
    assert_eq!(mock.count(CallKind::ResolveKernel), 2, "a failure is not kept, a handle is");
    Ok(())
}

#[test]
fn a_capture_whose_end_fails_leaves_the_stream_usable() -> Result<()> {
    let mock = MockBackend::new()?;
    let gpu = Gpu::from_backend(mock.clone());
    let stream = gpu.create_stream()?;
    mock.fail(CallKind::EndCapture, 1);
    assert!(stream.capture(|_| Ok(())).is_err());
    assert!(!stream.is_capturing()?);
    stream.capture(|_| Ok(())).map(drop)
}

#[test]
fn one_failure_strikes_one_thread() -> Result<()> {
    let mock = MockBackend::new()?;
    let gpu = Gpu::from_backend(mock.clone());
    mock.fail(CallKind::MemoryInfo, 100);
    let failed = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let failures = (0..50).filter(|_| gpu.memory_info().is_err()).count();
                failed.fetch_add(failures, Ordering::Relaxed);
            });
        }
    });
    assert_eq!(failed.into_inner(), 1);
    Ok(())
}

#[test]
fn the_calls_that_fail_have_those_numbers_in_the_record_too() -> Result<()> {
    const EACH: u32 = 2000;
    let mock = MockBackend::new()?;
    let numbers: Vec<usize> = (1..=8 * EACH as usize / 40).map(|step| step * 40).collect();
    for number in &numbers {
        mock.fail(CallKind::MemsetAsync, *number as u64);
    }
    // A fill of no bytes does nothing, and its word tells which call it is.
    let (failed, start) = (Mutex::new(Vec::new()), Barrier::new(8));
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let (mock, failed, start) = (&mock, &failed, &start);
            scope.spawn(move || {
                start.wait();
                for fill in (thread * EACH..(thread + 1) * EACH).map(Fill::Word) {
                    if mock.memset_async(StreamHandle::DEFAULT, DevicePtr::NULL, fill, 0).is_err() {
                        failed.lock().expect("no thread panicked").push(fill);
                    }
                }
            });
        }
    });
    let (calls, failed) = (mock.calls(), failed.into_inner().expect("no thread panicked"));
    assert_eq!(failed.len(), numbers.len());
    for number in numbers {
        let Call::MemsetAsync { fill, .. } = calls[number - 1] else { panic!("{:?}", calls[number - 1]) };
        assert!(failed.contains(&fill), "call {number} in the record is {fill:?}, which did not fail");
    }
    Ok(())
}
