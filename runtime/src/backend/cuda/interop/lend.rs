//! Memory of this crate, lent to cudarc.

use std::fmt;
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::ops::Deref;
use std::sync::Arc;

use bytemuck::Pod;
use cudarc::driver::{CudaSlice, CudaStream, CudaView, CudaViewMut, DevicePtrMut as _};

use super::{driver_error, name_of, without_parking};
use crate::device::Buffer;
use crate::error::{Error, Result};

/// The elements of a [`Buffer`], lent to cudarc for reading ([`Buffer::lend_to_cudarc`]).
///
/// While it lives, cudarc orders the uses that it makes of them; when it is dropped, the stream that it was lent on waits for
/// all of these.
pub struct LentBuffer<'a, T> {
    slice: ManuallyDrop<CudaSlice<T>>,
    elements: PhantomData<&'a [T]>,
}

/// The elements of a [`Buffer`], lent to cudarc exclusively ([`Buffer::lend_mut_to_cudarc`]): as [`LentBuffer`], and to be written.
pub struct LentBufferMut<'a, T> {
    lent: LentBuffer<'a, T>,
    elements: PhantomData<&'a mut [T]>,
}

impl<T> LentBuffer<'_, T> {
    /// All elements, for reading. A view that can be sliced, and an argument of cudarc's calls.
    pub fn as_view(&self) -> CudaView<'_, T> {
        self.slice.as_view()
    }
}

impl<T> LentBufferMut<'_, T> {
    /// All elements, exclusively.
    pub fn as_view_mut(&mut self) -> CudaViewMut<'_, T> {
        self.lent.slice.as_view_mut()
    }
}

impl<'a, T> Deref for LentBufferMut<'a, T> {
    type Target = LentBuffer<'a, T>;

    fn deref(&self) -> &Self::Target {
        &self.lent
    }
}

impl<T> Drop for LentBuffer<'_, T> {
    fn drop(&mut self) {
        // SAFETY: the slice is taken out once, here, and `self` ends.
        let slice = unsafe { ManuallyDrop::take(&mut self.slice) };
        // Frees nothing, and makes the stream wait for the uses. What that meets is told by cudarc's next call.
        slice.leak();
    }
}

impl<T> fmt::Debug for LentBuffer<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LentBuffer<{}>({})", std::any::type_name::<T>(), self.slice.len())
    }
}

impl<T> fmt::Debug for LentBufferMut<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LentBufferMut<{}>({})", std::any::type_name::<T>(), self.slice.len())
    }
}

impl<T: Pod> Buffer<T> {
    /// Lends the elements to cudarc for reading. Its uses come after what is enqueued on `stream` by now.
    ///
    /// ```no_run
    /// # fn main() -> anyhow::Result<()> {
    /// let gpu = warpcall::Gpu::cuda(0)?;
    /// let weights = gpu.upload(&[1.0_f32; 1000])?;
    /// let context = gpu.as_cuda().expect("it is a CUDA device").to_cudarc()?;
    /// let stream = context.new_stream()?;
    /// let lent = weights.lend_to_cudarc(&stream)?;
    /// let copy = stream.clone_dtoh(&lent.as_view().slice(..10))?; // or an argument of cudarc's cuBLAS
    /// # let _ = copy;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// Where `stream` is one of another context than the buffer's, and what cudarc says.
    pub fn lend_to_cudarc(&self, stream: &Arc<CudaStream>) -> Result<LentBuffer<'_, T>> {
        self.lend(stream)
    }

    /// Lends the elements to cudarc exclusively. Its uses come after what is enqueued on `stream` by now.
    ///
    /// # Errors
    ///
    /// As for [`lend_to_cudarc`](Self::lend_to_cudarc).
    pub fn lend_mut_to_cudarc(&mut self, stream: &Arc<CudaStream>) -> Result<LentBufferMut<'_, T>> {
        Ok(LentBufferMut { lent: self.lend(stream)?, elements: PhantomData })
    }

    fn lend(&self, stream: &Arc<CudaStream>) -> Result<LentBuffer<'_, T>> {
        let context = stream.context();
        let Some(cuda) = self.gpu().as_cuda().filter(|cuda| cuda.context.is(context.cu_ctx())) else {
            return Err(Error::ForeignStream {
                operation: "lend a buffer to cudarc",
                stream: name_of(context),
                backend: self.gpu().label(),
            });
        };
        let driver = cuda.context.driver;
        // cudarc panics where it cannot make the events of the slice.
        context.new_event(None).map_err(|error| driver_error(driver, "cuEventCreate (by cudarc)", error))?;
        // SAFETY: the memory is the buffer's, which holds so many elements and is borrowed for as long as the slice is there. The
        // slice is not dropped but leaked, and handed out as a view only, so that it frees nothing.
        let slice = unsafe { stream.upgrade_device_ptr::<T>(self.device_ptr().address(), self.len()) };
        let mut lent = LentBuffer { slice: ManuallyDrop::new(slice), elements: PhantomData };
        // As if the elements were written now.
        without_parking(driver, context, "cuEventRecord (by cudarc)", || {
            drop(lent.slice.device_ptr_mut(stream));
        })?;
        Ok(lent)
    }
}
