//! What the recording backend records.

use warpcall::backend::mock::{Call, CallKind};
use warpcall::backend::{Copy2d, Fill};
use warpcall::{DevicePtr, Gpu, MockBackend, Result, StreamHandle};

#[test]
fn calls_are_recorded_in_order_with_their_arguments() -> Result<()> {
    let mock = MockBackend::new()?;
    let gpu = Gpu::from_backend(mock.clone());
    let stream = gpu.create_stream_with_priority(3)?;
    let on = stream.handle();
    let mut buffer = gpu.upload(&[1_u16, 2, 3])?;
    let at = buffer.device_ptr();
    mock.clear_calls();

    buffer.copy_from_host(&stream, &[4, 5, 6])?;
    buffer.slice_mut(1..)?.fill(&stream, Fill::Byte(7))?;
    stream.synchronize()?;
    buffer.to_vec(&stream)?;
    drop(stream);
    assert_eq!(
        mock.take_calls(),
        [
            Call::CopyToDeviceAsync { stream: on, dst: at, bytes: 6 },
            Call::MemsetAsync { stream: on, dst: at.byte_add(2), fill: Fill::Byte(7), bytes: 4 },
            Call::SynchronizeStream { stream: on },
            Call::CopyToHostOn { stream: on, src: at, bytes: 6 },
            Call::DestroyStream { stream: on },
        ]
    );
    assert_eq!(mock.calls(), [], "the record was taken");
    Ok(())
}

#[test]
fn what_is_recorded_really_happens() -> Result<()> {
    let mock = MockBackend::new()?;
    let gpu = Gpu::from_backend(mock.clone());
    let stream = gpu.default_stream();
    let matrix = gpu.upload(&[1_u8, 2, 3, 4, 5, 6, 7, 8])?;
    let mut column = gpu.zeros::<u8>(4)?;
    let copy = Copy2d {
        dst: column.device_ptr(),
        dst_pitch: 2,
        src: matrix.device_ptr(),
        src_pitch: 4,
        width: 2,
        height: 2,
    };
    gpu.copy_2d_async(stream.handle(), &copy)?;
    assert_eq!(column.to_vec(&stream)?, [1, 2, 5, 6]);
    column.copy_from_device(&stream, matrix.slice(4..)?)?;
    assert_eq!(column.to_vec(&stream)?, [5, 6, 7, 8]);
    assert!(mock.calls().contains(&Call::Copy2dAsync { stream: StreamHandle::DEFAULT, copy }));
    Ok(())
}

#[test]
fn calls_are_counted_by_kind() -> Result<()> {
    let mock = MockBackend::new()?;
    let gpu = Gpu::from_backend(mock.clone());
    for _ in 0..3 {
        gpu.synchronize()?;
    }
    gpu.memory_info()?;
    gpu.bind_to_thread()?;
    assert!(gpu.has_module("anything"));
    assert_eq!(mock.count(CallKind::Synchronize), 3);
    assert_eq!(mock.count(CallKind::MemoryInfo), 1);
    assert_eq!(mock.count(CallKind::BindToThread), 1);
    assert_eq!(mock.count(CallKind::HasModule), 1);
    assert_eq!(mock.count(CallKind::Allocate), 0);
    mock.clear_calls();
    assert_eq!(mock.count(CallKind::Synchronize), 0);
    Ok(())
}

#[test]
fn a_call_that_the_wrapped_backend_refuses_is_recorded_and_refused() -> Result<()> {
    let mock = MockBackend::new()?;
    let gpu = Gpu::from_backend(mock.clone());
    let nowhere = DevicePtr::new(0x10);
    assert!(gpu.copy_to_device(nowhere, &[1]).is_err());
    assert_eq!(mock.calls(), [Call::CopyToDevice { dst: nowhere, bytes: 1 }]);
    Ok(())
}

#[test]
fn no_call_is_lost_between_threads() -> Result<()> {
    let mock = MockBackend::new()?;
    let gpu = Gpu::from_backend(mock.clone());
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..50 {
                    gpu.zeros::<u8>(1).expect("there is memory");
                }
            });
        }
    });
    assert_eq!((mock.count(CallKind::Allocate), mock.count(CallKind::Free)), (200, 200));
    Ok(())
}
