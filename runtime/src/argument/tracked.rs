//! Memory whose owner orders the work that uses it.

use std::fmt;

use super::{DevicePtr, DeviceSpan};
use crate::device::StreamRef;
use crate::error::Result;

/// Device memory that a launch reads, and whose owner orders what uses it on several streams: what
/// [`DeviceRef::tracked`](crate::DeviceRef::tracked) leads to.
///
/// A generated launch function begins the use before the launch and ends it after. Where a launch is put together by
/// hand, the caller does:
///
/// ```
/// use warpcall::{AsStream, Kernel, KernelLaunch, Result, TrackedRead};
///
/// /// Launches a kernel that takes one pointer and reads behind it.
/// fn sum(kernel: &'static Kernel, values: &impl TrackedRead, stream: &impl AsStream) -> Result<()> {
///     let stream = stream.as_stream();
///     let values = values.begin_read(stream)?;
///     let mut launch = KernelLaunch::new(stream.backend(), kernel.resolve(stream.backend())?);
///     // SAFETY: the kernel takes one pointer, and reads what is behind it.
///     unsafe { launch.arg_ptr(&values).launch(&stream)? };
///     values.end()
/// }
/// ```
pub trait TrackedRead {
    /// The memory.
    fn span(&self) -> DeviceSpan;

    /// Makes what is enqueued on `stream` from now on wait for what wrote the memory before. When the use ends, what will
    /// write the memory waits for what `stream` has enqueued until then.
    ///
    /// # Errors
    ///
    /// Where work on `stream` cannot use the memory.
    fn begin_read<'a>(&'a self, stream: StreamRef<'a>) -> Result<MemoryUse<'a>>;
}

/// As [`TrackedRead`], of memory that a launch writes: it waits for what read the memory before as well, and what reads the
/// memory later waits for it.
pub trait TrackedWrite {
    /// The memory.
    fn span_mut(&mut self) -> DeviceSpan;

    /// Makes what is enqueued on `stream` from now on wait for what used the memory before. When the use ends, what will
    /// use the memory waits for what `stream` has enqueued until then.
    ///
    /// # Errors
    ///
    /// Where work on `stream` cannot use the memory.
    fn begin_write<'a>(&'a mut self, stream: StreamRef<'a>) -> Result<MemoryUse<'a>>;
}

/// Tracked memory while work that uses it is enqueued. Ends when it is dropped, or with [`end`](Self::end), which says
/// whether that succeeded.
#[must_use = "the use ends when this is dropped, and work that is enqueued later is not part of it"]
pub struct MemoryUse<'a> {
    span: DeviceSpan,
    end: Option<Box<dyn FnOnce() -> Result<()> + 'a>>,
}

impl<'a> MemoryUse<'a> {
    /// A use of memory that needs nothing at its end.
    pub fn new(span: DeviceSpan) -> Self {
        Self { span, end: None }
    }

    /// A use of memory at whose end its owner is told by `end`.
    pub fn with_end(span: DeviceSpan, end: impl FnOnce() -> Result<()> + 'a) -> Self {
        Self { span, end: Some(Box::new(end)) }
    }

    /// The memory.
    pub fn span(&self) -> DeviceSpan {
        self.span
    }

    /// Ends the use: all work that is part of it is enqueued.
    ///
    /// # Errors
    ///
    /// Where the owner of the memory cannot be told. The work is enqueued all the same.
    pub fn end(mut self) -> Result<()> {
        self.end.take().map_or(Ok(()), |end| end())
    }
}

impl Drop for MemoryUse<'_> {
    fn drop(&mut self) {
        if let Some(end) = self.end.take() {
            // Whoever wants to know calls `end`.
            let _ = end();
        }
    }
}

impl From<&MemoryUse<'_>> for DevicePtr {
    fn from(memory: &MemoryUse<'_>) -> Self {
        memory.span.ptr
    }
}

impl fmt::Debug for MemoryUse<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryUse").field("span", &self.span).finish_non_exhaustive()
    }
}
