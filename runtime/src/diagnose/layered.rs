//! A backend that is a layer on another backend.

mod copy;
mod info;
mod launch;
mod memory;
mod order;

use std::cell::Cell;
use std::panic::Location;
use std::sync::Arc;

use super::operation::AsOutcome;
use super::{Call, Layer, Operation, Outcome};
use crate::backend::GpuBackend;
use crate::device::called_at;
use crate::error::Result;

/// A backend, with a layer around it.
///
/// Its id, its handles and its memory are those of the backend underneath.
///
/// [`GpuBuilder`](crate::GpuBuilder) makes these; by hand, for code that has no [`Gpu`](crate::Gpu):
///
/// ```
/// use std::sync::Arc;
///
/// use warpcall::backend::DeviceInfo;
/// use warpcall::diagnose::{Layered, SyncCheck};
/// use warpcall::{Gpu, HostBackend};
///
/// let backend = Layered::new(Arc::new(HostBackend::new()), SyncCheck);
/// assert_eq!(backend.kind(), "host");
/// let gpu = Gpu::from_backend(Arc::new(backend));
/// # Ok::<(), warpcall::Error>(())
/// ```
#[derive(Debug)]
pub struct Layered<L: Layer> {
    inner: Arc<dyn GpuBackend>,
    layer: L,
}

impl<L: Layer> Layered<L> {
    /// `layer` around `inner`.
    pub fn new(inner: Arc<dyn GpuBackend>, layer: L) -> Self {
        layer.opened(&inner);
        Self { inner, layer }
    }

    /// The backend underneath.
    pub fn underneath(&self) -> &dyn GpuBackend {
        &*self.inner
    }

    /// The layer.
    pub fn layer(&self) -> &L {
        &self.layer
    }

    #[inline]
    #[track_caller]
    fn call<'a>(&'a self, name: &'static str, operation: Operation<'a>) -> Call<'a> {
        self.call_from(name, operation, called_at(Location::caller()))
    }

    #[inline]
    fn call_from<'a>(
        &'a self,
        name: &'static str,
        operation: Operation<'a>,
        location: Option<&'static Location<'static>>,
    ) -> Call<'a> {
        Call { inner: &*self.inner, name, operation, location, note: Cell::default() }
    }

    #[inline]
    fn tell<T: AsOutcome>(&self, call: &Call<'_>, result: &Result<T>) {
        let outcome = match result {
            Ok(value) => value.as_outcome(),
            Err(error) => Outcome::Failed(error),
        };
        self.layer.after(call, outcome);
    }
}

// Macros and no functions that take closures: a closure would be the caller that the backend underneath sees, in place of the
// one that called the method.

/// Has the layer see a call before and after, and returns its result. Returns from the method where the layer refuses.
macro_rules! around {
    ($self:ident, $seen:expr, $call:ident => $run:expr) => {{
        let $call = &$seen;
        $self.layer.before($call)?;
        let result = $run;
        $self.tell($call, &result);
        result
    }};
}
use around;

/// Passes a call on.
macro_rules! pass {
    ($self:ident, $name:expr, $operation:expr, $call:ident => $run:expr) => {{
        let seen = $self.call($name, $operation);
        super::around!($self, seen, $call => $run)
    }};
}
use pass;

/// Passes [work](Operation::is_work) on, and has it verified.
macro_rules! work {
    ($self:ident, $name:expr, $operation:expr, $call:ident => $run:expr) => {{
        let seen = $self.call($name, $operation);
        super::around!($self, seen, $call => $run)?;
        $self.layer.verify(&seen)
    }};
}
use work;

impl dyn GpuBackend {
    /// The layer of this type, the outermost where there are several.
    ///
    /// ```
    /// use warpcall::Gpu;
    /// use warpcall::diagnose::SyncCheck;
    ///
    /// let gpu = Gpu::builder().host().sync_check().open()?;
    /// assert!(gpu.layer::<SyncCheck>().is_some());
    /// # Ok::<(), warpcall::Error>(())
    /// ```
    pub fn layer<L: Layer>(&self) -> Option<&L> {
        self.layers().next().map(Layered::layer)
    }

    /// All layers of this type, from the outermost on.
    pub(crate) fn layers<L: Layer>(&self) -> impl Iterator<Item = &Layered<L>> {
        let first = self.downcast_ref::<Layered<L>>();
        std::iter::successors(first, |layered| layered.underneath().downcast_ref())
    }
}

impl<L: Layer> Drop for Layered<L> {
    fn drop(&mut self) {
        self.layer.close(&*self.inner);
    }
}
