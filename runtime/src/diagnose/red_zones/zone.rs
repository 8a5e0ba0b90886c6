use std::panic::Location;

use super::{Overrun, Side};
use crate::argument::DevicePtr;
use crate::backend::{BackendId, Fill, GpuBackend};
use crate::diagnose::MemoryKind;
use crate::error::Result;

/// An allocation with its bands.
#[derive(Clone, Debug)]
pub(super) struct Zone {
    pub(super) backend: BackendId,
    pub(super) number: u64,
    pub(super) memory: MemoryKind,
    /// The first address of the band before it, which is what the backend underneath allocated.
    pub(super) outer: u64,
    /// Where the device reaches that address of pinned memory, once that was asked for.
    pub(super) alias: Option<u64>,
    pub(super) band: usize,
    pub(super) bytes: usize,
    pub(super) location: &'static Location<'static>,
    /// What every byte of the bands holds.
    pub(super) fill: u8,
}

impl Zone {
    /// The first address of the allocation.
    pub(super) fn start(&self) -> u64 {
        self.outer + self.band as u64
    }

    /// The first address after the allocation.
    pub(super) fn end(&self) -> u64 {
        self.start() + self.bytes as u64
    }

    /// The first address after the band after it.
    pub(super) fn outer_end(&self) -> u64 {
        self.end() + self.band as u64
    }

    fn bands(&self) -> [(Side, u64); 2] {
        [(Side::Before, self.outer), (Side::After, self.end())]
    }

    /// Writes the bands anew.
    pub(super) fn write(&self, inner: &dyn GpuBackend) -> Result<()> {
        for (_, start) in self.bands() {
            match self.memory {
                // SAFETY: the band is part of what was allocated, and nobody else has its address.
                MemoryKind::Pinned => unsafe { pinned(start).write_bytes(self.fill, self.band) },
                MemoryKind::Device | MemoryKind::Managed => {
                    inner.memset(DevicePtr::new(start), Fill::Byte(self.fill), self.band)?;
                }
            }
        }
        Ok(())
    }

    /// What was written over the bands. The device is idle.
    pub(super) fn overruns(&self, inner: &dyn GpuBackend) -> Result<Vec<Overrun>> {
        let mut overruns = Vec::new();
        let mut held = vec![0; self.band];
        for (side, start) in self.bands() {
            match self.memory {
                // SAFETY: as above; the device, which may have written to it by mistake, is idle.
                MemoryKind::Pinned => unsafe {
                    pinned(start).copy_to_nonoverlapping(held.as_mut_ptr(), self.band);
                },
                MemoryKind::Device | MemoryKind::Managed => {
                    inner.copy_to_host(&mut held, DevicePtr::new(start))?;
                }
            }
            let changed = |byte: &u8| *byte != self.fill;
            let (Some(first), Some(last)) = (held.iter().position(changed), held.iter().rposition(changed))
            else {
                continue;
            };
            let from_start = |index: usize| (start + index as u64).wrapping_sub(self.start()).cast_signed();
            overruns.push(Overrun {
                allocation: self.number,
                memory: self.memory,
                address: self.start(),
                bytes: self.bytes,
                location: self.location,
                side,
                first: from_start(first),
                last: from_start(last),
                found: held[first..=last].iter().copied().take(16).collect(),
            });
        }
        Ok(overruns)
    }
}

/// The host's pointer to pinned memory, from its address.
#[allow(clippy::cast_possible_truncation)] // A `usize` has 64 bits wherever this crate builds.
pub(super) fn pinned(address: u64) -> *mut u8 {
    std::ptr::with_exposed_provenance_mut(address as usize)
}
