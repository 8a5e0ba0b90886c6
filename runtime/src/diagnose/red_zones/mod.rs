//! Bands of known bytes around allocations.

mod layer;
mod overrun;
mod state;
mod zone;

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

pub use self::overrun::{Overrun, Side};
use self::state::Shared;
use self::zone::Zone;
use super::{Call, Layered, MemoryKind, Place, print};
use crate::argument::DevicePtr;
use crate::backend::GpuBackend;
use crate::device::Gpu;
use crate::error::{Error, MemoryProblem, Result};
use crate::words::counted;

/// What the bands hold: a small number as a float, and one that is not often written by mistake.
const FILL: u8 = 0xA5;
/// The length of a band is a multiple of this, so that what is allocated stays as aligned as the backend promises.
const BAND_ALIGN: usize = 256;

/// Puts a band of known bytes before and after each allocation, and finds what was written over them.
///
/// The bands are looked at when memory is freed, which waits for the device then, and by [`scan`](Self::scan). A clone is the same
/// set of bands, which may be around several backends; around one twice, it is there once. Copies and memsets that reach into a band are refused as they are without it.
///
/// Allocations are numbered from 1 in their order, as a [`Trace`](super::Trace) of the same backends numbers them.
/// [`poison`](Self::poison) rewrites the bands of some of them with other bytes and moves none: where a kernel *reads* past an end,
/// the result changes with the bands of the allocation that matters, and halving the range finds it.
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
/// assert!(found.to_string().starts_with("allocation 1 at "));
/// # Ok::<(), warpcall::Error>(())
/// ```
#[derive(Debug)]
pub struct RedZones {
    shared: Arc<Shared>,
    /// Whether overruns go to the standard error stream as they are found.
    prints: bool,
    /// Whether the same bands are there underneath, so that this layer has nothing to do.
    again: AtomicBool,
}

impl Clone for RedZones {
    fn clone(&self) -> Self {
        Self { shared: Arc::clone(&self.shared), prints: self.prints, again: AtomicBool::new(false) }
    }
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
        Ok(Self { shared: Arc::new(Shared::new(band)), prints: false, again: AtomicBool::new(false) })
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
        self.scan_all(inner)
    }

    /// Fills the bands of the allocations with these numbers with `byte`, both those that are there and those to come. What was
    /// written over them before is found first.
    ///
    /// # Errors
    ///
    /// As for [`scan`](Self::scan).
    pub fn poison(&self, gpu: &Gpu, allocations: Range<u64>, byte: u8) -> Result<()> {
        let inner = self.inner_of(gpu, "RedZones::poison")?;
        inner.synchronize()?;
        let frozen = self.shared.freeze();
        self.scan_zones(&frozen.zones_of(inner), inner)?;
        for zone in frozen.poison(allocations, byte, inner.id()) {
            zone.write(inner)?;
        }
        drop(frozen);
        inner.synchronize()
    }

    /// Fills the bands of the allocations with these numbers with `byte`, where they are still to come.
    #[must_use]
    pub fn poison_new(self, allocations: Range<u64>, byte: u8) -> Self {
        self.shared.state().poison(allocations, byte);
        self
    }

    /// How many allocations there were, which is the number of the last one.
    pub fn allocations(&self) -> u64 {
        self.shared.state().allocations
    }

    /// What was found so far and not taken yet: the first 4,096 of it.
    pub fn take_overruns(&self) -> Vec<Overrun> {
        std::mem::take(&mut self.shared.state().overruns)
    }

    /// How many allocations were freed without a look at their bands, since a stream was capturing or the device had faulted.
    pub fn unscanned(&self) -> u64 {
        self.shared.state().unscanned
    }

    /// The backend that has the bands in its memory.
    fn inner_of<'g>(&self, gpu: &'g Gpu, operation: &'static str) -> Result<&'g dyn GpuBackend> {
        match self.layer_in(&**gpu.backend()) {
            Some(layered) => Ok(layered.underneath()),
            None => Err(Error::InvalidArgument {
                operation,
                what: "the device".into(),
                found: gpu.label().to_string().into(),
                expected: "one that was opened with these red zones".into(),
            }),
        }
    }

    /// The layer with these bands in a stack, which may have others with other bands.
    fn layer_in<'b>(&self, backend: &'b dyn GpuBackend) -> Option<&'b Layered<Self>> {
        backend.layers::<Self>().find(|layered| {
            let layer = layered.layer();
            Arc::ptr_eq(&layer.shared, &self.shared) && !layer.is_there_already()
        })
    }

    /// What was found, printed and kept.
    fn keep(&self, found: &[Overrun]) {
        if self.prints {
            for overrun in found {
                print(format_args!("red zones: {overrun}"));
            }
        }
        self.shared.state().keep(found);
    }

    /// Says how much of what is allocated nobody has looked at.
    pub(super) fn print_unfreed(&self) {
        let count = self.shared.state().live();
        if count > 0 {
            print(format_args!(
                "red zones: not looked at, as nobody freed them: {}; `RedZones::scan` looks at them",
                counted(count, "allocation")
            ));
        }
    }

    fn is_there_already(&self) -> bool {
        self.again.load(Ordering::Relaxed)
    }

    /// The length with both bands; `None` where no memory is that long, which the backend may say itself.
    fn with_bands(&self, bytes: usize) -> Option<usize> {
        (bytes > 0 && !self.is_there_already()).then(|| bytes.checked_add(2 * self.shared.band)).flatten()
    }

    /// What was allocated without bands, as it has no bytes, is counted all the same.
    fn without_bytes<T>(&self, allocated: Result<T>) -> Result<T> {
        if allocated.is_ok() && !self.is_there_already() {
            self.shared.state().number_and_fill();
        }
        allocated
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
        let (number, fill) = self.shared.state().number_and_fill();
        let mut zone = Zone {
            backend: call.inner.id(),
            number,
            memory,
            outer,
            alias: None,
            band: self.shared.band,
            bytes,
            location: call.place(),
            fill,
        };
        let start = zone.start();
        loop {
            if let Err(error) = zone.write(call.inner) {
                self.shared.state().take_back(number);
                return Err(error);
            }
            let mut state = self.shared.state();
            // Unless it was poisoned meanwhile.
            let fill = state.fill(number);
            if fill == zone.fill {
                state.insert(zone);
                return Ok(start);
            }
            zone.fill = fill;
        }
    }

    /// Enters device or managed memory that was allocated with its bands.
    fn entered(
        &self,
        call: &Call<'_>,
        memory: MemoryKind,
        allocated: Result<DevicePtr>,
        bytes: usize,
    ) -> Result<DevicePtr> {
        let outer = allocated.map_err(|error| self.without_bands(error, bytes))?;
        match self.enter(call, memory, outer.address(), bytes) {
            Ok(start) => Ok(DevicePtr::new(start)),
            Err(error) => {
                // SAFETY: nobody was given it.
                unsafe { call.inner.free(outer) }?;
                Err(error)
            }
        }
    }

    /// Takes out what starts at `start`, to be freed, and looks at its bands; `None` where it has none.
    fn take(&self, inner: &dyn GpuBackend, memory: MemoryKind, start: u64) -> Option<Zone> {
        if self.is_there_already() {
            return None;
        }
        let zone = self.shared.take(inner.id(), memory, start.wrapping_sub(self.shared.band as u64))?;
        // Nothing is locked meanwhile: the device does what is enqueued, which on the host may be a function that comes here.
        match inner.synchronize().and_then(|()| zone.overruns(inner)) {
            Ok(found) => self.keep(&found),
            Err(_) => self.shared.state().unscanned += 1,
        }
        Some(zone)
    }

    /// Puts back what could not be freed.
    fn put_back(&self, zone: Zone) {
        self.shared.state().insert(zone);
    }

    /// Looks at the bands of all memory of a backend, which is idle, and writes them anew where something was found.
    fn scan_all(&self, inner: &dyn GpuBackend) -> Result<Vec<Overrun>> {
        let frozen = self.shared.freeze();
        self.scan_zones(&frozen.zones_of(inner), inner)
    }

    /// Looks at these, of which none is freed meanwhile.
    fn scan_zones(&self, zones: &[Zone], inner: &dyn GpuBackend) -> Result<Vec<Overrun>> {
        let mut all = Vec::new();
        let looked = zones.iter().try_for_each(|zone| {
            let found = zone.overruns(inner)?;
            let is_whole = found.is_empty();
            all.extend(found);
            if is_whole { Ok(()) } else { zone.write(inner) }
        });
        all.sort_by_key(|overrun| (overrun.allocation, overrun.first));
        // Also where not all could be looked at.
        self.keep(&all);
        looked.map(|()| all)
    }

    /// Refuses a range that reaches into a band, as the backend would if the band were not there.
    fn check(&self, call: &Call<'_>, ptr: DevicePtr, bytes: usize) -> Result<()> {
        let around = self.shared.state().around(call.inner.id(), ptr.address());
        let Some(own) = around.filter(|_| bytes > 0) else { return Ok(()) };
        let problem = if !own.contains(&ptr.address()) {
            MemoryProblem::Unknown
        } else if bytes as u64 > own.end - ptr.address() {
            MemoryProblem::OutOfBounds { start: DevicePtr::new(own.start), length: length(&own) }
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

/// How many bytes lie at these addresses.
#[allow(clippy::cast_possible_truncation)] // No more than were allocated.
fn length(addresses: &Range<u64>) -> usize {
    (addresses.end - addresses.start) as usize
}
