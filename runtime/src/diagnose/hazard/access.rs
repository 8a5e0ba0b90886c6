//! What memory a call reads and writes.

use std::panic::Location;

use smallvec::SmallVec;

use super::AllowedUse;
use super::memory::{Allocation, Extent, Freed, Memory, Space};
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
    /// Where it was called.
    pub(super) location: &'static Location<'static>,
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
            Operation::CopyRectangle { copy, .. } => plan.rectangle(call, memory, copy),
            Operation::Fill { dst, bytes, .. } => {
                plan.push(extent(memory.on_device(dst.address()), bytes), Kind::WRITE, destination(call));
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

    fn copy(&mut self, call: &Call<'_>, memory: &Memory, transfer: Transfer) {
        let place = |place| match place {
            Place::Device(ptr) => memory.on_device(ptr.address()),
            Place::Host(address) => memory.on_host(address as u64),
        };
        self.push(extent(place(transfer.src), transfer.bytes), Kind::READ, source(call));
        // What is not retained has been read when the call returns, perhaps before the stream comes to the copy.
        let by_host = matches!(transfer.src, Place::Host(_)) && !transfer.retained;
        if let Some(read) = self.accesses.last_mut() {
            read.by_host = by_host;
        }
        self.push(extent(place(transfer.dst), transfer.bytes), Kind::WRITE, destination(call));
    }

    fn rectangle(&mut self, call: &Call<'_>, memory: &Memory, copy: &Copy2d) {
        for (start, pitch, kind, site) in [
            (copy.src, copy.src_pitch, Kind::READ, source(call)),
            (copy.dst, copy.dst_pitch, Kind::WRITE, destination(call)),
        ] {
            let (rows, width) = if pitch == copy.width {
                (1, copy.width.saturating_mul(copy.height))
            } else {
                (copy.height, copy.width)
            };
            if rows > ROWS {
                self.unchecked_arguments += 1;
                continue;
            }
            for row in 0..rows {
                let row = start.byte_add(pitch.saturating_mul(row));
                self.push(extent(memory.on_device(row.address()), width), kind, site);
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
            let site = Site { what, parameter, location: launch.location, graph: None };
            let place = memory.on_device(ptr.address());
            if let (_, _, None) = place
                && let Some(freed) = memory.freed_at(ptr.address())
            {
                self.freed.push((site, kind, ptr, freed));
                continue;
            }
            self.push(extent(place, known.unwrap_or(element_size.max(1))), kind, site);
            match (known, place) {
                (None, (space, address, Some(allocation))) => {
                    let range = address + element_size.max(1) as u64..allocation.end;
                    self.push(Extent { space, range }, Kind { certain: false, ..kind }, site);
                }
                (None, (_, _, None)) => self.unchecked_arguments += 1,
                (Some(_), _) => {}
            }
        }
    }
}

fn source(call: &Call<'_>) -> Site {
    Site { what: call.name, parameter: "source", location: call.location, graph: None }
}

fn destination(call: &Call<'_>) -> Site {
    Site { parameter: "destination", ..source(call) }
}

fn extent((space, address, _): (Space, u64, Option<Allocation>), bytes: usize) -> Extent {
    Extent { space, range: address..address.saturating_add(bytes as u64) }
}
