//! A call as the trace keeps it: raw, so that little is done when it is made. It is decoded when it is read.

use std::panic::Location;

use super::recording::Kind;
use super::timing::DeviceTime;
use crate::argument::DevicePtr;
use crate::backend::{BackendId, Copy2d, EventHandle, Fill, GraphHandle, KernelHandle, StreamHandle};
use crate::diagnose::args::Args;
use crate::diagnose::{Call, MemoryKind, Operation, Outcome, Transfer};
use crate::launch::{Kernel, LaunchConfig};

#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) number: u64,
    /// `None` of a mark.
    pub(super) backend: Option<BackendId>,
    pub(super) thread: u32,
    pub(super) start_ns: u64,
    pub(super) end_ns: u64,
    pub(super) location: Option<&'static Location<'static>>,
    pub(super) name: &'static str,
    pub(super) stream: Option<StreamHandle>,
    pub(super) what: What,
    pub(super) args: Args,
    pub(super) error: Option<Box<str>>,
    pub(super) device: Option<DeviceTime>,
}

/// What was asked for.
#[derive(Clone, Debug)]
pub(super) enum What {
    Launch {
        kernel: KernelHandle,
        declaration: Option<&'static Kernel>,
        config: LaunchConfig,
    },
    Graph(GraphHandle),
    Copy(Transfer),
    Rectangle(Copy2d),
    Fill {
        dst: DevicePtr,
        fill: Fill,
        bytes: usize,
    },
    /// With the address, where there was memory.
    Allocate {
        memory: MemoryKind,
        bytes: usize,
        address: Option<u64>,
    },
    Free(DevicePtr),
    FreePinned(u64),
    /// Creating, destroying or recording an event, or having a stream wait for it.
    Event(EventHandle),
    /// Waiting for an event on the host.
    WaitEvent(EventHandle),
    CreateStream(StreamHandle),
    /// Having a stream wait for this one.
    WaitStream(StreamHandle),
    /// A capture by its number.
    Capture(u64),
    DestroyGraph(GraphHandle),
    Lookup(Box<str>),
    Mark(Box<str>),
    /// The name says it.
    Plain(Kind),
}

/// Whether a call is recorded: all but questions whose answers change nothing.
#[inline]
pub(super) fn is_recorded(operation: &Operation<'_>) -> bool {
    !matches!(
        operation,
        Operation::PinnedDevicePtr { .. }
            | Operation::MemoryInfo
            | Operation::IsStreamIdle(_)
            | Operation::IsEventDone(_)
            | Operation::Elapsed { .. }
            | Operation::IsCapturing(_)
            | Operation::HasModule(_)
            | Operation::KernelAttributes(_)
            | Operation::Occupancy { .. }
            | Operation::EncodeTensorMap(_)
            | Operation::BindToThread
    )
}

impl Entry {
    /// Copies the arguments of a launch, where this is one.
    #[inline]
    pub(super) fn copy_args(&mut self, operation: &Operation<'_>) {
        match (operation, &self.what) {
            (Operation::Launch(launch), _) => self.args.copy_typed(launch.args),
            (Operation::LaunchRaw { params, .. }, What::Launch { declaration: Some(kernel), .. }) => {
                // SAFETY: who launches promises one pointer a parameter, to its initialised bytes; their number is that of the
                // declaration that the backend compared the kernel with.
                unsafe { self.args.copy_raw(kernel, params) }
            }
            _ => {}
        }
    }
}

impl What {
    #[inline]
    pub(super) fn of(call: &Call<'_>, outcome: Outcome<'_>) -> Self {
        match call.operation {
            Operation::Launch(launch) => Self::Launch {
                kernel: launch.kernel,
                declaration: launch.declaration,
                config: *launch.config,
            },
            Operation::LaunchRaw { kernel, config, .. } => {
                Self::Launch { kernel, declaration: call.inner.declaration(kernel), config: *config }
            }
            Operation::LaunchGraph { graph, .. } => Self::Graph(graph),
            Operation::Copy(transfer) => Self::Copy(transfer),
            Operation::CopyRectangle { copy, .. } => Self::Rectangle(*copy),
            Operation::Fill { dst, fill, bytes, .. } => Self::Fill { dst, fill, bytes },
            _ => Self::of_rare(call, outcome),
        }
    }

    #[cold]
    fn of_rare(call: &Call<'_>, outcome: Outcome<'_>) -> Self {
        match call.operation {
            Operation::Allocate { memory, bytes } => Self::Allocate {
                memory,
                bytes,
                address: match outcome {
                    Outcome::Memory(ptr) => Some(ptr.address()),
                    Outcome::Pinned(ptr) => Some(ptr.addr().get() as u64),
                    _ => None,
                },
            },
            Operation::Free { ptr } => Self::Free(ptr),
            Operation::FreePinned { ptr } => Self::FreePinned(ptr.addr().get() as u64),
            Operation::CreateStream { .. } => match outcome {
                Outcome::Stream(stream) => Self::CreateStream(stream),
                _ => Self::Plain(Kind::Order),
            },
            Operation::DestroyStream(_) => Self::Plain(Kind::Order),
            Operation::CreateEvent { .. } => match outcome {
                Outcome::Event(event) => Self::Event(event),
                _ => Self::Plain(Kind::Order),
            },
            Operation::StreamWaitStream { other, .. } => Self::WaitStream(other),
            Operation::RecordEvent { event, .. }
            | Operation::StreamWaitEvent { event, .. }
            | Operation::DestroyEvent(event) => Self::Event(event),
            Operation::SynchronizeEvent(event) => Self::WaitEvent(event),
            Operation::DestroyGraph(graph) => Self::DestroyGraph(graph),
            Operation::BeginCapture(_) | Operation::EndCapture(_) | Operation::AbandonCapture(_) => {
                Self::Plain(Kind::Capture)
            }
            Operation::RegisterModule(module) => Self::Lookup(module.name().into()),
            Operation::FindKernel { module, name } => Self::Lookup(format!("{module}::{name}").into()),
            Operation::ResolveKernel(kernel) => {
                Self::Lookup(format!("{}::{}", kernel.module().name(), kernel.name()).into())
            }
            // Waiting, and what `is_recorded` leaves out.
            _ => Self::Plain(Kind::Wait),
        }
    }
}

impl What {
    pub(super) fn kind(&self) -> Kind {
        match self {
            Self::Launch { .. } => Kind::Launch,
            Self::Graph(_) => Kind::GraphLaunch,
            Self::Copy(_) | Self::Rectangle(_) => Kind::Copy,
            Self::Fill { .. } => Kind::Fill,
            Self::Allocate { .. } | Self::Free(_) | Self::FreePinned(_) => Kind::Memory,
            Self::Event(_) | Self::CreateStream(_) | Self::WaitStream(_) => Kind::Order,
            Self::WaitEvent(_) => Kind::Wait,
            Self::Capture(_) | Self::DestroyGraph(_) => Kind::Capture,
            Self::Lookup(_) => Kind::Lookup,
            Self::Mark(_) => Kind::Mark,
            Self::Plain(kind) => *kind,
        }
    }
}
