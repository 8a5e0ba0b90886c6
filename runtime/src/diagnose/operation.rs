//! What a layer sees: one call of a backend, and what came of it.

use std::borrow::Cow;
use std::cell::Cell;
use std::ffi::c_void;
use std::panic::Location;
use std::ptr::NonNull;

use crate::argument::DevicePtr;
use crate::backend::{
    Copy2d, EventHandle, Fill, GpuBackend, GraphHandle, KernelHandle, Launch, StreamHandle, TiledTensor,
};
use crate::error::Error;
use crate::launch::{Kernel, LaunchConfig, Module};

/// One call of a backend, on its way through a [`Layer`](super::Layer).
#[derive(Clone, Debug)]
pub struct Call<'a> {
    /// The backend underneath, which executes it.
    pub inner: &'a dyn GpuBackend,
    /// The method of the backend: `copy_to_device_async`.
    pub name: &'static str,
    /// What is to be done.
    pub operation: Operation<'a>,
    /// Where the caller's code asks for it; of a launch, where the launch function is called. `None` of what is dropped, as a `Drop`
    /// cannot know its caller.
    pub location: Option<&'static Location<'static>>,
    /// What the layer keeps from [`before`](super::Layer::before) to [`after`](super::Layer::after): zeros at first, and seen by no
    /// other layer.
    pub note: Cell<[u64; 2]>,
}

/// What a call asks for: every method of [`GpuBackend`] is one of these, except those that ask what is known already.
///
/// It is exhaustive on purpose: a layer that matches all of it does not compile when a backend learns something new.
#[derive(Clone, Copy, Debug)]
pub enum Operation<'a> {
    /// Allocating memory.
    Allocate {
        /// Of which kind.
        memory: MemoryKind,
        /// How many bytes.
        bytes: usize,
    },
    /// Freeing device or managed memory.
    Free {
        /// Its start.
        ptr: DevicePtr,
    },
    /// Freeing pinned memory.
    FreePinned {
        /// Its start.
        ptr: NonNull<u8>,
    },
    /// Asking at which address kernels reach pinned memory.
    PinnedDevicePtr {
        /// Where on the host.
        ptr: NonNull<u8>,
    },
    /// Asking how much memory is free.
    MemoryInfo,
    /// A copy of consecutive bytes.
    Copy(Transfer),
    /// A copy of a rectangle within the device, in the order of a stream.
    CopyRectangle {
        /// From where to where.
        copy: &'a Copy2d,
        /// The stream.
        stream: StreamHandle,
    },
    /// A memset.
    Fill {
        /// The first byte.
        dst: DevicePtr,
        /// What is written.
        fill: Fill,
        /// How many bytes.
        bytes: usize,
        /// In which order.
        order: Order,
    },
    /// A launch with typed arguments.
    Launch(&'a Launch<'a>),
    /// A launch with one pointer a parameter, whose sizes nobody knows.
    LaunchRaw {
        /// The kernel.
        kernel: KernelHandle,
        /// Grid, block and the rest.
        config: &'a LaunchConfig,
        /// The stream.
        stream: StreamHandle,
        /// The addresses of the arguments.
        params: &'a [*mut c_void],
    },
    /// A launch of a graph.
    LaunchGraph {
        /// The graph.
        graph: GraphHandle,
        /// The stream.
        stream: StreamHandle,
    },
    /// Waiting for the whole device.
    Synchronize,
    /// Waiting for a stream.
    SynchronizeStream(StreamHandle),
    /// Asking whether a stream is idle.
    IsStreamIdle(StreamHandle),
    /// Creating a stream.
    CreateStream {
        /// Its priority.
        priority: Option<i32>,
    },
    /// Destroying a stream.
    DestroyStream(StreamHandle),
    /// Creating an event.
    CreateEvent {
        /// Whether time can be taken with it.
        timing: bool,
    },
    /// Destroying an event.
    DestroyEvent(EventHandle),
    /// Marking where a stream stands.
    RecordEvent {
        /// The event.
        event: EventHandle,
        /// The stream.
        stream: StreamHandle,
    },
    /// Making a stream wait for an event.
    StreamWaitEvent {
        /// The stream that waits.
        stream: StreamHandle,
        /// The event.
        event: EventHandle,
    },
    /// Making a stream wait for all of another.
    StreamWaitStream {
        /// The stream that waits.
        waiting: StreamHandle,
        /// The stream that is waited for.
        other: StreamHandle,
    },
    /// Waiting on the host for an event.
    SynchronizeEvent(EventHandle),
    /// Asking whether an event is reached.
    IsEventDone(EventHandle),
    /// Asking for the time between two events.
    Elapsed {
        /// The first.
        start: EventHandle,
        /// The second.
        end: EventHandle,
    },
    /// Beginning to capture a stream.
    BeginCapture(StreamHandle),
    /// Ending the capture, with a graph.
    EndCapture(StreamHandle),
    /// Ending the capture, without one.
    AbandonCapture(StreamHandle),
    /// Asking whether a stream captures.
    IsCapturing(StreamHandle),
    /// Destroying a graph.
    DestroyGraph(GraphHandle),
    /// Making a module known.
    RegisterModule(&'a Module),
    /// Looking a kernel up by name.
    FindKernel {
        /// Its module.
        module: &'a str,
        /// Its name.
        name: &'a str,
    },
    /// Asking whether a module is known.
    HasModule(&'a str),
    /// Looking a declared kernel up.
    ResolveKernel(&'static Kernel),
    /// Asking what a compiled kernel needs.
    KernelAttributes(KernelHandle),
    /// Asking how many blocks run at once.
    Occupancy {
        /// The kernel.
        kernel: KernelHandle,
        /// Threads a block.
        block_threads: u32,
        /// Bytes of dynamic shared memory a block.
        shared_mem: u32,
    },
    /// Making a tensor map.
    EncodeTensorMap(&'a TiledTensor),
    /// Making the context current on the calling thread.
    BindToThread,
}

impl<'a> Call<'a> {
    /// The name of the kernel that is launched; of any other call, its [method](Self::name).
    pub fn subject(&self) -> Cow<'a, str> {
        let (kernel, declaration) = match self.operation {
            Operation::Launch(launch) => (launch.kernel, launch.declaration),
            Operation::LaunchRaw { kernel, .. } => (kernel, self.inner.declaration(kernel)),
            _ => return self.name.into(),
        };
        match declaration {
            Some(kernel) => kernel.name().into(),
            None => match self.inner.kernel_name(kernel) {
                Some(name) => name.into(),
                None => kernel.to_string().into(),
            },
        }
    }
}

impl Call<'_> {
    /// The caller's place of what no `Drop` does, such as work, and allocating.
    pub(super) fn place(&self) -> &'static Location<'static> {
        self.location.unwrap_or(Location::caller())
    }

    /// Whether a capture goes on that the call was to end and did not: backends differ in that. The backend that is asked may have to
    /// wait for a thread that comes into the same layer.
    pub(super) fn capture_goes_on(&self, outcome: Outcome<'_>) -> bool {
        match (self.operation, outcome) {
            (Operation::EndCapture(stream) | Operation::AbandonCapture(stream), Outcome::Failed(_)) => {
                matches!(self.inner.is_capturing(stream), Ok(true))
            }
            _ => false,
        }
    }
}

impl Operation<'_> {
    /// Whether it has the device do something, now or in the order of a stream: a launch, a copy or a memset.
    pub fn is_work(&self) -> bool {
        matches!(
            self,
            Operation::Copy(_)
                | Operation::CopyRectangle { .. }
                | Operation::Fill { .. }
                | Operation::Launch(_)
                | Operation::LaunchRaw { .. }
                | Operation::LaunchGraph { .. }
        )
    }

    /// The stream in whose order it is, where there is one. Work without a stream is in the order of the default one.
    pub fn stream(&self) -> Option<StreamHandle> {
        match *self {
            Operation::Copy(Transfer { order, .. }) | Operation::Fill { order, .. } => Some(order.stream()),
            Operation::CopyRectangle { stream, .. }
            | Operation::LaunchRaw { stream, .. }
            | Operation::LaunchGraph { stream, .. }
            | Operation::RecordEvent { stream, .. }
            | Operation::StreamWaitEvent { stream, .. }
            | Operation::StreamWaitStream { waiting: stream, .. }
            | Operation::SynchronizeStream(stream)
            | Operation::IsStreamIdle(stream)
            | Operation::DestroyStream(stream)
            | Operation::BeginCapture(stream)
            | Operation::EndCapture(stream)
            | Operation::AbandonCapture(stream)
            | Operation::IsCapturing(stream) => Some(stream),
            Operation::Launch(launch) => Some(launch.stream),
            _ => None,
        }
    }
}

/// The kinds of memory that a backend allocates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MemoryKind {
    /// The device's.
    Device,
    /// What host and device reach at the same address.
    Managed,
    /// The host's, which stays where it is.
    Pinned,
}

impl MemoryKind {
    /// The kind in one word: `device`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Device => "device",
            Self::Managed => "managed",
            Self::Pinned => "pinned",
        }
    }
}

/// A copy of consecutive bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// Where the first byte is written.
    pub dst: Place,
    /// Where the first byte is read.
    pub src: Place,
    /// How many bytes.
    pub bytes: usize,
    /// In which order.
    pub order: Order,
    /// Whether the caller keeps the host's side until the stream was synchronised. Otherwise it is used no more when the
    /// call returns.
    pub retained: bool,
}

/// An end of a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In device memory.
    Device(DevicePtr),
    /// At this address of the host's memory.
    Host(usize),
}

/// When something is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// After work on the default stream, and before the call returns.
    Blocking,
    /// In the order of a stream, and before the call returns.
    BlockingOn(StreamHandle),
    /// In the order of a stream, perhaps after the call returns.
    Async(StreamHandle),
}

impl Order {
    /// The stream in whose order it is.
    pub fn stream(self) -> StreamHandle {
        match self {
            Self::Blocking => StreamHandle::DEFAULT,
            Self::BlockingOn(stream) | Self::Async(stream) => stream,
        }
    }

    /// Whether it is done when the call returns.
    pub fn is_blocking(self) -> bool {
        !matches!(self, Self::Async(_))
    }
}

/// What came of a call.
#[derive(Clone, Copy, Debug)]
pub enum Outcome<'a> {
    /// It succeeded, and returns nothing, or what no layer needs.
    Done,
    /// The memory that was allocated, or the address of it that was asked for.
    Memory(DevicePtr),
    /// The pinned memory that was allocated.
    Pinned(NonNull<u8>),
    /// The stream that was created.
    Stream(StreamHandle),
    /// The event that was created.
    Event(EventHandle),
    /// The graph that was captured.
    Graph(GraphHandle),
    /// The kernel that was found.
    Kernel(KernelHandle),
    /// The answer.
    Answer(bool),
    /// It failed.
    Failed(&'a Error),
}

/// What a method of a backend returns, as an [`Outcome`].
pub(super) trait AsOutcome {
    fn as_outcome(&self) -> Outcome<'_> {
        Outcome::Done
    }
}

macro_rules! outcomes {
    ($($type:ty => $outcome:ident),* $(,)?) => {
        $(impl AsOutcome for $type {
            fn as_outcome(&self) -> Outcome<'_> {
                Outcome::$outcome(*self)
            }
        })*
    };
}

outcomes! {
    DevicePtr => Memory,
    NonNull<u8> => Pinned,
    StreamHandle => Stream,
    EventHandle => Event,
    GraphHandle => Graph,
    KernelHandle => Kernel,
    bool => Answer,
}

impl AsOutcome for () {}
impl AsOutcome for std::time::Duration {}
impl AsOutcome for crate::backend::MemoryInfo {}
impl AsOutcome for crate::backend::KernelAttributes {}
impl AsOutcome for crate::backend::Occupancy {}
impl AsOutcome for crate::argument::TensorMap {}
