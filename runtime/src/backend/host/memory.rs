use std::collections::BTreeMap;
use std::ops::Range;
use std::ptr::NonNull;

use super::address_space;
use super::block::{BLOCK_ALIGN, Block};
use crate::argument::DevicePtr;
use crate::backend::{BackendId, MemoryInfo};
use crate::error::{Error, MemoryProblem, Result};

/// Addresses between one allocation and the next, so that what runs past an end meets nothing.
const GUARD: u64 = 64 * 1024;

/// What new device memory holds: not-a-number as a float, -1 as an integer. So memory that was never
/// written shows in a result, as it would not if it were zero.
const UNWRITTEN: u8 = 0xFF;

/// The memory of one host backend: real, bounded, and found by address.
#[derive(Debug)]
pub(super) struct Memory {
    backend: BackendId,
    total: usize,
    used: usize,
    pinned_used: usize,
    /// By first address.
    live: BTreeMap<u64, Allocation>,
    /// The addresses of what was freed, guards included, neighbours joined: from first to end.
    freed: BTreeMap<u64, u64>,
    /// The same for managed memory, whose addresses the host may hand out again.
    freed_managed: BTreeMap<u64, u64>,
    /// Pinned memory: from its host address to its device address.
    pinned: BTreeMap<usize, u64>,
    /// Addresses that were claimed and not handed out yet.
    unused: Range<u64>,
    /// All ranges of addresses that were claimed.
    claimed: Vec<Range<u64>>,
}

#[derive(Debug)]
struct Allocation {
    block: Block,
    kind: Kind,
    bytes: usize,
    /// The addresses it keeps for itself: its bytes, and the guard.
    extent: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Device,
    Managed,
    Pinned,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::Device => "device",
            Self::Managed => "managed",
            Self::Pinned => "pinned",
        }
    }
}

/// Memory from a pointer to the end of its allocation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Region {
    /// The pointer.
    pub(super) ptr: DevicePtr,
    /// Where its first byte is on the host.
    pub(super) host: *mut u8,
    /// How many bytes there are.
    pub(super) bytes: usize,
}

impl Region {
    /// The device addresses.
    pub(super) fn addresses(&self) -> Range<u64> {
        self.ptr.address()..self.ptr.byte_add(self.bytes).address()
    }

    /// Whether one byte belongs to both.
    pub(super) fn overlaps(&self, other: &Self) -> bool {
        overlap(&self.addresses(), &other.addresses())
    }
}

/// Whether one address lies in both ranges.
pub(super) fn overlap(a: &Range<u64>, b: &Range<u64>) -> bool {
    a.start < b.end && b.start < a.end
}

impl Memory {
    pub(super) fn new(backend: BackendId, total: usize) -> Self {
        Self {
            backend,
            total,
            used: 0,
            pinned_used: 0,
            live: BTreeMap::new(),
            freed: BTreeMap::new(),
            freed_managed: BTreeMap::new(),
            pinned: BTreeMap::new(),
            unused: 0..0,
            claimed: Vec::new(),
        }
    }

    pub(super) fn info(&self) -> MemoryInfo {
        let free = self.total - self.used;
        MemoryInfo { total: self.total, free, driver_free: free, baseline_free: self.total }
    }

    /// Allocates; the device address.
    pub(super) fn allocate(
        &mut self,
        operation: &'static str,
        kind: Kind,
        bytes: usize,
    ) -> Result<DevicePtr> {
        if bytes == 0 {
            return Err(Error::InvalidArgument {
                operation,
                what: "the number of bytes".into(),
                found: "0".into(),
                expected: "at least 1".into(),
            });
        }
        let used = if kind == Kind::Pinned { self.pinned_used } else { self.used };
        let available = self.total - used;
        if bytes > available {
            return Err(Error::OutOfMemory { memory: kind.name(), requested: bytes, available });
        }
        let fill = if kind == Kind::Pinned { 0 } else { UNWRITTEN };
        let block = Block::new(bytes, fill).ok_or_else(|| {
            anyhow::anyhow!(
                "{operation}: the host itself has no {bytes} bytes left to stand for device memory"
            )
        })?;
        let (start, extent) = if kind == Kind::Managed {
            let start = block.as_ptr().expose_provenance() as u64;
            self.freed_managed.retain(|first, end| !overlap(&(*first..*end), &(start..start + bytes as u64)));
            address_space::enter_managed(start, bytes as u64, self.backend);
            (start, bytes as u64)
        } else {
            let extent = (bytes as u64).next_multiple_of(BLOCK_ALIGN as u64) + GUARD;
            (self.addresses(operation, extent)?, extent)
        };
        if kind == Kind::Pinned {
            self.pinned.insert(block.as_ptr().expose_provenance(), start);
            self.pinned_used += bytes;
        } else {
            self.used += bytes;
        }
        self.live.insert(start, Allocation { block, kind, bytes, extent });
        Ok(DevicePtr::new(start))
    }

    /// The first of `extent` addresses that were never used.
    fn addresses(&mut self, operation: &'static str, extent: u64) -> Result<u64> {
        if self.unused.end - self.unused.start < extent {
            // What is left of the old range stays claimed, and is recognised as never allocated.
            self.unused = address_space::claim(extent).ok_or_else(|| {
                anyhow::anyhow!("{operation}: this process has used up all device addresses")
            })?;
            self.claimed.push(self.unused.clone());
        }
        let start = self.unused.start;
        self.unused.start += extent;
        Ok(start)
    }

    /// Frees device or managed memory.
    pub(super) fn free(&mut self, operation: &'static str, ptr: DevicePtr) -> Result<()> {
        match self.live.get(&ptr.address()) {
            None => Err(self.not_a_start(operation, ptr)),
            Some(allocation) if allocation.kind == Kind::Pinned => Err(Error::InvalidArgument {
                operation,
                what: ptr.to_string().into(),
                found: "pinned host memory".into(),
                expected: "device memory; pinned memory is freed with `free_pinned`".into(),
            }),
            Some(_) => {
                self.remove(ptr.address());
                Ok(())
            }
        }
    }

    /// Frees pinned memory.
    pub(super) fn free_pinned(&mut self, operation: &'static str, ptr: NonNull<u8>) -> Result<()> {
        match self.pinned.remove(&ptr.addr().get()) {
            Some(start) => {
                self.remove(start);
                Ok(())
            }
            None => match self.pinned_device_ptr(operation, ptr) {
                Ok(inner) => Err(self.not_a_start(operation, inner)),
                Err(error) => Err(error),
            },
        }
    }

    fn remove(&mut self, start: u64) {
        let Some(allocation) = self.live.remove(&start) else { return };
        match allocation.kind {
            Kind::Pinned => self.pinned_used -= allocation.bytes,
            Kind::Device | Kind::Managed => self.used -= allocation.bytes,
        }
        if allocation.kind == Kind::Managed {
            address_space::leave_managed(start);
            self.freed_managed.insert(start, start + allocation.extent);
        } else {
            self.note_freed(start, start + allocation.extent);
        }
    }

    /// Joins the range with its freed neighbours, so that the list is no longer than what is live.
    fn note_freed(&mut self, mut start: u64, mut end: u64) {
        if let Some(after) = self.freed.remove(&end) {
            end = after;
        }
        if let Some((&before, _)) =
            self.freed.range(..start).next_back().filter(|(_, until)| **until == start)
        {
            start = before;
        }
        self.freed.insert(start, end);
    }

    fn not_a_start(&self, operation: &str, ptr: DevicePtr) -> Error {
        let problem = match self.resolve(ptr, 0) {
            Ok(_) => MemoryProblem::NotAStart,
            Err(problem) => problem,
        };
        Error::Memory { operation: operation.into(), ptr, bytes: 0, problem }
    }

    /// The device address of pinned memory.
    pub(super) fn pinned_device_ptr(&self, operation: &'static str, ptr: NonNull<u8>) -> Result<DevicePtr> {
        let host = ptr.addr().get();
        let found = self.pinned.range(..=host).next_back().and_then(|(&first, &start)| {
            let bytes = self.live.get(&start)?.bytes;
            (host - first < bytes).then(|| DevicePtr::new(start).byte_add(host - first))
        });
        found.ok_or_else(|| Error::Memory {
            operation: operation.into(),
            ptr: DevicePtr::new(host as u64),
            bytes: 0,
            problem: MemoryProblem::Unknown,
        })
    }

    /// The host address of pinned memory.
    pub(super) fn pinned_host_ptr(&self, ptr: DevicePtr) -> Option<NonNull<u8>> {
        NonNull::new(self.live.get(&ptr.address())?.block.as_ptr())
    }

    /// The memory from `ptr` to the end of its allocation, of which there must be `bytes` bytes. A pointer to the
    /// very end of an allocation is one to no bytes.
    pub(super) fn resolve(&self, ptr: DevicePtr, bytes: usize) -> Result<Region, MemoryProblem> {
        let address = ptr.address();
        let nearest = self.live.range(..=address).next_back();
        let Some((&start, allocation)) = nearest.filter(|(start, found)| {
            let offset = address - **start;
            offset < found.extent || offset == found.bytes as u64
        }) else {
            return Err(self.problem_at(address));
        };
        let offset = usize::try_from(address - start).unwrap_or(usize::MAX);
        match allocation.bytes.checked_sub(offset) {
            Some(left) if bytes <= left => {
                // SAFETY: the offset is at most the block's length.
                Ok(Region { ptr, host: unsafe { allocation.block.as_ptr().add(offset) }, bytes: left })
            }
            _ => Err(MemoryProblem::OutOfBounds { start: DevicePtr::new(start), length: allocation.bytes }),
        }
    }

    /// As [`resolve`](Self::resolve), with the error of an operation; the region has exactly `bytes` bytes.
    pub(super) fn range(&self, operation: &str, ptr: DevicePtr, bytes: usize) -> Result<Region> {
        match self.resolve(ptr, bytes) {
            Ok(region) => Ok(Region { bytes, ..region }),
            Err(problem) => Err(Error::Memory { operation: operation.into(), ptr, bytes, problem }),
        }
    }

    /// As [`range`](Self::range), of memory that a safe operation may read and write. Pinned memory is not: a slice on the
    /// host may borrow it.
    pub(super) fn device_range(&self, operation: &str, ptr: DevicePtr, bytes: usize) -> Result<Region> {
        let region = self.range(operation, ptr, bytes)?;
        let holding = self.live.range(..=ptr.address()).next_back();
        if holding.is_some_and(|(_, allocation)| allocation.kind == Kind::Pinned) {
            return Err(Error::Memory {
                operation: operation.into(),
                ptr,
                bytes,
                problem: MemoryProblem::Pinned,
            });
        }
        Ok(region)
    }

    fn problem_at(&self, address: u64) -> MemoryProblem {
        let within = |freed: &BTreeMap<u64, u64>| {
            freed.range(..=address).next_back().is_some_and(|(_, end)| address < *end)
        };
        if address == 0 {
            MemoryProblem::Null
        } else if within(&self.freed) || within(&self.freed_managed) {
            MemoryProblem::Freed
        } else if self.claimed.iter().any(|range| range.contains(&address)) {
            MemoryProblem::Unknown
        } else if address_space::is_claimed(address)
            || address_space::is_managed_elsewhere(address, self.backend)
        {
            MemoryProblem::Foreign
        } else {
            MemoryProblem::Unknown
        }
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        for (start, _) in self.live.iter().filter(|(_, allocation)| allocation.kind == Kind::Managed) {
            address_space::leave_managed(*start);
        }
    }
}
