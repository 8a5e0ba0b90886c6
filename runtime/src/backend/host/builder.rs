use super::HostBackend;
use super::gate::Gate;
use super::kernels::KernelTable;
use super::state::State;
use crate::backend::{BackendId, DeviceLimits, DeviceProperties, LookupAudit, OperationCache};
use crate::error::{Error, Result};

/// The properties of a [`HostBackend`], before it is opened.
///
/// ```
/// use warpcall::HostBackend;
/// use warpcall::backend::DeviceMemory;
///
/// # fn main() -> warpcall::Result<()> {
/// let backend = HostBackend::builder().delayed(true).memory(1 << 20).open()?;
/// assert!(backend.allocate(2 << 20).is_err());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct HostBuilder {
    delayed: bool,
    memory: usize,
    limits: DeviceLimits,
}

impl HostBuilder {
    pub(super) fn new() -> Self {
        Self {
            delayed: false,
            memory: 16 << 30,
            // A block's shared memory is what the largest devices allow: 227 KiB.
            limits: DeviceLimits { max_shared_mem_per_block: 227 * 1024, ..DeviceLimits::default() },
        }
    }

    /// Whether work waits until something synchronises with it: the stream, an event on it, the device, or a
    /// blocking copy on it. A question whether it is done does one piece of it, so that asking again and
    /// again comes to an end.
    pub fn delayed(self, delayed: bool) -> Self {
        Self { delayed, ..self }
    }

    /// The device's memory in bytes, of which as much again may be pinned; 16 GiB unless told otherwise. Only what is
    /// allocated takes up memory of the host.
    pub fn memory(self, bytes: usize) -> Self {
        Self { memory: bytes, ..self }
    }

    /// What a launch may ask for.
    pub fn limits(self, limits: DeviceLimits) -> Self {
        Self { limits, ..self }
    }

    /// The backend.
    ///
    /// # Errors
    ///
    /// Where it would have no memory.
    pub fn open(self) -> Result<HostBackend> {
        if self.memory == 0 {
            return Err(Error::InvalidArgument {
                operation: "open",
                what: "the memory of the host backend".into(),
                found: "0 bytes".into(),
                expected: "at least 1".into(),
            });
        }
        Ok(self.build())
    }

    pub(super) fn build(self) -> HostBackend {
        let id = BackendId::next();
        let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let properties = DeviceProperties {
            multiprocessors: u32::try_from(threads).unwrap_or(u32::MAX),
            total_memory: self.memory,
            limits: self.limits,
            ..DeviceProperties::new("host")
        };
        let label = super::capability::label(id, &properties);
        HostBackend {
            id,
            properties,
            delayed: self.delayed,
            gate: Gate::new(State::new(id, label, self.memory, self.delayed)),
            kernels: KernelTable::new(id),
            audit: LookupAudit::default(),
            cache: OperationCache::new(id),
        }
    }
}
