//! cudarc's contexts, streams and memory in launches of this crate, so that a program adopts one launch at a time; and
//! streams and memory of this crate in calls of cudarc.
//!
//! ```no_run
//! use warpcall::backend::cuda::interop::CudarcStream;
//! use warpcall::cudarc::driver::CudaContext;
//! use warpcall::{Gpu, LaunchConfig, kernel};
//!
//! #[kernel(module = "scale")] // with `source = "…"` or `image = "…"`, which is what is loaded
//! unsafe extern "C" {
//!     unsafe fn scale(values: *mut f32, #[nullable] bias: *const f32, factor: f32, n: u32);
//! }
//!
//! # fn main() -> anyhow::Result<()> {
//! // What is there: cudarc's context, streams and memory.
//! let context = CudaContext::new(0)?;
//! let (stream, other) = (context.new_stream()?, context.new_stream()?);
//! let mut values = stream.clone_htod(&[1.0_f32; 1000])?;
//! let bias = other.clone_htod(&[1.0_f32; 1000])?;
//!
//! // What is adopted: a launch, on the same stream, of the same memory.
//! let gpu = Gpu::from_cudarc(&context)?;
//! let adopted = CudarcStream::new(&gpu, &stream)?;
//! // SAFETY: both hold a thousand elements.
//! unsafe { launch_scale(&adopted, LaunchConfig::for_elements(1000, 256), &mut values, &bias, 2.0, 1000)? };
//!
//! let scaled = other.clone_dtoh(&values)?; // waits for the launch, as it would for one of cudarc's
//! # let _ = scaled;
//! # Ok(())
//! # }
//! ```
//!
//! # From cudarc
//!
//! | of cudarc | here |
//! |---|---|
//! | `Arc<CudaContext>` | [`Gpu::from_cudarc`], [`CudaBackend::from_cudarc`], [`CudaBackendBuilder::open_in`]: a backend in that context |
//! | `Arc<CudaStream>` | [`CudarcStream`]: what a launch function takes for its stream |
//! | `CudaSlice<T>`, `CudaView<T>`, `CudaViewMut<T>` | arguments: `&slice`, `&mut slice`, `&view`, `&mut view`, also for untyped and nullable parameters; an `Option<&CudaSlice<T>>` as [`NullableRef::from_option`](crate::NullableRef::from_option) |
//! | any of these in a [`KernelLaunch`](crate::KernelLaunch) | [`begin_read`](crate::TrackedRead::begin_read) and [`begin_write`](crate::TrackedWrite::begin_write) |
//!
//! Memory stays what it is: there is no way from a `CudaSlice` to a [`Buffer`], since cudarc frees what it allocated in the
//! order of its own stream, and a `Buffer` is freed by its backend.
//!
//! # To cudarc
//!
//! | here | of cudarc |
//! |---|---|
//! | [`CudaBackend`], and with [`as_cuda`](crate::GpuBackend#method.as_cuda) a [`Gpu`] | [`CudaBackend::to_cudarc`]: an `Arc<CudaContext>`, always the same one |
//! | [`Stream`](crate::Stream) | [`Stream::to_cudarc`](crate::Stream::to_cudarc), which is `unsafe`: cudarc's streams are shared, and one that it did not create cannot be told to outlive its owner |
//! | [`Buffer`] | [`Buffer::lend_to_cudarc`](crate::Buffer::lend_to_cudarc) and [`lend_mut_to_cudarc`](crate::Buffer::lend_mut_to_cudarc): a view for as long as it is borrowed. Not an owned `CudaSlice`, which would free the memory by cudarc's allocator |
//!
//! # Order between streams
//!
//! A launch here orders cudarc's memory as a launch of cudarc's builder does, and by the same events: the stream waits for
//! what wrote the memory, and for what read it where the launch writes, whichever streams they were on; and cudarc's later
//! uses wait for the launch. As in cudarc, nothing is done
//!
//! - where the program has turned that off (`CudaContext::disable_event_tracking`);
//! - where the context has no stream but the default one, and the launch is on the stream that the memory was allocated on.
//!   A launch on another stream, such as one of [`Gpu::create_stream`]'s, which cudarc knows nothing of, is ordered after that
//!   stream and before what is enqueued there later.
//!
//! Memory of another context than the backend's is refused. Where devices reach each other's memory, its raw address does.
//!
//! # Captures
//!
//! A capture that cudarc began (`CudaStream::begin_capture`) records launches made here like cudarc's own, and is ended by
//! cudarc: [`Graphs::end_capture`](crate::backend::Graphs::end_capture) refuses to end what it did not begin. cudarc's events, recorded
//! outside of the capture, would make the driver give it up, so a launch of tracked memory on a capturing stream is refused.
//! A program turns event tracking off while it captures, as it must for cudarc's own launches.

mod argument;
mod lend;
mod stream;

use std::sync::Arc;

use cudarc::driver::{CudaContext, DriverError};

use super::context::Context;
use super::driver::Driver;
use super::{CudaBackend, CudaBackendBuilder, open};
use crate::backend::BackendId;
#[cfg(doc)]
use crate::device::Buffer;
use crate::device::Gpu;
use crate::error::{Error, Result};

pub use lend::{LentBuffer, LentBufferMut};
pub use stream::CudarcStream;

impl Gpu {
    /// A device on a backend in cudarc's context, which it keeps alive.
    ///
    /// # Errors
    ///
    /// As for [`cuda`](Self::cuda).
    pub fn from_cudarc(context: &Arc<CudaContext>) -> Result<Self> {
        Ok(Self::from_backend(CudaBackend::from_cudarc(context)?))
    }
}

impl CudaBackend {
    /// A backend in cudarc's context, which it keeps alive.
    ///
    /// # Errors
    ///
    /// As for [`open`](Self::open).
    pub fn from_cudarc(context: &Arc<CudaContext>) -> Result<Arc<Self>> {
        Self::builder(context.ordinal()).open_in(context)
    }

    /// cudarc's view of this backend's context, in which cudarc's streams and memory can be used here: the context that it was
    /// [opened in](Self::from_cudarc), or else one that it makes at the first call and keeps.
    ///
    /// # Errors
    ///
    /// What cudarc says.
    pub fn to_cudarc(&self) -> Result<Arc<CudaContext>> {
        // The driver is loaded, so cudarc finds it. Its context is the primary one, as this backend's is.
        self.context.cudarc(|| {
            CudaContext::new(self.ordinal).map_err(|error| {
                driver_error(self.context.driver, "cuDevicePrimaryCtxRetain (by cudarc)", error)
            })
        })
    }
}

impl CudaBackendBuilder {
    /// Opens the device in cudarc's context, which the backend keeps alive.
    ///
    /// # Errors
    ///
    /// Where the context is one of another device, and as for [`CudaBackend::open`].
    pub fn open_in(self, context: &Arc<CudaContext>) -> Result<Arc<CudaBackend>> {
        if context.ordinal() != self.ordinal {
            return Err(Error::InvalidArgument {
                operation: "CudaBackendBuilder::open_in",
                what: "the context".into(),
                found: format!("one of CUDA device {}", context.ordinal()).into(),
                expected: format!("one of CUDA device {}, for which the builder was made", self.ordinal)
                    .into(),
            });
        }
        let driver = open::driver(context.ordinal())?;
        let id = BackendId::next();
        self.open_on(Context::of_cudarc(driver, Arc::clone(context), id), id)
    }
}

fn driver_error(driver: &Driver, call: &'static str, error: DriverError) -> Error {
    // The number alone, since cudarc's enumeration may not list what the driver returned.
    driver.error(call, error.0 as u32)
}

/// Runs what makes cudarc call the driver and keep an error for a later call of its own; returns that error instead. One
/// that cudarc kept from before is left to it.
fn without_parking<R>(
    driver: &Driver,
    context: &CudaContext,
    call: &'static str,
    run: impl FnOnce() -> R,
) -> Result<R> {
    let earlier = context.check_err();
    let outcome = run();
    let found = context.check_err();
    context.record_err(earlier);
    found.map(|()| outcome).map_err(|error| driver_error(driver, call, error))
}

/// How errors name a context of cudarc's.
fn name_of(context: &CudaContext) -> Box<str> {
    let kind =
        if context.is_primary() { "the primary context" } else { "a context that is not the primary one" };
    format!("{kind} of CUDA device {}", context.ordinal()).into()
}
