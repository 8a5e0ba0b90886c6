/// The element of a kernel's `void*`: [`DeviceRef<Void>`](crate::DeviceRef) and
/// [`DeviceMut<Void>`](crate::DeviceMut) are device memory of any element type.
///
/// A type of this crate, since the compiler cannot rule out that [`c_void`](std::ffi::c_void) itself
/// becomes an element type one day, and then a `Buffer<c_void>` would be both.
///
/// ```
/// use warpcall::{DeviceRef, Gpu, Void};
///
/// fn bytes_behind(memory: &impl DeviceRef<Void>) -> Option<usize> {
///     memory.span().bytes
/// }
/// let gpu = Gpu::host()?;
/// assert_eq!(bytes_behind(&gpu.upload(&[1.0_f32, 2.0])?), Some(8));
/// # Ok::<(), warpcall::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub enum Void {}
