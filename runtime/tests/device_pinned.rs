//! Pinned host memory: a slice to Rust, an address to a kernel.

use warpcall::backend::mock::CallKind;
use warpcall::backend::{Copy2d, Fill};
use warpcall::{
    DevicePtr, Error, Gpu, Kernel, KernelLaunch, MemoryProblem, MockBackend, Module, Parameter, Result,
    StreamHandle,
};

#[test]
fn pinned_memory_is_zero_and_a_slice() -> Result<()> {
    let gpu = Gpu::host()?;
    let mut pinned = gpu.pinned::<u64>(100)?;
    assert_eq!(*pinned, [0; 100]);
    assert_eq!((pinned.len(), pinned.bytes()), (100, 800));
    assert_eq!(pinned.as_ptr().addr() % 64, 0);
    pinned[99] = 7;
    assert_eq!(pinned.iter().sum::<u64>(), 7);
    Ok(())
}

#[test]
fn pinned_bytes_reach_the_device_and_come_back() -> Result<()> {
    let gpu = Gpu::builder().host_delayed().open()?;
    let stream = gpu.create_stream()?;
    let mut pinned = gpu.pinned::<u8>(3)?;
    pinned.copy_from_slice(&[1, 2, 3]);
    let mut buffer = gpu.zeros::<u8>(3)?;
    buffer.copy_from_host(&stream, &pinned)?;
    pinned.fill(9);
    assert_eq!(buffer.to_vec(&stream)?, [1, 2, 3], "the plain copy had read its source");

    // SAFETY: the buffer is left alone until the synchronisation.
    unsafe { buffer.copy_to_host_async(&stream, &mut pinned)? };
    stream.synchronize()?;
    assert_eq!(*pinned, [1, 2, 3]);
    assert!(!pinned.device_ptr()?.is_null());
    Ok(())
}

#[test]
fn pinned_memory_without_bytes_is_empty_and_null() -> Result<()> {
    let mock = MockBackend::new()?;
    let gpu = Gpu::from_backend(mock.clone());
    let mut empty = gpu.pinned::<f64>(0)?;
    assert_eq!((&*empty, empty.device_ptr()?), (&[][..], DevicePtr::NULL));
    empty.fill(1.0);
    let units = gpu.pinned::<()>(4)?;
    assert_eq!(units.len(), 4);
    drop((empty, units));
    assert_eq!(mock.calls(), []);
    Ok(())
}

#[test]
fn pinned_memory_is_freed_once() -> Result<()> {
    let mock = MockBackend::new()?;
    let gpu = Gpu::from_backend(mock.clone());
    drop(gpu.pinned::<u8>(1)?);
    gpu.pinned::<u8>(1)?.free()?;
    assert_eq!((mock.count(CallKind::AllocatePinned), mock.count(CallKind::FreePinned)), (2, 2));
    Ok(())
}

/// Each safe copy and memset with the device address of pinned memory, and the device's side of the unsafe ones.
fn copies_with(gpu: &Gpu, alias: DevicePtr, device: DevicePtr) -> Vec<(&'static str, Result<()>)> {
    let stream = StreamHandle::DEFAULT;
    let rectangle = |dst, src| Copy2d { dst, dst_pitch: 4, src, src_pitch: 4, width: 2, height: 2 };
    let mut bytes = [7; 8];
    vec![
        ("copy_to_device", gpu.copy_to_device(alias, &[1; 8])),
        ("copy_to_device_on", gpu.copy_to_device_on(stream, alias, &[1; 8])),
        ("copy_to_device_async", gpu.copy_to_device_async(stream, alias, &[1; 8])),
        // SAFETY: the source is a constant.
        ("copy_to_device_retained", unsafe {
            gpu.copy_to_device_retained(stream, alias, [1; 8].as_ptr(), 8)
        }),
        ("copy_to_host", gpu.copy_to_host(&mut bytes, alias)),
        ("copy_to_host_on", gpu.copy_to_host_on(stream, &mut bytes, alias)),
        // SAFETY: the destination is there until the end of the test, and the copy is refused.
        ("copy_to_host_async", unsafe { gpu.copy_to_host_async(stream, bytes.as_mut_ptr(), alias, 8) }),
        ("copy_within_device, to it", gpu.copy_within_device(alias, device, 8)),
        ("copy_within_device, from it", gpu.copy_within_device(device, alias, 8)),
        ("copy_within_device_async, to it", gpu.copy_within_device_async(stream, alias, device, 8)),
        ("copy_within_device_async, from it", gpu.copy_within_device_async(stream, device, alias, 8)),
        ("copy_2d_async, to it", gpu.copy_2d_async(stream, &rectangle(alias, device))),
        ("copy_2d_async, from it", gpu.copy_2d_async(stream, &rectangle(device, alias))),
        ("memset", gpu.memset(alias, Fill::Byte(1), 8)),
        ("memset_async", gpu.memset_async(stream, alias, Fill::Word(1), 8)),
    ]
}

#[test]
fn no_copy_reaches_pinned_memory_by_its_device_address() -> Result<()> {
    let mock = Gpu::from_backend(MockBackend::new()?);
    for gpu in [Gpu::host()?, Gpu::builder().host_delayed().open()?, mock] {
        let pinned = gpu.pinned::<u8>(64)?;
        let device = gpu.zeros::<u8>(64)?;
        let slice = &*pinned;
        let inside = pinned.device_ptr()?.byte_add(8);
        for (operation, outcome) in copies_with(&gpu, inside, device.device_ptr()) {
            match outcome {
                Err(Error::Memory { ptr, problem: MemoryProblem::Pinned, .. }) => assert_eq!(ptr, inside),
                other => panic!("{operation}: {other:?}"),
            }
        }
        gpu.synchronize()?;
        assert_eq!(slice, [0; 64], "nothing wrote behind the slice");
        assert_eq!(device.to_vec(&gpu.default_stream())?, [0; 64]);
    }
    Ok(())
}

#[test]
fn the_end_of_pinned_memory_is_refused_for_its_bounds() -> Result<()> {
    let gpu = Gpu::host()?;
    let pinned = gpu.pinned::<u8>(64)?;
    let outcome = gpu.memset(pinned.device_ptr()?.byte_add(60), Fill::Byte(1), 8);
    assert!(
        matches!(outcome, Err(Error::Memory { problem: MemoryProblem::OutOfBounds { length: 64, .. }, .. })),
        "{outcome:?}"
    );
    Ok(())
}

#[test]
fn the_refusal_says_what_to_do_instead() -> Result<()> {
    let gpu = Gpu::host()?;
    let pinned = gpu.pinned::<u8>(4)?;
    let message = gpu.copy_to_device(pinned.device_ptr()?, &[1; 4]).unwrap_err().to_string();
    assert!(message.contains("pinned host memory") && message.contains("through that slice"), "{message}");
    Ok(())
}

static INCREMENT: Kernel =
    Kernel::new(Module::new("pinned"), "increment", &[Parameter::device_mut::<u32>("values", "*mut u32")])
        .with_host(|call| {
            call.run(|call| {
                call.slice_mut::<u32, &mut [u32]>(0)?.iter_mut().for_each(|value| *value += 1);
                Ok(())
            })
        });

#[test]
fn a_kernel_reaches_pinned_memory_by_its_device_address() -> Result<()> {
    let gpu = Gpu::host()?;
    let pinned = gpu.pinned::<u32>(3)?;
    // SAFETY: nothing borrows the pinned memory while the launch runs.
    unsafe {
        KernelLaunch::new(&*gpu, INCREMENT.resolve(&*gpu)?)
            .arg_ptr(pinned.device_ptr()?)
            .launch(&gpu.default_stream())?;
    }
    assert_eq!(*pinned, [1; 3]);
    Ok(())
}
