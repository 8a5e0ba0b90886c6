//! Scratch memory of a backend: when it grows, and when that fails.

use std::sync::Arc;

use warpcall::backend::mock::{Call, CallKind};
use warpcall::{DevicePtr, Error, Gpu, GpuBackend, MockBackend, Result};

fn scratch(mock: &Arc<MockBackend>, bytes: usize) -> Result<DevicePtr> {
    let backend: &dyn GpuBackend = &**mock;
    backend.operation_cache().scratch(backend, "scratch", bytes)
}

#[test]
fn scratch_memory_grows_once_the_device_is_idle_and_not_before() -> Result<()> {
    let mock = MockBackend::new()?;
    let small = scratch(&mock, 100)?;
    assert_eq!(scratch(&mock, 100)?, small);
    assert_eq!(scratch(&mock, 1)?, small);
    assert_eq!(mock.count(CallKind::Synchronize), 0, "what is large enough is kept");

    mock.clear_calls();
    scratch(&mock, 101)?;
    let calls = mock.take_calls();
    let kinds: Vec<CallKind> = calls.iter().map(Call::kind).collect();
    assert_eq!(kinds, [CallKind::Synchronize, CallKind::Free, CallKind::Allocate]);
    assert!(matches!(calls[1], Call::Free { ptr, .. } if ptr == small), "{calls:?}");
    Ok(())
}

#[test]
fn scratch_memory_that_is_still_used_is_kept() -> Result<()> {
    let mock = MockBackend::new()?;
    let small = scratch(&mock, 100)?;
    mock.fail(CallKind::Synchronize, 1);
    assert!(matches!(scratch(&mock, 200), Err(Error::Injected { call: "synchronize", .. })));
    assert_eq!(mock.count(CallKind::Free), 0);
    assert_eq!(scratch(&mock, 100)?, small);
    Ok(())
}

#[test]
fn scratch_memory_that_was_freed_or_could_not_be_is_not_handed_out_again() -> Result<()> {
    for failing in [CallKind::Allocate, CallKind::Free] {
        let mock = MockBackend::new()?;
        let gpu = Gpu::from_backend(mock.clone());
        let small = scratch(&mock, 100)?;
        mock.fail(failing, 1);
        assert!(scratch(&mock, 200).is_err());
        let fresh = scratch(&mock, 100)?;
        assert_ne!(fresh, small, "after {failing:?} failed");
        gpu.copy_to_device(fresh, &[1; 100])?;
    }
    Ok(())
}
