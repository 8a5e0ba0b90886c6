//! Pinned host memory: a slice to Rust, an address to a kernel.

use warpcall::backend::mock::CallKind;
use warpcall::{DevicePtr, Gpu, MockBackend, Result};

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
