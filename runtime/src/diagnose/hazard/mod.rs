//! Finding work on the same memory that nothing orders.

mod access;
mod capture;
mod check;
mod history;
mod memory;
mod order;
mod record;
mod report;
mod world;

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard};

pub use check::HazardCheck;
pub use report::{Hazard, HazardAccess, HazardAllocation, HazardKind, HazardMemory};

use crate::diagnose::print;
use crate::error::{Error, Result};
use crate::launch::Kernel;
use crate::words::times;

/// Finds two uses of the same memory, one of which writes, that nothing orders; and uses of memory that was freed.
///
/// A kernel's declaration says what it reads (`*const T`) and what it may write (`*mut T`), and an argument says how many bytes it
/// has. With that the check follows launches, graphs, copies and memsets through streams, events and synchronisations, on the
/// host alone, and needs no unlucky timing to find what is missing:
///
/// ```
/// use warpcall::diagnose::Hazards;
/// use warpcall::{Gpu, LaunchConfig, kernel};
///
/// #[kernel(module = "test")]
/// unsafe extern "C" {
///     #[host(fill_on_the_host)]
///     unsafe fn fill(values: *mut u32, n: u32);
/// }
/// # fn fill_on_the_host(values: &mut [u32], n: u32) { values[..n as usize].fill(7); }
///
/// let hazards = Hazards::new();
/// let gpu = Gpu::builder().host().hazards(&hazards).open()?;
/// let (producer, consumer) = (gpu.create_stream()?, gpu.create_stream()?);
/// let (mut values, mut copy) = (gpu.zeros::<u32>(64)?, gpu.zeros::<u32>(64)?);
/// // SAFETY: the kernel stays within the 64 words of the buffer.
/// unsafe { launch_fill(&producer, LaunchConfig::new(1, 64), &mut values, 64)? };
/// copy.copy_from_device(&consumer, &values)?; // `consumer.wait_for(&producer)?` is missing
///
/// let [hazard] = &hazards.reports()[..] else { panic!("one hazard") };
/// assert_eq!((hazard.earlier.what, hazard.earlier.parameter), ("fill", "values"));
/// assert_eq!((hazard.later.what, hazard.later.parameter), ("copy_within_device_async", "source"));
/// assert_eq!(hazard.memory.bytes, 256);
/// println!("{hazard}");
/// # Ok::<(), warpcall::Error>(())
/// ```
///
/// [`strict`](Self::strict) makes the later of the two fail with [`Error::Hazard`] before it is passed on. Without changing the
/// program, `WARPCALL_HAZARDS=1` prints each hazard once as it is found, and `WARPCALL_HAZARDS=strict` returns the error.
///
/// # What orders what
///
/// - Work on a stream is in order, also where a launch is [programmatic](crate::LaunchConfig::programmatic): such a kernel is
///   taken to wait itself for what it needs.
/// - A stream that was created does not wait for the default stream, nor the other way round.
/// - A stream that waits for an event waits for the event's latest mark at that time. An event that was never recorded orders nothing.
/// - What the host has waited for comes before all that it enqueues afterwards. It waits with a call that synchronises or blocks,
///   and with one that asks and is told that a stream is idle, or an event done. Threads of the host are taken to be
///   ordered as they call, since what orders them cannot be seen here.
/// - A launch of a graph comes after the earlier launches of the same graph, also on other streams.
/// - Within a capture, events between the streams that take part. What is captured is compared there, and compared with
///   everything else at each launch of the graph.
/// - Freeing memory ends all uses of it, as each backend completes them first. Nothing else is ordered by it.
///
/// # What is compared
///
/// - A pointer parameter with the bytes that its argument has. A raw [`DevicePtr`](crate::DevicePtr) does not tell how many: it reaches its first
///   element, and perhaps all to the end of the allocation. What rests on that "perhaps" is in [`possible`](Self::possible) alone.
/// - Copies and memsets with their bytes, of a rectangle row by row; the host's side too. What the program itself reads and writes on the
///   host is not seen.
/// - Not tensor maps, nor launches of kernels without a declaration, nor raw ones; nor memory that was not allocated, and work on streams that
///   were not created, through the layer, or that [others](HazardCheck::share_stream) enqueue on too: what orders these may pass it by, so that
///   what such a stream waits for is taken to be done.
///   [`unchecked`](Self::unchecked) counts all of them. Nor, uncounted, addresses within structs and numbers.
///
/// A kernel that writes less than it is given can be reported although all is well: give it the slice that it uses. Where two launches
/// may run at the same time because they use atomic operations, say so with [`allow`](Self::allow).
///
/// Memory of the record is bounded: an access is forgotten once later ones stand for it or the host has waited for it.
/// Past 262,144 pieces of memory the oldest are forgotten, and what they would have met is missed.
#[derive(Clone, Default)]
pub struct Hazards(Arc<Shared>);

#[derive(Default)]
struct Shared {
    strict: bool,
    print: bool,
    allowed: RwLock<Vec<AllowedUse>>,
    found: Mutex<Found>,
}

#[derive(Default)]
struct Found {
    hazards: Vec<Hazard>,
    index: HashMap<report::Key, usize>,
    unchecked: UncheckedUses,
}

/// A parameter whose uses may happen at the same time ([`Hazards::allow`]).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AllowedUse {
    /// The kernel's module.
    pub module: &'static str,
    /// The kernel.
    pub kernel: &'static str,
    /// The parameter.
    pub parameter: &'static str,
    /// Why.
    pub reason: Box<str>,
}

impl AllowedUse {
    fn is(&self, kernel: &Kernel, parameter: &str) -> bool {
        self.parameter == parameter && self.kernel == kernel.name() && self.module == kernel.module().name()
    }
}

/// What was passed on without having been compared with anything.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct UncheckedUses {
    /// Launches of kernels without a declaration, raw launches, and those of graphs that were not captured through the layer.
    pub launches: u64,
    /// Tensor maps, memory that was not allocated through the layer, and rectangles of more than 65,536 rows.
    pub arguments: u64,
    /// Work on streams that were not created through the layer, or are [shared](HazardCheck::share_stream).
    pub foreign_streams: u64,
    /// Pieces of memory that were forgotten since there were too many.
    pub forgotten: u64,
}

impl UncheckedUses {
    /// Whether everything was compared.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    fn add(&mut self, other: &Self) {
        self.launches += other.launches;
        self.arguments += other.arguments;
        self.foreign_streams += other.foreign_streams;
        self.forgotten += other.forgotten;
    }
}

impl fmt::Display for UncheckedUses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "launches of kernels without a declaration: {}, arguments: {}, calls on streams of others: {}, forgotten pieces of memory: {}",
            self.launches, self.arguments, self.foreign_streams, self.forgotten
        )
    }
}

impl Hazards {
    /// Hazards are noted, and the program goes on.
    pub fn new() -> Self {
        Self::default()
    }

    /// Hazards are noted, and the call that would complete one fails with [`Error::Hazard`].
    pub fn strict() -> Self {
        Self(Arc::new(Shared { strict: true, ..Shared::default() }))
    }

    /// As [`new`](Self::new), with each hazard printed on the standard error stream when it is first found.
    pub(super) fn printed() -> Self {
        Self(Arc::new(Shared { print: true, ..Shared::default() }))
    }

    /// The layer that notes hazards here, for one backend. [`GpuBuilder::hazards`](crate::GpuBuilder::hazards) adds it.
    pub fn layer(&self) -> HazardCheck {
        HazardCheck::new(self.clone())
    }

    /// What was found so far: each pair of uses once, by kernel, parameter and place.
    pub fn reports(&self) -> Vec<Hazard> {
        self.of_certainty(true)
    }

    /// What may be a hazard, if a pointer whose extent nobody knows reaches that far. Never an error.
    pub fn possible(&self) -> Vec<Hazard> {
        self.of_certainty(false)
    }

    fn of_certainty(&self, certain: bool) -> Vec<Hazard> {
        self.found().hazards.iter().filter(|hazard| hazard.certain == certain).cloned().collect()
    }

    /// How much was not compared.
    pub fn unchecked(&self) -> UncheckedUses {
        self.found().unchecked
    }

    /// From now on, uses of memory through this parameter may happen at the same time as others that are allowed, such as sums by
    /// atomic additions. Whoever uses the memory otherwise must still be ordered.
    ///
    /// ```
    /// # use warpcall::kernel;
    /// # use warpcall::diagnose::Hazards;
    /// #[kernel(module = "test")]
    /// unsafe extern "C" {
    ///     unsafe fn count(bins: *mut u32, values: *const u8, n: u32);
    /// }
    ///
    /// let hazards = Hazards::strict();
    /// hazards.allow(&COUNT, "bins", "the bins are counted up with atomicAdd")?;
    /// # Ok::<(), warpcall::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Where the kernel has no pointer of this name.
    pub fn allow(&self, kernel: &'static Kernel, parameter: &str, reason: impl Into<Box<str>>) -> Result<()> {
        let pointers = || kernel.parameters().iter().filter(|parameter| parameter.is_pointer());
        let Some(found) = pointers().find(|found| found.name() == parameter) else {
            let names: Vec<_> = pointers().map(|parameter| format!("`{}`", parameter.name())).collect();
            return Err(Error::InvalidArgument {
                operation: "allow unordered uses",
                what: "the parameter".into(),
                found: format!("`{parameter}`").into(),
                expected: format!("a pointer of `{kernel}`: {}", names.join(", ")).into(),
            });
        };
        let (module, kernel, parameter) = (kernel.module().name(), kernel.name(), found.name());
        let allowed = AllowedUse { module, kernel, parameter, reason: reason.into() };
        self.0.allowed.write().unwrap_or_else(PoisonError::into_inner).push(allowed);
        Ok(())
    }

    /// What was allowed, and why.
    pub fn allowed(&self) -> Vec<AllowedUse> {
        self.all_allowed().clone()
    }

    fn all_allowed(&self) -> RwLockReadGuard<'_, Vec<AllowedUse>> {
        self.0.allowed.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn found(&self) -> MutexGuard<'_, Found> {
        self.0.found.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_strict(&self) -> bool {
        self.0.strict
    }

    fn note_unchecked(&self, unchecked: &UncheckedUses) {
        self.found().unchecked.add(unchecked);
    }

    /// Notes the hazards of one call; the first of them that is certain.
    #[cold]
    fn note(&self, hazards: Vec<Hazard>) -> Option<Hazard> {
        let first = hazards.iter().find(|hazard| hazard.certain).cloned();
        let mut found = self.found();
        let Found { hazards: known, index, .. } = &mut *found;
        for hazard in hazards {
            match index.entry(hazard.key()) {
                Entry::Occupied(at) => known[*at.get()].count += 1,
                Entry::Vacant(entry) => {
                    if self.0.print && hazard.certain {
                        print(format_args!("warpcall: hazard: {hazard}"));
                    }
                    entry.insert(known.len());
                    known.push(hazard);
                }
            }
        }
        first
    }

    /// Says on the standard error stream what the reader of its hazards cannot know.
    pub(super) fn print_summary(&self) {
        let found = self.found();
        if !self.0.print {
            return;
        }
        if !found.unchecked.is_empty() {
            print(format_args!("warpcall: hazards: not checked: {}", found.unchecked));
        }
        let certain = found.hazards.iter().filter(|hazard| hazard.certain);
        let (pairs, met) = certain.fold((0_u64, 0), |(pairs, met), hazard| (pairs + 1, met + hazard.count));
        if pairs > 0 {
            print(format_args!("warpcall: hazards: {pairs} found, met {} in all", times(met)));
        }
    }
}

/// The parts of a program that were found, and what was not compared.
impl fmt::Debug for Hazards {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let found = self.found();
        f.debug_struct("Hazards")
            .field("strict", &self.0.strict)
            .field("found", &found.hazards.len())
            .field("unchecked", &found.unchecked)
            .finish_non_exhaustive()
    }
}
