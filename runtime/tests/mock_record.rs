//! What the recording backend records.

use warpcall::backend::mock::{Call, CallKind};
use warpcall::backend::{Copy2d, Fill};
use warpcall::{
    DevicePtr, Error, Float2, Gpu, KernelLaunch, LaunchConfig, MockBackend, Result, StreamHandle, TensorMap,
    kernel,
};

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

#[kernel(module = "blend")]
unsafe extern "C" {
    unsafe fn blend(
        output: *mut f32,
        #[nullable] mask: *const u8,
        weights: Float2,
        flag: bool,
        n: u32,
        map: TensorMap,
    );
}

#[test]
fn arguments_are_found_by_the_names_of_their_parameters() -> Result<()> {
    let mock = MockBackend::new()?;
    let gpu = Gpu::from_backend(mock.clone());
    let stream = gpu.default_stream();
    let mut output = gpu.zeros::<f32>(4)?;
    let (weights, map) = (Float2::new(0.25, 0.75), TensorMap::from_slots([3; 16]));
    // SAFETY: the kernel is not run.
    unsafe { launch_blend(&stream, LaunchConfig::new(1, 4), &mut output, None, weights, true, 4, &map)? };

    let launch = &mock.launches()[0];
    assert_eq!((launch.buffer("output")?, launch.buffer("mask")?), (output.device_ptr(), DevicePtr::NULL));
    assert_eq!(launch.value::<Float2>("weights")?, weights);
    assert_eq!((launch.value::<bool>("flag")?, launch.value::<u32>("n")?), (true, 4));
    assert_eq!(launch.arg("map")?, &launch.args[5]);

    let message = |outcome: Result<()>| outcome.expect_err("asked for what is not there").to_string();
    assert_eq!(
        message(launch.value::<u32>("m").map(drop)),
        "recorded launch: the parameter of kernel `blend` is `m`; expected one of `output`, `mask`, `weights`, \
         `flag`, `n`, `map`"
    );
    assert_eq!(
        message(launch.value::<i32>("n").map(drop)),
        "kernel `blend`, parameter `n`: expected an unsigned integer of 4 bytes (`u32`), found a test that asks for \
         a signed integer of 4 bytes"
    );
    assert!(matches!(launch.value::<u64>("output"), Err(Error::Argument { .. })));
    assert!(matches!(launch.buffer("n"), Err(Error::Argument { .. })));
    Ok(())
}

#[test]
fn without_a_declaration_there_are_no_names() -> Result<()> {
    let mock = MockBackend::new()?;
    let gpu = Gpu::from_backend(mock.clone());
    let mut launch = KernelLaunch::new(&*gpu, gpu.find_kernel("any", "kernel")?);
    // SAFETY: the kernel is not run.
    unsafe { launch.arg_u32(1).launch(&gpu.default_stream())? };
    let error = mock.launches()[0].value::<u32>("n").expect_err("no names").to_string();
    assert!(error.contains("`kernel`") && error.contains("a kernel whose declaration is known"), "{error}");
    Ok(())
}
