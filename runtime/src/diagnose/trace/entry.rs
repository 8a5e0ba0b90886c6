//! A call as the trace keeps it: raw, so that little is done when it is made. It is decoded when it is read.

use std::ffi::c_void;
use std::panic::Location;

use smallvec::SmallVec;

use super::recording::Kind;
use crate::argument::{ArgBytes, DevicePtr, KernelArg, slots_for};
use crate::backend::{BackendId, Copy2d, EventHandle, Fill, GraphHandle, KernelHandle, StreamHandle};
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
    /// When the device executed it, on the device's clock, and for how long.
    pub(super) device: Option<(i64, u64)>,
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

/// Arguments of a launch: the slots of all, one after another, and how long each is.
#[derive(Clone, Debug, Default)]
pub(super) struct Args {
    /// The bytes of each, and whether it is a buffer.
    lengths: SmallVec<[u32; 12]>,
    slots: SmallVec<[u64; 12]>,
}

/// Stands for the length of a buffer. No argument is as long.
const BUFFER: u32 = u32::MAX;

fn length_of(bytes: usize) -> u32 {
    u32::try_from(bytes).unwrap_or(BUFFER - 1)
}

impl Args {
    pub(super) fn clear(&mut self) {
        self.lengths.clear();
        self.slots.clear();
    }

    /// Copies the arguments of a launch, where this is one.
    #[inline]
    pub(super) fn copy_from(&mut self, operation: &Operation<'_>, what: &What) {
        match (operation, what) {
            (Operation::Launch(launch), _) => self.copy_typed(launch.args),
            (Operation::LaunchRaw { params, .. }, What::Launch { declaration: Some(kernel), .. }) => {
                // SAFETY: who launches promises one pointer a parameter, valid for reads of the parameter's size; the sizes
                // are those of the declaration that the backend compared the kernel with.
                unsafe { self.copy_raw(kernel, params) }
            }
            _ => {}
        }
    }

    #[inline]
    fn copy_typed(&mut self, args: &[KernelArg<'_>]) {
        for arg in args {
            self.lengths.push(if matches!(arg, KernelArg::Buffer(_)) {
                BUFFER
            } else {
                length_of(arg.len())
            });
            // Nearly all arguments are one slot, for which a copy of a slice takes longer than a push.
            match *arg.slots() {
                [slot] => self.slots.push(slot),
                ref slots => self.slots.extend_from_slice(slots),
            }
        }
    }

    /// # Safety
    ///
    /// `params` are valid for reads of the sizes of the kernel's parameters.
    unsafe fn copy_raw(&mut self, kernel: &Kernel, params: &[*mut c_void]) {
        if kernel.parameters().len() != params.len() {
            return;
        }
        for (parameter, param) in kernel.parameters().iter().zip(params) {
            let (start, size) = (self.slots.len(), parameter.size());
            self.slots.resize(start + slots_for(size), 0);
            let bytes = &mut bytemuck::cast_slice_mut(&mut self.slots[start..])[..size];
            // SAFETY: the caller promises as many bytes, and they are no part of this vector.
            unsafe { param.cast::<u8>().copy_to_nonoverlapping(bytes.as_mut_ptr(), size) };
            self.lengths.push(if parameter.is_pointer() { BUFFER } else { length_of(size) });
        }
    }

    /// The arguments as they were passed.
    pub(super) fn iter(&self) -> impl Iterator<Item = KernelArg<'_>> {
        let mut start = 0;
        self.lengths.iter().map(move |length| {
            if *length == BUFFER {
                start += 1;
                return KernelArg::Buffer(DevicePtr::new(self.slots[start - 1]));
            }
            let length = *length as usize;
            let slots = &self.slots[start..][..slots_for(length)];
            start += slots.len();
            KernelArg::Bytes(ArgBytes::of_packed(slots, length))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::argument::{KernelParam as _, TensorMap};
    use crate::launch::{Module, Parameter};

    #[test]
    fn arguments_come_back_as_they_were_passed() {
        let (map, count, half) = (TensorMap::from_slots([7; 16]), 5_u32.pack(), 0x1234_u16.pack());
        let passed = [
            count.arg(),
            KernelArg::Buffer(DevicePtr::new(0x40)),
            map.arg(),
            half.arg(),
            KernelArg::Buffer(DevicePtr::NULL),
        ];
        let mut args = Args::default();
        args.copy_typed(&[half.arg()]);
        args.clear();
        args.copy_typed(&passed);
        assert_eq!(args.iter().collect::<Vec<_>>(), passed);
    }

    #[test]
    fn raw_arguments_are_read_by_their_declaration() {
        static KERNEL: Kernel = Kernel::new(
            Module::new("test"),
            "test",
            &[
                Parameter::device_mut::<f32>("output", "*mut f32"),
                Parameter::value("flag", "bool", bool::DESCRIPTION),
                Parameter::tensor_map("map"),
            ],
        );
        let (mut address, mut flag, mut map) = (0x40_u64, true, [9_u64; 16]);
        let params = [(&raw mut address).cast(), (&raw mut flag).cast(), (&raw mut map).cast()];
        let mut args = Args::default();
        // SAFETY: one pointer a parameter, to as many bytes as it has.
        unsafe { args.copy_raw(&KERNEL, &params) };
        let found: Vec<_> = args.iter().collect();
        assert_eq!(found[0], KernelArg::Buffer(DevicePtr::new(0x40)));
        assert_eq!(
            (found[1].bytes(), found[2].bytes()),
            (&[1_u8][..], &[9_u8, 0, 0, 0, 0, 0, 0, 0].repeat(16)[..])
        );
    }
}
