use std::fmt;
use std::sync::Arc;

use super::Gpu;
use crate::backend::GpuBackend;
use crate::backend::host::HostBackend;
use crate::diagnose::{self, Faults, Hazards, Layer, Layered, Ledger, RedZones, SyncCheck};
#[cfg(feature = "cuda")]
use crate::error::Error;
use crate::error::Result;

/// Chooses the backend that a [`Gpu`] is opened on. Without a choice there is no `open`.
///
/// ```
/// use warpcall::Gpu;
///
/// let gpu = Gpu::builder().host_delayed().open()?;
/// assert_eq!(gpu.kind(), "host");
/// # Ok::<(), warpcall::Error>(())
/// ```
///
/// ```compile_fail
/// let gpu = warpcall::Gpu::builder().open();
/// ```
#[derive(Debug, Default)]
#[must_use = "a builder opens nothing until `open` is called"]
pub struct GpuBuilder<C = NotChosen> {
    choice: C,
}

/// The state of a [`GpuBuilder`] that was not told which backend to open.
#[derive(Clone, Copy, Debug, Default)]
pub struct NotChosen(());

/// The state of a [`GpuBuilder`] that knows which backend to open.
#[derive(Debug)]
pub struct Chosen {
    backend: Choice,
    /// In the order in which they were asked for: each goes around those before it.
    layers: Vec<Box<dyn Wrap>>,
    /// Around these.
    hazards: Vec<Box<dyn Wrap>>,
}

/// A layer, whichever it is.
trait Wrap: fmt::Debug {
    fn around(self: Box<Self>, backend: Arc<dyn GpuBackend>) -> Arc<dyn GpuBackend>;
}

impl<L: Layer> Wrap for L {
    fn around(self: Box<Self>, backend: Arc<dyn GpuBackend>) -> Arc<dyn GpuBackend> {
        Arc::new(Layered::new(backend, *self))
    }
}

#[derive(Debug)]
enum Choice {
    #[cfg(feature = "cuda")]
    Cuda {
        ordinal: usize,
    },
    Available,
    Host {
        delayed: bool,
    },
    Backend(Arc<dyn GpuBackend>),
}

impl GpuBuilder {
    /// The CUDA device with this number, as the driver counts.
    ///
    /// Settings of the backend itself are those of [`CudaBackend::builder`](crate::backend::cuda::CudaBackend::builder), whose
    /// backend [`backend`](Self::backend) takes.
    #[cfg(feature = "cuda")]
    pub fn cuda(self, ordinal: usize) -> GpuBuilder<Chosen> {
        Choice::Cuda { ordinal }.into()
    }

    /// CUDA device 0 if there is one, else the host backend: what [`Gpu::open`] opens.
    ///
    /// ```
    /// use warpcall::Gpu;
    /// use warpcall::diagnose::Ledger;
    ///
    /// let ledger = Ledger::new();
    /// let gpu = Gpu::builder().available().ledger(&ledger).open()?;
    /// println!("running on {}", gpu.label());
    /// # Ok::<(), warpcall::Error>(())
    /// ```
    pub fn available(self) -> GpuBuilder<Chosen> {
        Choice::Available.into()
    }

    /// The host backend, which executes each operation when it is enqueued.
    pub fn host(self) -> GpuBuilder<Chosen> {
        Choice::Host { delayed: false }.into()
    }

    /// The host backend, which executes operations only when something waits for them. A missing
    /// synchronisation shows, as it does on a device.
    pub fn host_delayed(self) -> GpuBuilder<Chosen> {
        Choice::Host { delayed: true }.into()
    }

    /// A backend that is open already.
    pub fn backend(self, backend: Arc<dyn GpuBackend>) -> GpuBuilder<Chosen> {
        Choice::Backend(backend).into()
    }
}

impl GpuBuilder<Chosen> {
    /// Puts a layer around the backend and the layers that were asked for so far. The tools are in [`diagnose`].
    pub fn layer(mut self, layer: impl Layer) -> Self {
        self.choice.layers.push(Box::new(layer));
        self
    }

    /// Puts bands around each allocation and finds what is written over them: [`RedZones`].
    pub fn red_zones(self, zones: &RedZones) -> Self {
        self.layer(zones.clone())
    }

    /// Keeps account of memory: [`Ledger`].
    pub fn ledger(self, ledger: &Ledger) -> Self {
        self.layer(ledger.clone())
    }

    /// Makes calls fail or wait: [`Faults`].
    pub fn faults(self, faults: &Faults) -> Self {
        self.layer(faults.clone())
    }

    /// Waits after every launch, so that what a kernel does wrong is the error of its own launch: [`SyncCheck`].
    pub fn sync_check(self) -> Self {
        self.layer(SyncCheck)
    }

    /// Finds work on the same memory that nothing orders, and notes it in `hazards`: [`Hazards`].
    ///
    /// It goes around all other layers, whatever was asked for first: one that waits, as [`SyncCheck`] does, would hide that the program
    /// does not.
    pub fn hazards(mut self, hazards: &Hazards) -> Self {
        self.choice.hazards.push(Box::new(hazards.layer()));
        self
    }

    /// Writes down each launch, copy and memset in `trace`: [`Trace`](diagnose::Trace).
    pub fn trace(self, trace: &diagnose::Trace) -> Self {
        self.layer(trace.clone())
    }

    /// Gives each launch, copy, memset and wait a span of the crate `tracing`: [`Spans`](diagnose::Spans).
    #[cfg(feature = "tracing")]
    pub fn spans(self) -> Self {
        self.layer(diagnose::Spans)
    }

    /// Gives each launch, copy, memset and wait a range for NVIDIA's profilers: [`NvtxRanges`](diagnose::NvtxRanges).
    #[cfg(feature = "nvtx")]
    pub fn nvtx_ranges(self, ranges: &diagnose::NvtxRanges) -> Self {
        self.layer(ranges.clone())
    }

    /// Opens what was chosen, and nothing else: there is no falling back. Around it come the layers that were asked for, and
    /// around these, those that [environment variables](diagnose) ask for.
    ///
    /// # Errors
    ///
    /// Where the backend cannot be opened, or an environment variable has a value that means nothing.
    pub fn open(self) -> Result<Gpu> {
        let backend: Arc<dyn GpuBackend> = match self.choice.backend {
            #[cfg(feature = "cuda")]
            Choice::Cuda { ordinal } => crate::backend::cuda::CudaBackend::open(ordinal)?,
            Choice::Available => available()?,
            Choice::Host { delayed } => Arc::new(HostBackend::builder().delayed(delayed).open()?),
            Choice::Backend(backend) => backend,
        };
        let layers = self.choice.layers.into_iter().chain(self.choice.hazards);
        let layered = layers.fold(backend, |backend, layer| layer.around(backend));
        Ok(Gpu::from_backend(diagnose::from_environment(layered)?))
    }
}

/// CUDA device 0 where there is one, and the host where there is none.
fn available() -> Result<Arc<dyn GpuBackend>> {
    #[cfg(feature = "cuda")]
    match crate::backend::cuda::CudaBackend::open(0) {
        Err(Error::NoDevice { .. }) => {}
        opened => return Ok(opened?),
    }
    Ok(Arc::new(HostBackend::builder().open()?))
}

impl From<Choice> for GpuBuilder<Chosen> {
    fn from(choice: Choice) -> Self {
        Self { choice: Chosen { backend: choice, layers: Vec::new(), hazards: Vec::new() } }
    }
}
