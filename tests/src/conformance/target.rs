use std::fmt;
use std::ptr::NonNull;
use std::sync::Arc;

use anyhow::{Context as _, Result, ensure};
use warpcall::backend::{TensorElement, TiledTensor};
use warpcall::{DevicePtr, Error, EventHandle, GpuBackend, GraphHandle, StreamHandle};

use super::Fixture;
use super::kernels;

/// A backend under test: how to open it, and what is known of it.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// The target's name in the names of the tests.
    pub name: &'static str,
    /// What the backend's `kind` must say.
    pub kind: &'static str,
    /// Opens a fresh backend.
    pub open: fn() -> warpcall::Result<Arc<dyn GpuBackend>>,
    /// The optional capabilities that it does not have.
    pub lacks: &'static [Capability],
    /// Whether a launch may be given addresses and kernels that are none. Not so where that spoils the device for
    /// the whole process, as in CUDA.
    pub survives_wild_launches: bool,
    /// Whether memory of one backend is unknown to another. Not so where backends share a device, as in CUDA.
    pub keeps_memory_apart: bool,
    /// Whether it finds every kernel that it is asked for, as a backend that only records does. The tests of
    /// look-ups do not concern it.
    pub makes_up_kernels: bool,
}

/// What a backend may lack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Capability {
    Streams,
    Events,
    Graphs,
    PinnedMemory,
    ManagedMemory,
    TensorMaps,
    KernelAttributes,
    Occupancy,
}

/// Why a test did not run: the target lacks what it needs.
#[derive(Debug)]
pub struct Skipped(pub String);

impl fmt::Display for Skipped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Skipped {}

impl Target {
    /// Opens a fresh backend.
    ///
    /// # Errors
    ///
    /// Where the backend cannot be opened.
    pub fn open(&self) -> Result<Fixture> {
        let backend = (self.open)().with_context(|| format!("opening a backend of {}", self.name))?;
        Ok(Fixture::new(backend))
    }

    /// Ends a test where the target says that it lacks one of these.
    ///
    /// # Errors
    ///
    /// [`Skipped`] where it lacks one and says so at every operation of it; another error where an operation that
    /// it is said to lack did anything but return `Error::Unsupported`.
    pub fn require(&self, needed: &[Capability]) -> Result<()> {
        let Some(capability) = needed.iter().find(|needed| self.lacks.contains(needed)) else {
            return Ok(());
        };
        let fixture = self.open()?;
        for (operation, outcome) in capability.probe(&fixture)? {
            ensure!(
                matches!(outcome, Err(Error::Unsupported { .. })),
                "{} says that it lacks {capability:?}, but {operation} returned {outcome:?} and not Error::Unsupported",
                self.name
            );
        }
        Err(Skipped(format!("{} lacks {capability:?}, and says so", self.name)).into())
    }

    /// Ends a test of wild launches where the target would not survive it.
    ///
    /// # Errors
    ///
    /// [`Skipped`] in that case.
    pub fn require_survival_of_wild_launches(&self) -> Result<()> {
        if self.survives_wild_launches {
            return Ok(());
        }
        Err(Skipped(format!("a wild launch would spoil {} for the whole process", self.name)).into())
    }

    /// Ends a test of another backend's memory where the target's backends share theirs.
    ///
    /// # Errors
    ///
    /// [`Skipped`] in that case.
    pub fn require_memory_apart(&self) -> Result<()> {
        if self.keeps_memory_apart {
            return Ok(());
        }
        Err(Skipped(format!("the backends of {} share the memory of their device", self.name)).into())
    }

    /// Ends a test of look-ups where the target makes kernels up.
    ///
    /// # Errors
    ///
    /// [`Skipped`] where it does so; another error where it says so and does not.
    pub fn require_real_kernels(&self) -> Result<()> {
        if !self.makes_up_kernels {
            return Ok(());
        }
        let found = self.open()?.find_kernel("no such module", "no such kernel");
        ensure!(
            found.is_ok(),
            "{} says that it makes kernels up, but looking for one returned {found:?}",
            self.name
        );
        Err(Skipped(format!("{} finds every kernel that it is asked for", self.name)).into())
    }
}

type Probe = Vec<(&'static str, warpcall::Result<()>)>;

impl Capability {
    /// The outcome of each operation of this capability.
    fn probe(self, fixture: &Fixture) -> Result<Probe> {
        let stream = StreamHandle::DEFAULT;
        let event = EventHandle::new(1).context("one is not zero")?;
        let graph = GraphHandle::new(1).context("one is not zero")?;
        // SAFETY throughout: an operation that is missing does nothing with what it is given, and one that is
        // there is given handles that nothing was made under.
        Ok(match self {
            Self::Streams => vec![
                ("create_stream", fixture.create_stream(None).map(drop)),
                // SAFETY: as above.
                ("destroy_stream", unsafe { fixture.destroy_stream(StreamHandle::new(1)) }),
            ],
            Self::Events => vec![
                ("create_event", fixture.create_event(true).map(drop)),
                ("record_event", fixture.record_event(event, stream)),
                ("stream_wait_event", fixture.stream_wait_event(stream, event)),
                ("synchronize_event", fixture.synchronize_event(event)),
                ("is_event_done", fixture.is_event_done(event).map(drop)),
                ("elapsed", fixture.elapsed(event, event).map(drop)),
                // SAFETY: as above.
                ("destroy_event", unsafe { fixture.destroy_event(event) }),
            ],
            Self::Graphs => vec![
                ("begin_capture", fixture.begin_capture(stream)),
                ("end_capture", fixture.end_capture(stream).map(drop)),
                ("abandon_capture", fixture.abandon_capture(stream)),
                ("is_capturing", fixture.is_capturing(stream).map(drop)),
                // SAFETY: as above.
                ("launch_graph", unsafe { fixture.launch_graph(graph, stream) }),
                // SAFETY: as above.
                ("destroy_graph", unsafe { fixture.destroy_graph(graph) }),
            ],
            Self::PinnedMemory => vec![
                ("allocate_pinned", fixture.allocate_pinned(64).map(drop)),
                ("pinned_device_ptr", fixture.pinned_device_ptr(NonNull::dangling()).map(drop)),
                // SAFETY: as above.
                ("free_pinned", unsafe { fixture.free_pinned(NonNull::dangling()) }),
            ],
            Self::ManagedMemory => vec![("allocate_managed", fixture.allocate_managed(64).map(drop))],
            Self::TensorMaps => {
                let tensor =
                    TiledTensor::matrix(DevicePtr::new(0x1000), TensorElement::F32, [8, 8], 32, [8, 8]);
                vec![("encode_tensor_map", fixture.encode_tensor_map(&tensor).map(drop))]
            }
            Self::KernelAttributes => {
                let kernel = kernels::COUNT_UP.resolve(fixture.gpu())?;
                vec![("kernel_attributes", fixture.kernel_attributes(kernel).map(drop))]
            }
            Self::Occupancy => {
                let kernel = kernels::COUNT_UP.resolve(fixture.gpu())?;
                vec![("occupancy", fixture.occupancy(kernel, 32, 0).map(drop))]
            }
        })
    }
}
