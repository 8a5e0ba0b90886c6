//! The recording backend: every call is kept, and can be told to fail.

mod call;
mod copy;
mod failure;
mod info;
mod kernel;
mod launch;
mod memory;
mod order;
mod record;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

pub use call::{Call, CallKind};
pub use record::{RecordedArg, RecordedLaunch};

use self::kernel::MockKernels;
use self::record::Record;
use crate::backend::host::HostBackend;
use crate::backend::{BackendId, DeviceProperties, GpuBackend, LookupAudit, OperationCache};
use crate::error::{Error, Result};

/// A backend for tests of code that launches: it records every call, and fails where it is told to.
///
/// Memory, copies, streams, events and graphs are those of the backend that it wraps, the host's unless told
/// otherwise, so what is copied really arrives. Every module and every kernel resolves, with no
/// image. A launch is compared with the kernel's declaration and the device's limits, recorded, and not run;
/// [`run_kernels`](Self::run_kernels) runs it on the wrapped backend too. A launch that is not run does not
/// become part of a graph that is captured. It is refused all the same where its stream is not live, where memory was freed or
/// is another backend's, and where a null pointer is not allowed for. An address that was never memory is taken for one
/// that the test made up.
///
/// Recorded is every call that does something or can fail, also one that is then told to fail.
/// Questions about the backend itself (its id, kind, properties, caches, and names of kernels) are not.
///
/// ```
/// use warpcall::backend::mock::CallKind;
/// use warpcall::{Gpu, Kernel, KernelLaunch, KernelParam, MockBackend, Module, Parameter};
///
/// static SCALE: Kernel = Kernel::new(Module::new("scale"), "scale", &[
///     Parameter::device_mut::<f32>("values", "*mut f32"),
///     Parameter::value("factor", "f32", f32::DESCRIPTION),
/// ]);
///
/// let mock = MockBackend::new()?;
/// let gpu = Gpu::from_backend(mock.clone());
/// let mut values = gpu.zeros::<f32>(4)?;
/// // SAFETY: the kernel is not run.
/// unsafe {
///     KernelLaunch::new(&*gpu, SCALE.resolve(&*gpu)?)
///         .arg_ptr(&mut values)
///         .arg_f32(2.0)
///         .launch(&gpu.default_stream())?;
/// }
///
/// let launch = &mock.launches()[0];
/// assert_eq!(launch.slots, [values.device_ptr().address(), u64::from(2.0_f32.to_bits())]);
///
/// mock.fail(CallKind::Allocate, 2);
/// assert!(gpu.zeros::<u8>(1).is_ok());
/// assert!(gpu.zeros::<u8>(1).is_err());
/// # Ok::<(), warpcall::Error>(())
/// ```
pub struct MockBackend {
    inner: Arc<dyn GpuBackend>,
    /// The wrapped backend, where it is one of the mock's own, whose memory it may look into.
    host: Option<Arc<HostBackend>>,
    properties: DeviceProperties,
    operation_cache: OperationCache,
    lookup_audit: LookupAudit,
    kernels: MockKernels,
    record: Record,
    run_kernels: AtomicBool,
}

impl MockBackend {
    /// A recording backend over a host backend of its own, which executes each operation when it is enqueued.
    ///
    /// # Errors
    ///
    /// Where the host backend cannot be opened.
    pub fn new() -> Result<Arc<Self>> {
        let host = Arc::new(HostBackend::builder().open()?);
        Ok(Self::recording(Arc::clone(&host) as Arc<dyn GpuBackend>, Some(host)))
    }

    /// A recording backend over `inner`.
    ///
    /// It has an id of its own: memory and streams of `inner` are not its own to the owning layer.
    pub fn over(inner: Arc<dyn GpuBackend>) -> Arc<Self> {
        Self::recording(inner, None)
    }

    fn recording(inner: Arc<dyn GpuBackend>, host: Option<Arc<HostBackend>>) -> Arc<Self> {
        let id = BackendId::next();
        let mut properties = inner.properties().clone();
        properties.name = format!("recording {}", properties.name);
        Arc::new(Self {
            properties,
            operation_cache: OperationCache::new(id),
            lookup_audit: LookupAudit::default(),
            kernels: MockKernels::new(id),
            host,
            record: Record::default(),
            run_kernels: AtomicBool::new(false),
            inner,
        })
    }

    /// The backend that is wrapped.
    pub fn inner(&self) -> &Arc<dyn GpuBackend> {
        &self.inner
    }

    /// Whether launches from now on are run on the wrapped backend, too. At first they are not.
    pub fn run_kernels(&self, run: bool) {
        self.run_kernels.store(run, Ordering::Relaxed);
    }

    fn runs_kernels(&self) -> bool {
        self.run_kernels.load(Ordering::Relaxed)
    }

    /// Makes the `nth` call of `kind` from now on fail with [`Error::Injected`]: 1 is the next one.
    ///
    /// The caller is given this error as it is: a launch that was told to fail is not explained as one that a device
    /// refused. The error of a launch or a look-up names the kernel.
    ///
    /// It does not reach the wrapped backend, and the calls after it work again. Several failures can
    /// be waiting, of one kind or of many; of one kind, each counts from where it was asked for.
    /// [`CallKind::HasModule`] cannot fail and answers `false` instead. An `nth` of 0 never comes.
    ///
    /// ```
    /// use warpcall::backend::mock::CallKind;
    /// use warpcall::{Buffer, Error, Gpu, MockBackend, Result};
    ///
    /// /// The code under test.
    /// fn two_buffers(gpu: &Gpu) -> Result<[Buffer<f32>; 2]> {
    ///     Ok([gpu.zeros(4)?, gpu.zeros(4)?])
    /// }
    ///
    /// let mock = MockBackend::new()?;
    /// let gpu = Gpu::from_backend(mock.clone());
    /// mock.fail(CallKind::Allocate, 2);
    /// assert!(matches!(two_buffers(&gpu), Err(Error::Injected { call: "allocate", number: 2, .. })));
    /// assert_eq!(mock.count(CallKind::Free), 1, "what was allocated first is freed");
    /// assert!(two_buffers(&gpu).is_ok());
    /// # Ok::<(), Error>(())
    /// ```
    pub fn fail(&self, kind: CallKind, nth: u64) {
        self.record.fail(kind, nth);
    }

    /// Forgets the failures that have not come yet.
    pub fn clear_failures(&self) {
        self.record.clear_failures();
    }

    /// The recorded calls, in their order.
    pub fn calls(&self) -> Vec<Call> {
        self.record.calls()
    }

    /// The recorded launches, in their order: those with typed arguments.
    pub fn launches(&self) -> Vec<RecordedLaunch> {
        self.record.launches()
    }

    /// How many calls of `kind` are in the record.
    pub fn count(&self, kind: CallKind) -> usize {
        self.record.count(kind)
    }

    /// Hands the record over and starts an empty one.
    pub fn take_calls(&self) -> Vec<Call> {
        self.record.take()
    }

    /// Empties the record.
    pub fn clear_calls(&self) {
        drop(self.record.take());
    }

    /// Records a call, and fails where it was told to.
    fn enter(&self, call: Call) -> Result<()> {
        match self.record.push(call) {
            Some((number, call)) => {
                Err(Error::Injected { call: call.kind().name(), kernel: self.kernel_of(&call), number })
            }
            None => Ok(()),
        }
    }
}

impl fmt::Debug for MockBackend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MockBackend")
            .field("id", &self.operation_cache.backend().get())
            .field("inner", &self.inner)
            .field("calls", &self.record.len())
            .finish_non_exhaustive()
    }
}

impl Drop for MockBackend {
    fn drop(&mut self) {
        for ptr in self.operation_cache.take_scratch() {
            // Scratch memory that the wrapped backend cannot free now goes when that backend does.
            // SAFETY: the cache is gone with this backend, and nothing else knew the memory.
            let _ = unsafe { self.inner.free(ptr) };
        }
    }
}
