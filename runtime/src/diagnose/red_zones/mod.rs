//! Bands of known bytes around allocations.

mod overrun;
mod state;
mod zone;

use std::ffi::c_void;
use std::ops::Range;
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use smallvec::SmallVec;

pub use self::overrun::{Overrun, Side};
use self::state::Shared;
use self::zone::{Zone, pinned};
use super::args::Args;
use super::{Call, Layer, Layered, MemoryKind, Operation, Outcome, Place, print};
use crate::argument::{DevicePtr, KernelArg};
use crate::backend::{GpuBackend, KernelHandle, Launch, StreamHandle};
use crate::device::Gpu;
use crate::error::{Error, MemoryProblem, Result};
use crate::launch::LaunchConfig;
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

// SAFETY: what is handed out lies within what the backend underneath allocated, a multiple of 256 bytes from its start, with its
// bands on both sides, which are handed out to nobody; and it is freed as a whole.
unsafe impl Layer for RedZones {
    fn name(&self) -> &'static str {
        "red zones"
    }

    fn opened(&self, inner: &Arc<dyn GpuBackend>) {
        if self.layer_in(&**inner).is_some() {
            self.again.store(true, Ordering::Relaxed);
            return;
        }
        self.shared.state().layers.open(inner.id());
    }

    fn before(&self, call: &Call<'_>) -> Result<()> {
        if self.is_there_already() {
            return Ok(());
        }
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
            Operation::Free { ptr } => match self.shared.state().around(call.inner.id(), ptr.address()) {
                Some(own) if own.start != ptr.address() => Err(Error::Memory {
                    operation: call.name.into(),
                    ptr,
                    bytes: 0,
                    problem: MemoryProblem::NotAStart,
                }),
                _ => Ok(()),
            },
            _ => Ok(()),
        }
    }

    fn after(&self, call: &Call<'_>, outcome: Outcome<'_>) {
        if let (Operation::PinnedDevicePtr { ptr }, Outcome::Memory(device)) = (call.operation, outcome) {
            let host = ptr.addr().get() as u64;
            self.shared.state().alias(call.inner.id(), host, device.address());
        }
    }

    /// Tells how far memory reaches that a raw pointer names, so that nothing is given the bands as its own.
    unsafe fn launch(&self, call: &Call<'_>, launch: &Launch<'_>) -> Result<()> {
        if self.is_there_already() {
            // SAFETY: the caller answers for it.
            return unsafe { call.inner.launch(launch) };
        }
        let buffers = launch.args.iter().filter_map(KernelArg::as_buffer);
        let extents: SmallVec<[usize; 32]> = {
            let state = self.shared.state();
            let extent = |(index, ptr): (usize, DevicePtr)| {
                if launch.reach(index).is_some() {
                    return launch.extents[index];
                }
                match state.around(call.inner.id(), ptr.address()) {
                    Some(own) if (own.start..=own.end).contains(&ptr.address()) => {
                        Launch::at_most(length(&(ptr.address()..own.end)))
                    }
                    _ => Launch::UNKNOWN_EXTENT,
                }
            };
            buffers.enumerate().map(extent).collect()
        };
        // SAFETY: the caller answers for the launch; the extents are those of what its pointers name.
        unsafe { call.inner.launch(&Launch { extents: &extents, ..*launch }) }
    }

    /// As [`launch`](Self::launch), which it becomes where a pointer names memory with bands.
    unsafe fn launch_raw(
        &self,
        call: &Call<'_>,
        kernel: KernelHandle,
        config: &LaunchConfig,
        stream: StreamHandle,
        params: &[*mut c_void],
    ) -> Result<()> {
        let declaration = if self.is_there_already() { None } else { call.inner.declaration(kernel) };
        let mut args = Args::default();
        if let Some(kernel) = declaration {
            // SAFETY: who launches promises one pointer a parameter, to its initialised bytes.
            unsafe { args.copy_raw(kernel, params) };
        }
        let args: SmallVec<[KernelArg<'_>; 32]> = args.iter().collect();
        let has_bands = |ptr: DevicePtr| self.shared.state().around(call.inner.id(), ptr.address()).is_some();
        if !args.iter().filter_map(KernelArg::as_buffer).any(has_bands) {
            // SAFETY: the caller answers for it.
            return unsafe { call.inner.launch_raw(kernel, config, stream, params) };
        }
        let location = call.place();
        let (args, extents) = (&*args, &[][..]);
        // SAFETY: as above; the arguments are those that the parameters are, of which the declaration tells the types.
        unsafe {
            self.launch(
                call,
                &Launch { kernel, declaration, config, stream, args, params, extents, location },
            )
        }
    }

    // The backend underneath is called here, and in no closure, which would be the caller that it sees.

    fn allocate(&self, call: &Call<'_>, bytes: usize) -> Result<DevicePtr> {
        match self.with_bands(bytes) {
            Some(whole) => self.entered(call, MemoryKind::Device, call.inner.allocate(whole), bytes),
            None => self.without_bytes(call.inner.allocate(bytes)),
        }
    }

    fn allocate_managed(&self, call: &Call<'_>, bytes: usize) -> Result<DevicePtr> {
        match self.with_bands(bytes) {
            Some(whole) => self.entered(call, MemoryKind::Managed, call.inner.allocate_managed(whole), bytes),
            None => self.without_bytes(call.inner.allocate_managed(bytes)),
        }
    }

    unsafe fn free(&self, call: &Call<'_>, ptr: DevicePtr) -> Result<()> {
        let Some(zone) = self.take(call.inner, MemoryKind::Device, ptr.address()) else {
            // SAFETY: the caller uses the memory no more.
            return unsafe { call.inner.free(ptr) };
        };
        // SAFETY: as above.
        let freed = unsafe { call.inner.free(DevicePtr::new(zone.outer)) };
        freed.inspect_err(|_| self.put_back(zone))
    }

    fn allocate_pinned(&self, call: &Call<'_>, bytes: usize) -> Result<NonNull<u8>> {
        let Some(whole) = self.with_bands(bytes) else {
            return self.without_bytes(call.inner.allocate_pinned(bytes));
        };
        let outer = call.inner.allocate_pinned(whole).map_err(|error| self.without_bands(error, bytes))?;
        // Writing to the host's memory cannot fail.
        self.enter(call, MemoryKind::Pinned, outer.as_ptr().expose_provenance() as u64, bytes)?;
        // SAFETY: the band before it is part of what was allocated.
        Ok(unsafe { outer.add(self.shared.band) })
    }

    unsafe fn free_pinned(&self, call: &Call<'_>, ptr: NonNull<u8>) -> Result<()> {
        let start = ptr.as_ptr().expose_provenance() as u64;
        let Some(zone) = self.take(call.inner, MemoryKind::Pinned, start) else {
            // SAFETY: the caller uses the memory no more.
            return unsafe { call.inner.free_pinned(ptr) };
        };
        // SAFETY: as above.
        let freed = unsafe { call.inner.free_pinned(NonNull::new(pinned(zone.outer)).unwrap_or(ptr)) };
        freed.inspect_err(|_| self.put_back(zone))
    }

    fn close(&self, inner: &dyn GpuBackend) {
        if self.is_there_already() || !self.shared.state().layers.close(inner.id()) {
            return;
        }
        let frozen = self.shared.freeze();
        let zones = frozen.zones_of(inner);
        if inner.synchronize().and_then(|()| self.scan_zones(&zones, inner)).is_err() {
            self.shared.state().unscanned += zones.len() as u64;
        }
        drop(frozen);
        self.shared.state().forget(inner.id());
    }
}

/// How many bytes lie at these addresses.
#[allow(clippy::cast_possible_truncation)] // No more than were allocated.
fn length(addresses: &Range<u64>) -> usize {
    (addresses.end - addresses.start) as usize
}
