//! What is enqueued on a stream, and how each is done.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use smallvec::SmallVec;

use super::argument::OwnedArgument;
use super::call::{HostCall, HostFunction};
use super::memory::{Memory, Region};
use super::stream::Mark;
use crate::argument::DevicePtr;
use crate::backend::{Copy2d, Fill};
use crate::error::{Error, MemoryProblem, Result};
use crate::launch::{Kernel, LaunchConfig, describe_declared};

/// One thing to be done in the order of a stream. Addresses are kept as they were given, and looked up
/// when it is done.
#[derive(Debug)]
pub(super) enum Work {
    /// A copy from bytes that were read when it was enqueued.
    CopyIn {
        dst: DevicePtr,
        bytes: Box<[u8]>,
    },
    /// A copy from memory that the caller retains.
    CopyInRetained {
        dst: DevicePtr,
        src: Retained,
        bytes: usize,
    },
    /// A copy to memory that the caller retains.
    CopyOut {
        dst: Retained,
        src: DevicePtr,
        bytes: usize,
    },
    CopyWithin {
        dst: DevicePtr,
        src: DevicePtr,
        bytes: usize,
    },
    CopyRectangle(Copy2d),
    Memset {
        dst: DevicePtr,
        fill: Fill,
        bytes: usize,
    },
    Launch(PendingLaunch),
    /// The mark of an event.
    Record {
        event: u64,
        mark: Mark,
    },
    /// Nothing, but only after the mark.
    Wait(Mark),
    Graph(Arc<[Work]>),
}

/// Host memory that a caller has promised to keep until the work is done.
#[derive(Clone, Copy, Debug)]
pub(super) struct Retained(pub(super) *mut u8);

// SAFETY: an address; whoever uses it from whichever thread does so under the caller's promise.
unsafe impl Send for Retained {}
// SAFETY: as above.
unsafe impl Sync for Retained {}

/// A launch that is to run.
#[derive(Debug)]
pub(super) struct PendingLaunch {
    pub(super) kernel: &'static Kernel,
    pub(super) function: HostFunction,
    pub(super) config: LaunchConfig,
    pub(super) arguments: Vec<OwnedArgument>,
}

impl Work {
    /// Whether it could be done as the memory is now. What is enqueued is checked with this at once, so that
    /// the call that is wrong gets the error.
    pub(super) fn check(&self, operation: &'static str, memory: &Memory) -> Result<()> {
        match self {
            Self::CopyIn { dst, bytes } => check_range(operation, memory, *dst, bytes.len()),
            Self::CopyInRetained { dst, bytes, .. } => check_range(operation, memory, *dst, *bytes),
            Self::CopyOut { src, bytes, .. } => check_range(operation, memory, *src, *bytes),
            Self::CopyWithin { dst, src, bytes } => within(operation, memory, *dst, *src, *bytes).map(drop),
            Self::CopyRectangle(copy) => rectangles(operation, memory, copy).map(drop),
            Self::Memset { dst, fill, bytes } => {
                memset_range(operation, memory, *dst, *fill, *bytes).map(drop)
            }
            Self::Launch(launch) => launch.call(memory).map(drop),
            Self::Record { .. } | Self::Wait(_) | Self::Graph(_) => Ok(()),
        }
    }

    /// Does it. Of a graph, all that can be done is done, and the first error returned.
    pub(super) fn execute(&self, memory: &Memory) -> Result<()> {
        match self {
            Self::CopyIn { dst, bytes } => {
                let region = memory.device_range("copy_to_device_async", *dst, bytes.len())?;
                // SAFETY: the region has as many bytes, and the source is this work's own.
                unsafe { region.host.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
            }
            Self::CopyInRetained { dst, src, bytes } => {
                let region = memory.device_range("copy_to_device_retained", *dst, *bytes)?;
                // SAFETY: the region has as many bytes, and the caller retains the source, which may be
                // managed memory and so may overlap.
                unsafe { region.host.copy_from(src.0, *bytes) };
            }
            Self::CopyOut { dst, src, bytes } => {
                let region = memory.device_range("copy_to_host_async", *src, *bytes)?;
                // SAFETY: as above, the other way round.
                unsafe { dst.0.copy_from(region.host, *bytes) };
            }
            Self::CopyWithin { dst, src, bytes } => {
                let (dst, src) = within("copy_within_device_async", memory, *dst, *src, *bytes)?;
                // SAFETY: both regions have as many bytes and were found apart.
                unsafe { dst.host.copy_from_nonoverlapping(src.host, *bytes) };
            }
            Self::CopyRectangle(copy) => {
                let (dst, src) = rectangles("copy_2d_async", memory, copy)?;
                for row in 0..copy.height {
                    // SAFETY: the regions reach to the end of the last row, and no row read is written.
                    unsafe {
                        let to = dst.host.add(row * copy.dst_pitch);
                        to.copy_from_nonoverlapping(src.host.add(row * copy.src_pitch), copy.width);
                    }
                }
            }
            Self::Memset { dst, fill, bytes } => {
                let region = memset_range("memset_async", memory, *dst, *fill, *bytes)?;
                // SAFETY: the region has as many bytes, and their number is a multiple of a word's.
                unsafe {
                    match *fill {
                        Fill::Byte(byte) => region.host.write_bytes(byte, *bytes),
                        Fill::Word(word) => {
                            for index in 0..*bytes / 4 {
                                region.host.cast::<[u8; 4]>().add(index).write(word.to_ne_bytes());
                            }
                        }
                    }
                }
            }
            Self::Launch(launch) => launch.run(memory)?,
            Self::Graph(nodes) => {
                let mut result = Ok(());
                for node in nodes.iter() {
                    result = result.and(node.execute(memory));
                }
                return result;
            }
            // What an event needs is the stream's to do.
            Self::Record { .. } | Self::Wait(_) => {}
        }
        Ok(())
    }

    /// The priority it asks for beside its stream's.
    pub(super) fn priority(&self) -> Option<i32> {
        match self {
            Self::Launch(launch) => launch.config.priority,
            _ => None,
        }
    }
}

fn check_range(operation: &str, memory: &Memory, ptr: DevicePtr, bytes: usize) -> Result<()> {
    memory.device_range(operation, ptr, bytes).map(drop)
}

fn within(
    operation: &str,
    memory: &Memory,
    dst: DevicePtr,
    src: DevicePtr,
    bytes: usize,
) -> Result<(Region, Region)> {
    let (to, from) =
        (memory.device_range(operation, dst, bytes)?, memory.device_range(operation, src, bytes)?);
    if to.overlaps(&from) {
        return Err(overlapping(operation, dst, src, bytes));
    }
    Ok((to, from))
}

fn overlapping(operation: &str, ptr: DevicePtr, other: DevicePtr, bytes: usize) -> Error {
    Error::Memory { operation: operation.into(), ptr, bytes, problem: MemoryProblem::Overlap { other } }
}

fn rectangles(operation: &'static str, memory: &Memory, copy: &Copy2d) -> Result<(Region, Region)> {
    for (what, pitch) in
        [("the pitch that is written", copy.dst_pitch), ("the pitch that is read", copy.src_pitch)]
    {
        if pitch < copy.width {
            return Err(Error::InvalidArgument {
                operation,
                what: what.into(),
                found: format!("{pitch} bytes").into(),
                expected: format!("at least the {} bytes of a row", copy.width).into(),
            });
        }
    }
    let extent = |pitch: usize| {
        let last = pitch.checked_mul(copy.height.saturating_sub(1));
        last.and_then(|last| last.checked_add(copy.width)).unwrap_or(usize::MAX)
    };
    let dst = memory.device_range(operation, copy.dst, extent(copy.dst_pitch))?;
    let src = memory.device_range(operation, copy.src, extent(copy.src_pitch))?;
    if copy.rows_overlap() {
        return Err(overlapping(operation, copy.dst, copy.src, dst.bytes));
    }
    Ok((dst, src))
}

fn memset_range(
    operation: &'static str,
    memory: &Memory,
    dst: DevicePtr,
    fill: Fill,
    bytes: usize,
) -> Result<Region> {
    if let Fill::Word(_) = fill {
        if !dst.address().is_multiple_of(4) {
            let problem = MemoryProblem::Misaligned { align: 4 };
            return Err(Error::Memory { operation: operation.into(), ptr: dst, bytes, problem });
        }
        if !bytes.is_multiple_of(4) {
            return Err(Error::InvalidArgument {
                operation,
                what: "the number of bytes".into(),
                found: bytes.to_string().into(),
                expected: "a multiple of 4, the size of the word".into(),
            });
        }
    }
    memory.device_range(operation, dst, bytes)
}

impl PendingLaunch {
    fn call<'a>(&'a self, memory: &'a Memory) -> Result<HostCall<'a>> {
        HostCall::new(self.kernel, self.config, &self.arguments, memory)
    }

    fn run(&self, memory: &Memory) -> Result<()> {
        let call = self.call(memory)?;
        // A panic leaves nothing of the backend half done: its own structures are not in the function's
        // reach, and the bytes it wrote are bytes.
        match catch_unwind(AssertUnwindSafe(|| (self.function)(&call))) {
            Ok(Ok(())) => Ok(()),
            Ok(Err(error)) if error.is_refusal() => Err(self.failed(error)),
            Ok(Err(error)) => Err(error.of_kernel(self.kernel.name())),
            Err(panic) => {
                let message = message_of(panic.as_ref()).into();
                // The payload is anything, and its own drop may panic as well.
                if let Err(again) = catch_unwind(AssertUnwindSafe(|| drop(panic))) {
                    // That of the second could go on like this, so it has none.
                    std::mem::forget(again);
                    return Err(Error::HostFunctionPanicked {
                        kernel: self.kernel.name().into(),
                        message: "it panicked with a value that panicked again when it was dropped".into(),
                    });
                }
                Err(Error::HostFunctionPanicked { kernel: self.kernel.name().into(), message })
            }
        }
    }

    /// The error of the function with what it does not say: the kernel and the arguments.
    fn failed(&self, source: Error) -> Error {
        let args: SmallVec<[_; 16]> = self.arguments.iter().map(OwnedArgument::as_arg).collect();
        Error::LaunchRefused {
            kernel: self.kernel.name().into(),
            config: Box::new(self.config),
            arguments: describe_declared(self.kernel.parameters(), &args),
            limits: "".into(),
            source: Box::new(source),
        }
    }
}

fn message_of(panic: &(dyn Any + Send)) -> &str {
    if let Some(message) = panic.downcast_ref::<&str>() {
        message
    } else if let Some(message) = panic.downcast_ref::<String>() {
        message
    } else {
        "a value that is no text"
    }
}
