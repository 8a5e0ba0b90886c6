use std::fmt;

use super::failed_drop::{Release, release_dropped};
use super::{AsStream, Gpu};
use crate::backend::GraphHandle;
use crate::error::Result;

/// Work that was recorded once and is launched as one, many times; owned.
///
/// Made by [`Stream::capture`](crate::Stream::capture). It names the memory that was captured by address and does
/// not keep it alive. Dropping destroys it, and launches that are enqueued still run; should
/// that fail, the [`Gpu`] notes it, and [`destroy`](Self::destroy) returns the error instead.
///
/// ```
/// use warpcall::Gpu;
/// use warpcall::backend::Fill;
///
/// let gpu = Gpu::host()?;
/// let stream = gpu.create_stream()?;
/// let mut flags = gpu.upload(&[1_u8, 1, 1])?;
/// let clear = stream.capture(|stream| flags.fill(stream, Fill::Byte(0)))?;
/// for _ in 0..3 {
///     // SAFETY: `flags` is still there.
///     unsafe { clear.launch(&stream)? };
///     assert_eq!(flags.to_vec(&stream)?, [0, 0, 0]);
///     flags.copy_from_host(&stream, &[1, 1, 1])?;
/// }
/// // An error while capturing leaves a stream that can be used.
/// assert!(stream.capture(|stream| flags.copy_from_host(stream, &[2; 4])).is_err());
/// assert!(!stream.is_capturing()?);
/// # Ok::<(), warpcall::Error>(())
/// ```
pub struct Graph {
    gpu: Gpu,
    handle: GraphHandle,
    live: bool,
}

impl Graph {
    pub(super) fn created(gpu: Gpu, handle: GraphHandle) -> Self {
        Self { gpu, handle, live: true }
    }

    /// The graph's handle on its backend.
    pub fn handle(&self) -> GraphHandle {
        self.handle
    }

    /// The device that it was recorded on.
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// Enqueues all that was recorded on `stream`. It executes after the earlier work on that stream, and after the earlier launches
    /// of the same graph on whichever stream.
    ///
    /// # Errors
    ///
    /// Where the stream is another backend's, or the backend refuses.
    ///
    /// # Safety
    ///
    /// All memory that was captured is still there until the launch is done, also that of the host, and what was promised of
    /// it for each captured launch and copy holds. The stream is a live one: a [`Stream`](crate::Stream) is, a
    /// [`StreamRef`](crate::StreamRef) where its handle is.
    #[track_caller]
    pub unsafe fn launch(&self, stream: &(impl AsStream + ?Sized)) -> Result<()> {
        let stream = self.gpu.own_stream("launch a graph", stream.as_stream())?;
        // SAFETY: the caller answers for the captured memory.
        unsafe { self.gpu.launch_graph(self.handle, stream) }
    }

    /// Destroys the graph and says whether that succeeded. Launches that are enqueued still run.
    ///
    /// # Errors
    ///
    /// Where the backend cannot destroy it. It is given up all the same.
    #[track_caller]
    pub fn destroy(mut self) -> Result<()> {
        self.release()
    }
}

impl Release for Graph {
    const WHAT: &'static str = "graph";

    fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    fn number(&self) -> u64 {
        self.handle.get()
    }

    fn release(&mut self) -> Result<()> {
        if !std::mem::replace(&mut self.live, false) {
            return Ok(());
        }
        // SAFETY: the graph was made for this value, which `destroy` and `drop`, the only callers, end.
        unsafe { self.gpu.destroy_graph(self.handle) }
    }
}

impl Drop for Graph {
    fn drop(&mut self) {
        release_dropped(self);
    }
}

impl fmt::Debug for Graph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Graph({}, {})", self.handle, self.gpu.label())
    }
}
