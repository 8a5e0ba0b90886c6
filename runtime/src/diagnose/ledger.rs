//! Who has allocated what.

use std::collections::HashMap;
use std::fmt;
use std::panic::Location;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::layer_count::LayerCount;
use super::{Call, Layer, MemoryKind, print};
use crate::argument::DevicePtr;
use crate::backend::{BackendId, GpuBackend};
use crate::error::Result;
use crate::words::counted;

/// Keeps account of memory: what is live, who allocated it, and how much there was at most.
///
/// A clone is the same ledger, which may be around several backends. When one of them closes, what nobody freed of its memory is freed,
/// and [counted](LedgerReport::swept).
///
/// ```
/// use warpcall::Gpu;
/// use warpcall::diagnose::Ledger;
///
/// let ledger = Ledger::new();
/// let gpu = Gpu::builder().host().ledger(&ledger).open()?;
/// let weights = gpu.zeros::<f32>(1000)?;
/// let scratch = gpu.zeros::<f32>(50)?;
/// drop(scratch);
///
/// let report = ledger.report();
/// assert_eq!((report.live.count, report.live.bytes, report.peak_bytes), (1, 4000, 4200));
/// println!("{report}"); // one line a place in the code, the one with most bytes first
/// assert_eq!(report.sites[0].live.bytes, 4000);
///
/// // Never freed.
/// let forgotten = gpu.backend().allocate(64)?;
/// drop((weights, gpu));
/// assert_eq!(ledger.report().swept.bytes, 64);
/// # Ok::<(), warpcall::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    accounts: Arc<Mutex<Accounts>>,
    /// Whether the report goes to the standard error stream when the backend closes.
    prints: bool,
}

#[derive(Debug, Default)]
struct Accounts {
    live: HashMap<Key, Entry>,
    /// What a backend allocated is swept when the last layer around it closes.
    layers: LayerCount,
    total: Amount,
    peak_bytes: usize,
    swept: Amount,
    unswept: Amount,
}

/// An allocation. Two backends may give out the same address.
type Key = (BackendId, Address);

/// Pinned memory is known by its address on the host, which may be one of the device too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Address {
    Device(DevicePtr),
    Pinned(NonNull<u8>),
}

// SAFETY: it is a number to look up by; nothing is reached through it but by `close`, which owns what it frees.
unsafe impl Send for Address {}

#[derive(Clone, Copy, Debug)]
struct Entry {
    memory: MemoryKind,
    bytes: usize,
    location: &'static Location<'static>,
}

impl Entry {
    fn new(call: &Call<'_>, memory: MemoryKind, bytes: usize) -> Self {
        Self { memory, bytes, location: call.place() }
    }
}

/// A number of allocations, and their bytes together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Amount {
    /// How many.
    pub count: usize,
    /// How many bytes.
    pub bytes: usize,
}

impl Amount {
    fn add(&mut self, bytes: usize) {
        self.count += 1;
        self.bytes += bytes;
    }

    fn subtract(&mut self, bytes: usize) {
        self.count -= 1;
        self.bytes -= bytes;
    }
}

impl std::ops::AddAssign for Amount {
    fn add_assign(&mut self, other: Self) {
        self.count += other.count;
        self.bytes += other.bytes;
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} in {}", counted(self.bytes, "byte"), counted(self.count, "allocation"))
    }
}

/// What a [`Ledger`] holds. Its text has one line a place, the one with most bytes first.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LedgerReport {
    /// What is live, of all kinds of memory.
    pub live: Amount,
    /// The most bytes that were live at once.
    pub peak_bytes: usize,
    /// Live memory by the place that allocated it, most bytes first.
    pub sites: Vec<AllocationSite>,
    /// What nobody had freed when the backend closed, and was freed then.
    pub swept: Amount,
    /// What could not be freed then.
    pub unswept: Amount,
}

/// The live memory of one kind that one place in the caller's code allocated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AllocationSite {
    /// Where the caller's code allocates.
    pub location: &'static Location<'static>,
    /// What kind of memory.
    pub memory: MemoryKind,
    /// How much of it is live.
    pub live: Amount,
}

impl fmt::Display for LedgerReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "live: {}; at most {} at once", self.live, counted(self.peak_bytes, "byte"))?;
        for site in &self.sites {
            write!(
                f,
                "\n  {} of {} memory, allocated at {}",
                site.live,
                site.memory.as_str(),
                site.location
            )?;
        }
        if self.swept.count > 0 {
            write!(f, "\nfreed at the end, as nobody had: {}", self.swept)?;
        }
        if self.unswept.count > 0 {
            write!(f, "\nnot freed at the end, as the backend refused: {}", self.unswept)?;
        }
        Ok(())
    }
}

impl Ledger {
    /// An empty ledger.
    pub fn new() -> Self {
        Self::default()
    }

    /// Prints the report to the standard error stream when the backend closes.
    #[must_use]
    pub fn print_at_close(mut self) -> Self {
        self.prints = true;
        self
    }

    /// What it holds.
    pub fn report(&self) -> LedgerReport {
        let accounts = self.accounts();
        let mut sites: Vec<AllocationSite> = Vec::new();
        for entry in accounts.live.values() {
            let same =
                |site: &&mut AllocationSite| site.memory == entry.memory && site.location == entry.location;
            match sites.iter_mut().find(same) {
                Some(site) => site.live.add(entry.bytes),
                None => sites.push(AllocationSite {
                    location: entry.location,
                    memory: entry.memory,
                    live: Amount { count: 1, bytes: entry.bytes },
                }),
            }
        }
        let place =
            |site: &AllocationSite| (site.location.file(), site.location.line(), site.location.column());
        sites.sort_by(|a, b| b.live.bytes.cmp(&a.live.bytes).then_with(|| place(a).cmp(&place(b))));
        LedgerReport {
            live: accounts.total,
            peak_bytes: accounts.peak_bytes,
            sites,
            swept: accounts.swept,
            unswept: accounts.unswept,
        }
    }

    pub(super) fn print(&self, label: &str) {
        print(format_args!("allocation ledger of {label}: {}", self.report()));
    }

    fn enter(&self, key: Key, entry: Entry) {
        let mut accounts = self.accounts();
        // Known already where the ledger is in the stack twice.
        if let Some(known) = accounts.live.insert(key, entry) {
            accounts.total.subtract(known.bytes);
        }
        accounts.total.add(entry.bytes);
        accounts.peak_bytes = accounts.peak_bytes.max(accounts.total.bytes);
    }

    /// Strikes an allocation out before it is freed, since its address may be given out again as soon as it is.
    fn strike(&self, key: Key) -> Option<Entry> {
        let mut accounts = self.accounts();
        let entry = accounts.live.remove(&key)?;
        accounts.total.subtract(entry.bytes);
        Some(entry)
    }

    /// Frees what was struck out, and enters it again where that fails.
    fn freed(&self, key: Key, struck: Option<Entry>, freed: Result<()>) -> Result<()> {
        if let (Some(entry), Err(_)) = (struck, &freed) {
            self.enter(key, entry);
        }
        freed
    }

    fn accounts(&self) -> MutexGuard<'_, Accounts> {
        // Nothing panics while it is held.
        self.accounts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

// SAFETY: what the backend underneath allocates is passed on as it is.
unsafe impl Layer for Ledger {
    fn name(&self) -> &'static str {
        "allocation ledger"
    }

    fn opened(&self, inner: &Arc<dyn GpuBackend>) {
        self.accounts().layers.open(inner.id());
    }

    fn allocate(&self, call: &Call<'_>, bytes: usize) -> Result<DevicePtr> {
        let ptr = call.inner.allocate(bytes)?;
        self.enter((call.inner.id(), Address::Device(ptr)), Entry::new(call, MemoryKind::Device, bytes));
        Ok(ptr)
    }

    fn allocate_managed(&self, call: &Call<'_>, bytes: usize) -> Result<DevicePtr> {
        let ptr = call.inner.allocate_managed(bytes)?;
        self.enter((call.inner.id(), Address::Device(ptr)), Entry::new(call, MemoryKind::Managed, bytes));
        Ok(ptr)
    }

    unsafe fn free(&self, call: &Call<'_>, ptr: DevicePtr) -> Result<()> {
        let key = (call.inner.id(), Address::Device(ptr));
        let struck = self.strike(key);
        // SAFETY: the caller uses the memory no more.
        let freed = unsafe { call.inner.free(ptr) };
        self.freed(key, struck, freed)
    }

    fn allocate_pinned(&self, call: &Call<'_>, bytes: usize) -> Result<NonNull<u8>> {
        let ptr = call.inner.allocate_pinned(bytes)?;
        self.enter((call.inner.id(), Address::Pinned(ptr)), Entry::new(call, MemoryKind::Pinned, bytes));
        Ok(ptr)
    }

    unsafe fn free_pinned(&self, call: &Call<'_>, ptr: NonNull<u8>) -> Result<()> {
        let key = (call.inner.id(), Address::Pinned(ptr));
        let struck = self.strike(key);
        // SAFETY: the caller uses the memory no more.
        let freed = unsafe { call.inner.free_pinned(ptr) };
        self.freed(key, struck, freed)
    }

    fn close(&self, inner: &dyn GpuBackend) {
        let is_last = self.accounts().layers.close(inner.id());
        if !is_last {
            return;
        }
        let left = self.left_by(inner);
        if self.prints {
            self.print(&inner.label());
        }
        let (mut swept, mut unswept) = (Amount::default(), Amount::default());
        for (key, Entry { bytes, .. }) in left {
            self.strike(key);
            let (_, address) = key;
            let freed = match address {
                // SAFETY: whoever could use it held a layer of this ledger around the backend, and the last of these closes.
                Address::Device(ptr) => unsafe { inner.free(ptr) },
                // SAFETY: as above.
                Address::Pinned(ptr) => unsafe { inner.free_pinned(ptr) },
            };
            match freed {
                Ok(()) => swept.add(bytes),
                Err(_) => unswept.add(bytes),
            }
        }
        let mut accounts = self.accounts();
        accounts.swept += swept;
        accounts.unswept += unswept;
        drop(accounts);
        if self.prints && swept.count > 0 {
            print(format_args!("allocation ledger of {}: freed {swept}, as nobody had", inner.label()));
        }
        if self.prints && unswept.count > 0 {
            print(format_args!(
                "allocation ledger of {}: the backend does not free {unswept}",
                inner.label()
            ));
        }
    }
}

impl Ledger {
    /// What is live of a backend, without its scratch memory, which it frees itself and which is struck out.
    fn left_by(&self, inner: &dyn GpuBackend) -> Vec<(Key, Entry)> {
        let of_backend = |(key, entry): (&Key, &Entry)| (key.0 == inner.id()).then_some((*key, *entry));
        let live: Vec<_> = self.accounts().live.iter().filter_map(of_backend).collect();
        let is_scratch = |(key, entry): &(Key, Entry)| matches!(key.1, Address::Device(ptr) if inner.operation_cache().holds_scratch_in(ptr, entry.bytes));
        let (scratch, left): (Vec<_>, Vec<_>) = live.into_iter().partition(is_scratch);
        for (key, _) in scratch {
            self.strike(key);
        }
        left
    }
}
