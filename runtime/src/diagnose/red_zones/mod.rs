//! Bands of known bytes around allocations.

mod overrun;
mod zone;

use std::collections::BTreeMap;
use std::ops::Range;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use smallvec::SmallVec;

pub use self::overrun::{Overrun, Side};
use self::zone::{Zone, pinned};
use super::{Call, Layer, Layered, MemoryKind, Operation, Place};
use crate::argument::{DevicePtr, KernelArg};
use crate::backend::{GpuBackend, Launch};
use crate::device::Gpu;
use crate::error::{Error, MemoryProblem, Result};

/// What the bands hold: a small number as a float, and one that is not often written by mistake.
const FILL: u8 = 0xA5;
/// The length of a band is a multiple of this, so that what is allocated stays as aligned as the backend promises.
const BAND_ALIGN: usize = 256;

/// Puts a band of known bytes before and after each allocation, and finds what was written over them.
///
/// The bands are looked at when memory is freed, which waits for the device then, and by [`scan`](Self::scan). A clone is the same
/// set of bands. Copies and memsets that reach into a band are refused as they are without it.
///
/// Allocations are numbered from 0 in their order. [`poison`](Self::poison) rewrites the bands of some of them with other bytes and
/// moves none: where a kernel *reads* past an end, the result changes with the bands of the allocation that matters, and
/// halving the range finds it.
///
/// ```
/// use warpcall::Gpu;
/// use warpcall::diagnose::{RedZones, Side};
///
/// let zones = RedZones::new(256)?;
/// let gpu = Gpu::builder().host().red_zones(&zones).open()?;
/// let mut buffer = gpu.pinned::<u8>(100)?;
/// assert!(zones.scan(&gpu)?.is_empty());
///
/// // What code does that writes too far:
/// // SAFETY: the band is there.
/// unsafe { buffer.as_mut_ptr().add(102).write(7) };
/// drop(buffer);
/// let found = &zones.take_overruns()[0];
/// assert_eq!((found.side, found.first, found.last, &*found.found), (Side::After, 102, 102, &[7][..]));
/// assert!(found.to_string().starts_with("allocation 0 at "));
/// # Ok::<(), warpcall::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct RedZones {
    shared: Arc<Shared>,
    /// Whether overruns go to the standard error stream as they are found.
    prints: bool,
}

#[derive(Debug)]
struct Shared {
    band: usize,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// By the first address of the band before: of device and managed memory, and of pinned memory on the host.
    device: BTreeMap<u64, Zone>,
    pinned: BTreeMap<u64, Zone>,
    next: u64,
    /// Which numbers have bands of other bytes. The last that names a number counts.
    poisoned: Vec<(Range<u64>, u8)>,
    overruns: Vec<Overrun>,
    unscanned: u64,
}

impl State {
    fn zones(&mut self, memory: MemoryKind) -> &mut BTreeMap<u64, Zone> {
        match memory {
            MemoryKind::Device | MemoryKind::Managed => &mut self.device,
            MemoryKind::Pinned => &mut self.pinned,
        }
    }

    /// The device or managed memory in whose bands, or in which, an address lies.
    fn around(&self, address: u64) -> Option<&Zone> {
        around(&self.device, address)
    }

    fn fill(&self, number: u64) -> u8 {
        let of_number = |(numbers, _): &&(Range<u64>, u8)| numbers.contains(&number);
        self.poisoned.iter().rev().find(of_number).map_or(FILL, |(_, fill)| *fill)
    }
}

fn around(zones: &BTreeMap<u64, Zone>, address: u64) -> Option<&Zone> {
    zones.range(..=address).next_back().map(|(_, zone)| zone).filter(|zone| address < zone.outer_end())
}

impl RedZones {
    /// The byte of a poisoned band: not-a-number in every width of float, -1 as an integer.
    pub const POISON: u8 = 0xFF;

    /// Bands of at least `band_bytes` bytes on each side, rounded up to a multiple of 256.
    ///
    /// # Errors
    ///
    /// Where `band_bytes` is 0, or longer than a GiB.
    pub fn new(band_bytes: usize) -> Result<Self> {
        if !(1..=1 << 30).contains(&band_bytes) {
            return Err(Error::InvalidArgument {
                operation: "RedZones::new",
                what: "the length of a band".into(),
                found: format!("{band_bytes} bytes").into(),
                expected: "1 byte to 1 GiB".into(),
            });
        }
        let band = band_bytes.next_multiple_of(BAND_ALIGN);
        Ok(Self { shared: Arc::new(Shared { band, state: Mutex::default() }), prints: false })
    }

    /// Prints each overrun to the standard error stream when it is found.
    #[must_use]
    pub fn print(mut self) -> Self {
        self.prints = true;
        self
    }

    /// Waits for the device, and looks at the bands of all that is allocated. What is found is returned and kept, and the
    /// bands are written anew.
    ///
    /// # Errors
    ///
    /// Where `gpu` has no such layer, something on it is capturing, or the device has faulted.
    pub fn scan(&self, gpu: &Gpu) -> Result<Vec<Overrun>> {
        let inner = self.inner_of(gpu, "RedZones::scan")?;
        inner.synchronize()?;
        let mut state = self.state();
        let found = scan_all(&state, inner)?;
        self.keep(&mut state, &found);
        Ok(found)
    }

    /// Fills the bands of the allocations with these numbers with `byte`, both those that are there and those to come. What was
    /// written over them before is found first.
    ///
    /// # Errors
    ///
    /// As for [`scan`](Self::scan).
    pub fn poison(&self, gpu: &Gpu, allocations: Range<u64>, byte: u8) -> Result<()> {
        self.scan(gpu)?;
        let inner = self.inner_of(gpu, "RedZones::poison")?;
        let mut state = self.state();
        let state = &mut *state;
        state.poisoned.push((allocations.clone(), byte));
        for zone in state.device.values_mut().chain(state.pinned.values_mut()) {
            if allocations.contains(&zone.number) && zone.backend == inner.id() {
                zone.fill = byte;
                zone.write(inner)?;
            }
        }
        inner.synchronize()
    }

    /// Fills the bands of the allocations with these numbers with `byte`, where they are still to come.
    #[must_use]
    pub fn poison_new(self, allocations: Range<u64>, byte: u8) -> Self {
        self.state().poisoned.push((allocations, byte));
        self
    }

    /// How many allocations there were: the number of the next one.
    pub fn allocations(&self) -> u64 {
        self.state().next
    }

    /// What was found so far and not taken yet.
    pub fn take_overruns(&self) -> Vec<Overrun> {
        std::mem::take(&mut self.state().overruns)
    }

    /// How many allocations were freed without a look at their bands, since a stream was capturing or the device had faulted.
    pub fn unscanned(&self) -> u64 {
        self.state().unscanned
    }

    /// The backend that has the bands in its memory.
    fn inner_of<'g>(&self, gpu: &'g Gpu, operation: &'static str) -> Result<&'g dyn GpuBackend> {
        let layered = gpu.backend().downcast_ref::<Layered<Self>>();
        match layered.filter(|layered| Arc::ptr_eq(&layered.layer().shared, &self.shared)) {
            Some(layered) => Ok(layered.underneath()),
            None => Err(Error::InvalidArgument {
                operation,
                what: "the device".into(),
                found: gpu.label().to_string().into(),
                expected: "one that was opened with these red zones".into(),
            }),
        }
    }

    fn keep(&self, state: &mut State, found: &[Overrun]) {
        if self.prints {
            for overrun in found {
                eprintln!("red zones: {overrun}");
            }
        }
        state.overruns.extend_from_slice(found);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing panics while it is held.
        self.shared.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The length with both bands; `None` where no memory is that long, which the backend may say itself.
    fn with_bands(&self, bytes: usize) -> Option<usize> {
        (bytes > 0).then(|| bytes.checked_add(2 * self.shared.band)).flatten()
    }

    /// A lack of memory as the caller knows it, who asked for `bytes` bytes.
    fn without_bands(&self, error: Error, bytes: usize) -> Error {
        match error {
            Error::OutOfMemory { memory, available, .. } => Error::OutOfMemory {
                memory,
                requested: bytes,
                available: available.saturating_sub(2 * self.shared.band),
            },
            other => other,
        }
    }

    /// Enters what was allocated at `outer`, and writes its bands.
    fn enter(&self, call: &Call<'_>, memory: MemoryKind, outer: u64, bytes: usize) -> Result<u64> {
        let mut state = self.state();
        let number = state.next;
        state.next += 1;
        let zone = Zone {
            backend: call.inner.id(),
            number,
            memory,
            outer,
            band: self.shared.band,
            bytes,
            location: call.location,
            fill: state.fill(number),
        };
        zone.write(call.inner)?;
        let start = zone.start();
        state.zones(memory).insert(outer, zone);
        Ok(start)
    }

    fn allocate_device(
        &self,
        call: &Call<'_>,
        memory: MemoryKind,
        bytes: usize,
        allocate: impl Fn(usize) -> Result<DevicePtr>,
    ) -> Result<DevicePtr> {
        let Some(whole) = self.with_bands(bytes) else { return allocate(bytes) };
        let outer = allocate(whole).map_err(|error| self.without_bands(error, bytes))?;
        match self.enter(call, memory, outer.address(), bytes) {
            Ok(start) => Ok(DevicePtr::new(start)),
            Err(error) => {
                // SAFETY: nobody was given it.
                unsafe { call.inner.free(outer) }?;
                Err(error)
            }
        }
    }

    /// Takes out what starts at `start`, looks at its bands, and has its outer start freed; puts it back where that fails.
    fn take(
        &self,
        inner: &dyn GpuBackend,
        memory: MemoryKind,
        start: u64,
        free: impl FnOnce(u64) -> Result<()>,
    ) -> Result<()> {
        let mut state = self.state();
        let outer = start.wrapping_sub(self.shared.band as u64);
        let Some(zone) = state.zones(memory).remove(&outer) else {
            drop(state);
            return free(start);
        };
        match inner.synchronize().and_then(|()| zone.overruns(inner)) {
            Ok(found) => self.keep(&mut state, &found),
            Err(_) => state.unscanned += 1,
        }
        free(outer).inspect_err(|_| {
            state.zones(memory).insert(outer, zone);
        })
    }

    /// Refuses a range that reaches into a band, as the backend would if the band were not there.
    fn check(&self, call: &Call<'_>, ptr: DevicePtr, bytes: usize) -> Result<()> {
        let state = self.state();
        let Some(zone) = state.around(ptr.address()).filter(|_| bytes > 0) else { return Ok(()) };
        let problem = if ptr.address() < zone.start() || ptr.address() >= zone.end() {
            MemoryProblem::Unknown
        } else if bytes as u64 > zone.end() - ptr.address() {
            MemoryProblem::OutOfBounds { start: DevicePtr::new(zone.start()), length: zone.bytes }
        } else {
            return Ok(());
        };
        Err(Error::Memory { operation: call.name.into(), ptr, bytes, problem })
    }

    fn check_place(&self, call: &Call<'_>, place: Place, bytes: usize) -> Result<()> {
        match place {
            Place::Device(ptr) => self.check(call, ptr, bytes),
            Place::Host(_) => Ok(()),
        }
    }
}

/// The overruns of all memory of one backend, whose bands are written anew. The device is idle.
fn scan_all(state: &State, inner: &dyn GpuBackend) -> Result<Vec<Overrun>> {
    let mut all = Vec::new();
    for zone in state.device.values().chain(state.pinned.values()).filter(|zone| zone.backend == inner.id()) {
        let found = zone.overruns(inner)?;
        if !found.is_empty() {
            zone.write(inner)?;
        }
        all.extend(found);
    }
    all.sort_by_key(|overrun| (overrun.allocation, overrun.first));
    Ok(all)
}

// SAFETY: what is handed out lies within what the backend underneath allocated, a multiple of 256 bytes from its start, with its
// bands on both sides, which are handed out to nobody; and it is freed as a whole.
unsafe impl Layer for RedZones {
    fn name(&self) -> &'static str {
        "red zones"
    }

    fn before(&self, call: &Call<'_>) -> Result<()> {
        match call.operation {
            Operation::Copy(copy) => {
                self.check_place(call, copy.dst, copy.bytes)?;
                self.check_place(call, copy.src, copy.bytes)
            }
            Operation::CopyRectangle { copy, .. } => {
                // What overflows, the backend refuses itself.
                let extent = |pitch: usize| {
                    pitch.saturating_mul(copy.height.saturating_sub(1)).saturating_add(copy.width)
                };
                let is_empty = copy.width == 0 || copy.height == 0;
                if is_empty || copy.width > copy.dst_pitch.min(copy.src_pitch) {
                    return Ok(());
                }
                self.check(call, copy.dst, extent(copy.dst_pitch))?;
                self.check(call, copy.src, extent(copy.src_pitch))
            }
            Operation::Fill { dst, bytes, .. } => self.check(call, dst, bytes),
            Operation::Free { ptr } => {
                let state = self.state();
                match state.around(ptr.address()) {
                    Some(zone) if zone.start() != ptr.address() => Err(Error::Memory {
                        operation: call.name.into(),
                        ptr,
                        bytes: 0,
                        problem: MemoryProblem::NotAStart,
                    }),
                    _ => Ok(()),
                }
            }
            _ => Ok(()),
        }
    }

    /// Tells how far memory reaches that a raw pointer names, so that nothing is given the bands as its own.
    unsafe fn launch(&self, call: &Call<'_>, launch: &Launch<'_>) -> Result<()> {
        let buffers = launch.args.iter().filter_map(KernelArg::as_buffer);
        let extents: SmallVec<[usize; 32]> = {
            let state = self.state();
            let extent = |(index, ptr): (usize, DevicePtr)| {
                launch.extent(index).unwrap_or_else(|| match state.around(ptr.address()) {
                    #[allow(clippy::cast_possible_truncation)] // Less than the allocation's own length.
                    Some(zone) if (zone.start()..zone.end()).contains(&ptr.address()) => {
                        (zone.end() - ptr.address()) as usize
                    }
                    _ => Launch::UNKNOWN_EXTENT,
                })
            };
            buffers.enumerate().map(extent).collect()
        };
        // SAFETY: the caller answers for the launch; the extents are those of what its pointers name.
        unsafe { call.inner.launch(&Launch { extents: &extents, ..*launch }) }
    }

    fn allocate(&self, call: &Call<'_>, bytes: usize) -> Result<DevicePtr> {
        self.allocate_device(call, MemoryKind::Device, bytes, |bytes| call.inner.allocate(bytes))
    }

    fn allocate_managed(&self, call: &Call<'_>, bytes: usize) -> Result<DevicePtr> {
        self.allocate_device(call, MemoryKind::Managed, bytes, |bytes| call.inner.allocate_managed(bytes))
    }

    unsafe fn free(&self, call: &Call<'_>, ptr: DevicePtr) -> Result<()> {
        // SAFETY: the caller uses the memory no more.
        self.take(call.inner, MemoryKind::Device, ptr.address(), |outer| unsafe {
            call.inner.free(DevicePtr::new(outer))
        })
    }

    fn allocate_pinned(&self, call: &Call<'_>, bytes: usize) -> Result<NonNull<u8>> {
        let Some(whole) = self.with_bands(bytes) else { return call.inner.allocate_pinned(bytes) };
        let outer = call.inner.allocate_pinned(whole).map_err(|error| self.without_bands(error, bytes))?;
        // Writing to the host's memory cannot fail.
        self.enter(call, MemoryKind::Pinned, outer.as_ptr().expose_provenance() as u64, bytes)?;
        // SAFETY: the band before it is part of what was allocated.
        Ok(unsafe { outer.add(self.shared.band) })
    }

    unsafe fn free_pinned(&self, call: &Call<'_>, ptr: NonNull<u8>) -> Result<()> {
        let start = ptr.as_ptr().expose_provenance() as u64;
        self.take(call.inner, MemoryKind::Pinned, start, |outer| {
            // SAFETY: the caller uses the memory no more.
            unsafe { call.inner.free_pinned(NonNull::new(pinned(outer)).unwrap_or(ptr)) }
        })
    }

    fn close(&self, inner: &dyn GpuBackend) {
        let mut state = self.state();
        let left = state.device.values().chain(state.pinned.values());
        let count = left.filter(|zone| zone.backend == inner.id()).count();
        match inner.synchronize().and_then(|()| scan_all(&state, inner)) {
            Ok(found) => self.keep(&mut state, &found),
            Err(_) => state.unscanned += count as u64,
        }
        state.device.retain(|_, zone| zone.backend != inner.id());
        state.pinned.retain(|_, zone| zone.backend != inner.id());
    }
}
