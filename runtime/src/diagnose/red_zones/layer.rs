//! What the layer does at each call.

use std::ffi::c_void;
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use smallvec::SmallVec;

use super::zone::pinned;
use super::{RedZones, length};
use crate::argument::{DevicePtr, KernelArg};
use crate::backend::{GpuBackend, KernelHandle, Launch, StreamHandle};
use crate::diagnose::args::Args;
use crate::diagnose::{Call, Layer, MemoryKind, Operation, Outcome};
use crate::error::{Error, MemoryProblem, Result};
use crate::launch::LaunchConfig;

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
