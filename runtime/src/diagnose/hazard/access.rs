//! What memory a call reads and writes.

use std::panic::Location;

use smallvec::SmallVec;

use super::AllowedUse;
use super::memory::{Extent, Freed, Memory};
use crate::argument::{DevicePtr, KernelArg, ParameterKind};
use crate::backend::{Copy2d, Launch};
use crate::diagnose::{Call, Operation, Place, Transfer};
use crate::launch::Kernel;

/// How many rows of a rectangle are looked at. A copy of more is not checked.
const ROWS: usize = 1 << 16;

/// Which access of which call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Site {
    /// The kernel, or the method of the backend.
    pub(super) what: &'static str,
    /// The parameter.
    pub(super) parameter: &'static str,
    /// Where it was called; `None` of what is dropped.
    pub(super) location: Option<&'static Location<'static>>,
    /// Where the graph was launched that it is part of.
    pub(super) graph: Option<&'static Location<'static>>,
}

/// What kind of access it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Kind {
    /// Whether it may write; otherwise it reads.
    pub(super) writes: bool,
    /// Whether it is known to reach these bytes. Not so past the first element of a pointer whose extent nobody knows.
    pub(super) certain: bool,
    /// Whether it may happen at the same time as others that say so.
    pub(super) commutes: bool,
}

impl Kind {
    pub(super) const READ: Self = Self { writes: false, certain: true, commutes: false };
    pub(super) const WRITE: Self = Self { writes: true, ..Self::READ };

    /// Whether one of two accesses to the same bytes must come first.
    pub(super) fn conflicts(self, other: Self) -> bool {
        (self.writes || other.writes) && !(self.commutes && other.commutes)
    }
}

/// An access that a call is about to make.
#[derive(Clone, Debug)]
pub(super) struct Planned {
    pub(super) extent: Extent,
    pub(super) kind: Kind,
    pub(super) site: Site,
    /// Whether the host makes it before the call returns, whatever the order of the stream.
    pub(super) by_host: bool,
}

/// All that a call is about to use.
#[derive(Debug, Default)]
pub(super) struct Plan {
    pub(super) accesses: SmallVec<[Planned; 8]>,
    /// Memory that it uses although it was freed.
    pub(super) freed: Vec<(Site, Kind, DevicePtr, Freed)>,
    /// Launches of which nobody knows what they use.
    pub(super) unchecked_launches: u64,
    /// Arguments of which nobody knows what memory they lead to.
    pub(super) unchecked_arguments: u64,
}

impl Plan {
    /// Of a call that is [work](Operation::is_work), other than the launch of a graph.
    pub(super) fn of(call: &Call<'_>, memory: &Memory, allowed: &[AllowedUse]) -> Self {
        let mut plan = Self::default();
        match call.operation {
            Operation::Copy(transfer) => plan.copy(call, memory, transfer),
            Operation::CopyRectangle { copy, .. } => {
                plan.on_device(memory, copy.src, Rows::new(copy.src_pitch, copy), Kind::READ, source(call));
                plan.on_device(
                    memory,
                    copy.dst,
                    Rows::new(copy.dst_pitch, copy),
                    Kind::WRITE,
                    destination(call),
                );
            }
            Operation::Fill { dst, bytes, .. } => {
                plan.on_device(memory, dst, Rows::one(bytes), Kind::WRITE, destination(call));
            }
            Operation::Launch(launch) => {
                match launch.declaration.or_else(|| call.inner.declaration(launch.kernel)) {
                    Some(kernel) => plan.launch(launch, kernel, memory, allowed),
                    None => plan.unchecked_launches += 1,
                }
            }
            Operation::LaunchRaw { .. } => plan.unchecked_launches += 1,
            _ => {}
        }
        plan
    }

    fn push(&mut self, extent: Extent, kind: Kind, site: Site) {
        if !extent.range.is_empty() {
            self.accesses.push(Planned { extent, kind, site, by_host: false });
        }
    }

    /// An access to rows of the device's memory.
    fn on_device(&mut self, memory: &Memory, start: DevicePtr, rows: Rows, kind: Kind, site: Site) {
        match memory.on_device(start.address()) {
            Some((place, _)) if rows.count <= ROWS => {
                for row in 0..rows.count {
                    self.push(place.extent(rows.pitch.saturating_mul(row), rows.width), kind, site);
                }
            }
            _ => self.unchecked_arguments += u64::from(rows.width > 0 && rows.count > 0),
        }
    }

    fn copy(&mut self, call: &Call<'_>, memory: &Memory, transfer: Transfer) {
        let bytes = transfer.bytes;
        match transfer.src {
            Place::Device(ptr) => self.on_device(memory, ptr, Rows::one(bytes), Kind::READ, source(call)),
            Place::Host(address) => {
                self.push(memory.on_host(address as u64).extent(0, bytes), Kind::READ, source(call));
                // What is not retained has been read when the call returns, perhaps before the stream comes to the copy.
                if let Some(read) = self.accesses.last_mut() {
                    read.by_host = !transfer.retained;
                }
            }
        }
        match transfer.dst {
            Place::Device(ptr) => {
                self.on_device(memory, ptr, Rows::one(bytes), Kind::WRITE, destination(call));
            }
            Place::Host(address) => {
                self.push(memory.on_host(address as u64).extent(0, bytes), Kind::WRITE, destination(call));
            }
        }
    }

    fn launch(
        &mut self,
        launch: &Launch<'_>,
        kernel: &'static Kernel,
        memory: &Memory,
        allowed: &[AllowedUse],
    ) {
        let mut buffers = 0;
        for (parameter, arg) in kernel.parameters().iter().zip(launch.args) {
            let ptr = match arg {
                KernelArg::Buffer(ptr) => *ptr,
                KernelArg::Bytes(_) => {
                    self.unchecked_arguments += u64::from(parameter.kind() == ParameterKind::TensorMap);
                    continue;
                }
            };
            let known = launch.extent(buffers);
            buffers += 1;
            let ParameterKind::Pointer { mutable, element_size, .. } = parameter.kind() else { continue };
            if ptr.is_null() || known == Some(0) {
                continue;
            }
            let kind = Kind {
                writes: mutable,
                certain: true,
                commutes: allowed.iter().any(|allowed| allowed.is(kernel, parameter.name())),
            };
            let (what, parameter) = (kernel.name(), parameter.name());
            let site = Site { what, parameter, location: Some(launch.location), graph: None };
            let Some((place, allocation)) = memory.on_device(ptr.address()) else {
                match memory.freed_at(ptr.address()) {
                    Some(freed) => self.freed.push((site, kind, ptr, freed)),
                    None => self.unchecked_arguments += 1,
                }
                continue;
            };
            let certain = known.unwrap_or(element_size.max(1));
            self.push(place.extent(0, certain), kind, site);
            if known.is_none() {
                let rest = place.address + certain as u64..allocation.end;
                let kind = Kind { certain: false, ..kind };
                self.push(Extent { space: place.space, range: rest }, kind, site);
            }
        }
    }
}

/// Rows of bytes, a pitch apart.
#[derive(Clone, Copy)]
struct Rows {
    pitch: usize,
    width: usize,
    count: usize,
}

impl Rows {
    fn one(width: usize) -> Self {
        Self { pitch: width, width, count: 1 }
    }

    fn new(pitch: usize, copy: &Copy2d) -> Self {
        if pitch == copy.width {
            return Self::one(copy.width.saturating_mul(copy.height));
        }
        Self { pitch, width: copy.width, count: copy.height }
    }
}

fn source(call: &Call<'_>) -> Site {
    Site { what: call.name, parameter: "source", location: call.location, graph: None }
}

fn destination(call: &Call<'_>) -> Site {
    Site { parameter: "destination", ..source(call) }
}
