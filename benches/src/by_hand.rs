//! What a careful engineer writes by hand: slots and pointers on the stack, one call through a pointer.

use std::ffi::c_void;

use warpcall::{KernelHandle, LaunchConfig, StreamHandle};

/// The backend's raw launch, behind a pointer.
pub type LaunchRaw<'a> =
    &'a dyn Fn(KernelHandle, &LaunchConfig, StreamHandle, &[*mut c_void]) -> warpcall::Result<()>;

/// Launches with one pointer a slot.
///
/// # Errors
///
/// What the backend says.
pub fn launch<const N: usize>(
    launch: LaunchRaw<'_>,
    kernel: KernelHandle,
    config: &LaunchConfig,
    stream: StreamHandle,
    slots: [u64; N],
) -> warpcall::Result<()> {
    let mut params = [std::ptr::null_mut::<c_void>(); N];
    for (param, slot) in params.iter_mut().zip(&slots) {
        *param = std::ptr::from_ref(slot).cast_mut().cast();
    }
    launch(kernel, config, stream, &params)
}
