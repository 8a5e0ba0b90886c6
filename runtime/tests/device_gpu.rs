//! Opening a device, and what becomes of errors that a `Drop` meets.

use std::sync::Arc;

use warpcall::backend::DeviceInfo as _;
use warpcall::backend::host::HostBackend;
use warpcall::backend::mock::CallKind;
use warpcall::{Error, Gpu, MockBackend, Result};

#[test]
fn the_choice_of_backend_is_visible() -> Result<()> {
    let gpu = Gpu::host()?;
    assert_eq!(gpu.kind(), "host");
    assert_eq!(format!("{gpu:?}"), format!("Gpu({})", gpu.label()));
    assert_eq!(Gpu::from_backend(MockBackend::new()?).kind(), "mock");
    Ok(())
}

#[test]
fn opening_takes_a_cuda_device_or_the_host_and_says_which() -> Result<()> {
    let gpu = Gpu::open()?;
    #[cfg(feature = "cuda")]
    let has_cuda = Gpu::cuda(0).is_ok();
    #[cfg(not(feature = "cuda"))]
    let has_cuda = false;
    assert_eq!(gpu.kind(), if has_cuda { "cuda" } else { "host" });
    assert_eq!(gpu.upload(&[1_u8, 2])?.to_vec(&gpu.default_stream())?, [1, 2]);
    Ok(())
}

#[cfg(feature = "cuda")]
#[test]
fn a_cuda_device_that_is_not_there_is_never_replaced() {
    match Gpu::builder().cuda(4096).open() {
        Err(Error::NoDevice { device, .. }) => assert!(device.contains("4096"), "{device}"),
        other => panic!("expected no device, got {other:?}"),
    }
}

#[test]
fn a_backend_that_is_open_is_used_as_it_is() -> Result<()> {
    let host = Arc::new(HostBackend::new());
    let gpu = Gpu::builder().backend(host.clone()).open()?;
    let clone = gpu.clone();
    assert_eq!((gpu.id(), clone.id()), (Gpu::from_backend(host).id(), gpu.id()));
    assert!(Arc::ptr_eq(gpu.backend(), clone.backend()));
    assert_ne!(gpu.id(), Gpu::host()?.id());
    Ok(())
}

#[test]
fn a_gpu_leads_to_its_backend() -> Result<()> {
    let host = Arc::new(HostBackend::new());
    let gpu = Gpu::from_backend(host.clone());
    assert!(gpu.as_host().is_some_and(|found| std::ptr::eq(found, Arc::as_ptr(&host))));
    assert!(gpu.as_mock().is_none());
    #[cfg(feature = "cuda")]
    assert!(gpu.as_cuda().is_none());

    let gpu = Gpu::from_backend(MockBackend::new()?);
    assert!(gpu.as_mock().is_some_and(|mock| mock.id() == gpu.id()));
    assert!(gpu.as_host().is_none(), "the mock's handles are not those of the host that it runs on");
    Ok(())
}

#[test]
fn everything_keeps_its_backend_open() -> Result<()> {
    let gpu = Gpu::host()?;
    let stream = gpu.create_stream()?;
    let buffer = gpu.upload(&[1_u8])?;
    drop(gpu);
    assert_eq!(buffer.to_vec(&stream)?, [1]);
    Ok(())
}

#[test]
fn a_drop_that_fails_is_noted_and_told_on_request() -> Result<()> {
    let mock = MockBackend::new()?;
    let gpu = Gpu::from_backend(mock.clone());
    let stream = gpu.create_stream()?;
    let buffer = gpu.zeros::<u8>(1)?;
    let address = buffer.device_ptr().address();
    let graph = stream.capture(|_| Ok(()))?;
    let (pinned, event) = (gpu.pinned::<u8>(1)?, gpu.create_event()?);
    let failing = [
        CallKind::Free,
        CallKind::FreePinned,
        CallKind::DestroyEvent,
        CallKind::DestroyGraph,
        CallKind::DestroyStream,
    ];
    for kind in failing {
        mock.fail(kind, 1);
    }
    drop(buffer);
    drop(pinned);
    drop(event);
    drop(graph);
    drop(stream);

    assert_eq!(gpu.clone().failed_drop_count(), 5);
    let failed = gpu.take_failed_drops();
    let whats: Vec<_> = failed.iter().map(|failed| failed.what).collect();
    assert_eq!(whats, ["buffer", "pinned buffer", "event", "graph", "stream"]);
    assert_eq!(failed[0].handle, address);
    assert!(matches!(failed[0].error, Error::Injected { call: "free", number: 1, .. }));
    assert_eq!(
        failed[0].to_string(),
        format!("dropping the buffer {address:#x}: free number 1 failed, as it was told to")
    );
    assert!(gpu.take_failed_drops().is_empty());
    assert_eq!(gpu.failed_drop_count(), 5, "the count goes on");
    Ok(())
}

#[test]
fn freeing_by_hand_returns_the_error_and_is_not_tried_again() -> Result<()> {
    let mock = MockBackend::new()?;
    let gpu = Gpu::from_backend(mock.clone());
    let (buffer, stream, event) = (gpu.zeros::<u8>(1)?, gpu.create_stream()?, gpu.create_event()?);
    for kind in [CallKind::Free, CallKind::DestroyStream, CallKind::DestroyEvent] {
        mock.fail(kind, 1);
    }
    assert!(matches!(buffer.free(), Err(Error::Injected { call: "free", .. })));
    assert!(matches!(stream.destroy(), Err(Error::Injected { call: "destroy_stream", .. })));
    assert!(matches!(event.destroy(), Err(Error::Injected { call: "destroy_event", .. })));
    assert_eq!(mock.count(CallKind::Free), 1);
    assert_eq!(gpu.failed_drop_count(), 0);
    Ok(())
}

#[test]
fn of_many_failed_drops_all_are_counted_and_the_first_are_kept() -> Result<()> {
    let mock = MockBackend::new()?;
    let gpu = Gpu::from_backend(mock.clone());
    for _ in 0..70 {
        let event = gpu.create_event()?;
        mock.fail(CallKind::DestroyEvent, 1);
        drop(event);
    }
    assert_eq!((gpu.failed_drop_count(), gpu.take_failed_drops().len()), (70, 64));
    Ok(())
}
