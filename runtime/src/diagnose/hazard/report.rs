//! What was found, in fields and in words.

use std::fmt;
use std::panic::Location;

use super::access::{Kind, Site};
use super::memory::{Allocation, Extent, Freed, Memory};
use super::world::Conflict;
use crate::argument::DevicePtr;
use crate::backend::StreamHandle;
use crate::device::CalledAt;
use crate::diagnose::MemoryKind;
use crate::words::counted;

/// Two uses of the same memory of which nothing says which comes first, or a use of memory that is gone.
///
/// As text it says who uses which bytes, where, and what to add.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Hazard {
    /// What is wrong.
    pub kind: HazardKind,
    /// The use that was asked for first.
    pub earlier: HazardAccess,
    /// The use that was asked for later.
    pub later: HazardAccess,
    /// The bytes that both use.
    pub memory: HazardMemory,
    /// Whether both are known to reach these bytes. Otherwise it rests on a pointer whose extent nobody knows
    /// ([`Hazards::possible`](super::Hazards::possible)).
    pub certain: bool,
    /// How often it was found.
    pub count: u64,
}

/// What is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum HazardKind {
    /// Nothing orders the two.
    Unordered,
    /// The host reads what a stream may still write.
    NotWaitedFor,
    /// The memory was freed in between.
    Freed,
}

/// One of the two uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HazardAccess {
    /// The kernel, or the method of the backend: `copy_to_host`.
    pub what: &'static str,
    /// The parameter of the kernel; `source` or `destination` of a copy or a memset.
    pub parameter: &'static str,
    /// Whether it may write.
    pub writes: bool,
    /// The stream in whose order it is; `None` where the host itself does it.
    pub stream: Option<StreamHandle>,
    /// Where it was called; `None` where memory was freed by dropping what has it.
    pub location: Option<&'static Location<'static>>,
    /// Where the graph was launched that it is part of.
    pub graph: Option<&'static Location<'static>>,
}

/// The bytes that both use. Of a copy of rows, or of a launch that meets another at several places, the first of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HazardMemory {
    /// The first byte.
    pub start: u64,
    /// How many bytes.
    pub bytes: u64,
    /// The allocation they are in, where it was made through the layer.
    pub allocation: Option<HazardAllocation>,
}

/// The allocation that bytes are in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HazardAllocation {
    /// Its first byte.
    pub start: u64,
    /// How many bytes it has.
    pub bytes: u64,
    /// Its kind.
    pub kind: MemoryKind,
    /// Where it was allocated.
    pub location: &'static Location<'static>,
}

impl HazardAccess {
    fn new(site: Site, kind: Kind, stream: Option<StreamHandle>) -> Self {
        let Site { what, parameter, location, graph } = site;
        Self { what, parameter, writes: kind.writes, stream, location, graph }
    }

    fn site(&self) -> Site {
        Site { what: self.what, parameter: self.parameter, location: self.location, graph: self.graph }
    }

    fn actor(&self) -> Actor {
        Actor(self.stream)
    }
}

impl HazardMemory {
    fn new(extent: &Extent, allocation: Option<Allocation>) -> Self {
        let bytes = extent.range.end - extent.range.start;
        Self { start: extent.range.start, bytes, allocation: allocation.map(HazardAllocation::from) }
    }
}

impl From<Allocation> for HazardAllocation {
    fn from(allocation: Allocation) -> Self {
        let Allocation { start, end, kind, location, .. } = allocation;
        Self { start, bytes: end - start, kind, location }
    }
}

/// What makes two hazards the same: who, where, and what is wrong.
pub(super) type Key = (HazardKind, Site, Site, bool);

impl Hazard {
    /// That `conflict`, whose later part is on `stream`, is one.
    pub(super) fn of_conflict(conflict: &Conflict<'_>, stream: StreamHandle, memory: &Memory) -> Self {
        let Conflict { earlier, later, extent, certain } = conflict;
        let by_host = later.by_host;
        Self {
            kind: if by_host { HazardKind::NotWaitedFor } else { HazardKind::Unordered },
            earlier: HazardAccess::new(earlier.site, earlier.kind, Some(earlier.stream)),
            later: HazardAccess::new(later.site, later.kind, (!by_host).then_some(stream)),
            memory: HazardMemory::new(extent, memory.at(extent.space, extent.range.start)),
            certain: *certain,
            count: 1,
        }
    }

    /// That memory is used that was freed.
    pub(super) fn of_freed(site: Site, kind: Kind, stream: StreamHandle, freed: &Freed) -> Self {
        let free = Site { what: "free", parameter: "memory", location: freed.location, graph: None };
        Self {
            kind: HazardKind::Freed,
            earlier: HazardAccess::new(free, Kind::WRITE, None),
            later: HazardAccess::new(site, kind, Some(stream)),
            memory: HazardMemory::new(&freed.allocation.extent(), Some(freed.allocation)),
            certain: true,
            count: 1,
        }
    }

    pub(super) fn key(&self) -> Key {
        (self.kind, self.earlier.site(), self.later.site(), self.certain)
    }
}

/// Who does something.
struct Actor(Option<StreamHandle>);

impl fmt::Display for Actor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            None => f.write_str("the host"),
            Some(StreamHandle::DEFAULT) => f.write_str("the default stream"),
            Some(stream) => write!(f, "stream {stream}"),
        }
    }
}

impl fmt::Display for HazardAccess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verb = if self.writes { "writes" } else { "reads" };
        write!(f, "`{}` {verb} `{}`", self.what, self.parameter)?;
        if self.stream.is_some() {
            write!(f, " on {}", self.actor())?;
        }
        write!(f, " ({}", CalledAt(self.location))?;
        if let Some(graph) = self.graph {
            write!(f, ", in the graph launched at {graph}")?;
        }
        f.write_str(")")
    }
}

impl fmt::Display for HazardMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(allocation) = self.allocation else {
            return write!(f, "{} at {}", counted(self.bytes, "byte"), DevicePtr::new(self.start));
        };
        let first = self.start - allocation.start;
        write!(
            f,
            "bytes {first}..{} of the {} of {} memory at {}, allocated at {}",
            first + self.bytes,
            counted(allocation.bytes, "byte"),
            allocation.kind.as_str(),
            DevicePtr::new(allocation.start),
            allocation.location
        )
    }
}

impl fmt::Display for Hazard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (earlier, later, memory) = (&self.earlier, &self.later, &self.memory);
        let (first, second) = (earlier.actor(), later.actor());
        let reach = if self.certain { "both reach" } else { "both may reach" };
        match self.kind {
            HazardKind::Unordered => {
                write!(
                    f,
                    "{earlier}, {later}, and nothing orders the two; {reach} {memory}. Make {second} wait for {first} after \
                     `{}`: record an event on {first} there and have {second} wait for it, or use `Stream::wait_for`",
                    earlier.what
                )?;
                match later.what {
                    "copy_to_host" | "copy_to_device" => {
                        write!(f, "; or copy in the order of {first} with `{}_on`", later.what)
                    }
                    _ => Ok(()),
                }
            }
            HazardKind::NotWaitedFor => write!(
                f,
                "{earlier}, and on the host {later}, without having waited for it; {reach} {memory}. \
                 Synchronise {first} first, or an event recorded on it after `{}`",
                earlier.what
            ),
            HazardKind::Freed => write!(
                f,
                "{later}, but that memory was freed before ({}): {memory}. Free it after the last launch that uses it",
                CalledAt(earlier.location)
            ),
        }
    }
}
