use std::fmt;
use std::panic::Location;

use crate::diagnose::MemoryKind;
use crate::words::counted;

/// Bytes of a band that were written over.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Overrun {
    /// The allocation's number, counted from 1.
    pub allocation: u64,
    /// Its kind.
    pub memory: MemoryKind,
    /// Its first address: on the host for pinned memory, else on the device.
    pub address: u64,
    /// Its length in bytes.
    pub bytes: usize,
    /// Where the caller's code allocated it.
    pub location: &'static Location<'static>,
    /// On which side of it.
    pub side: Side,
    /// The first byte that changed, counted from the allocation's first: negative before it.
    pub first: i64,
    /// The last byte that changed, counted in the same way.
    pub last: i64,
    /// What the first bytes from there on hold, at most sixteen.
    pub found: Vec<u8>,
}

/// Before or after an allocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// Before its first byte.
    Before,
    /// After its last byte.
    After,
}

impl fmt::Display for Overrun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { allocation, address, bytes, location, first, last, .. } = self;
        let (side, distance) = match self.side {
            Side::Before => ("before", -first),
            #[allow(clippy::cast_possible_wrap)] // No allocation is that long.
            Side::After => ("after", last - *bytes as i64 + 1),
        };
        write!(
            f,
            "allocation {allocation} at {address:#x} ({} of {} memory, allocated at {location}): something wrote up to {} {side} \
             it, bytes {first} to {last}, which begin with",
            counted(*bytes, "byte"),
            self.memory.as_str(),
            counted(distance, "byte")
        )?;
        self.found.iter().try_for_each(|byte| write!(f, " {byte:02x}"))
    }
}
