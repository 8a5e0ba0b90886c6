//! What was launched, copied and set, with which arguments, and when.

mod align;
mod captures;
mod decode;
mod diff;
mod entry;
mod file;
mod history;
#[cfg(feature = "json")]
mod json;
mod names;
mod part;
mod recording;
mod ring;
mod snapshot;
mod state;
mod steps;
mod text;
mod timing;
#[cfg(feature = "json")]
mod trace_events;

use std::cell::Cell;
use std::panic::Location;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Instant, SystemTime};

use entry::{Entry, What, is_recorded};
use file::Format;
pub(super) use file::of_file;
use state::State;

pub use diff::{Change, Diff, Pair};
pub use recording::{
    Allocation, Argument, Interval, Kind, NumberedHandle, Record, RecordedGraph, Recording, TracedBackend,
    Value,
};
pub use steps::{ArgumentHistory, ArgumentValues};

use super::args::Args;
use super::{Call, Layer, Operation, Outcome, print};
use crate::backend::{BackendId, GpuBackend};
use crate::error::Result;

/// Writes down each launch, copy and memset, with the arguments by name, and what orders them.
///
/// ```
/// use warpcall::diagnose::trace::{Trace, TraceOptions};
/// use warpcall::{Gpu, LaunchConfig, kernel};
///
/// #[kernel(module = "scale")]
/// unsafe extern "C" {
///     #[host(scale_on_the_host)]
///     unsafe fn scale(values: *mut f32, factor: f32, n: u32);
/// }
///
/// fn scale_on_the_host(values: &mut [f32], factor: f32, n: u32) {
///     values[..n as usize].iter_mut().for_each(|value| *value *= factor);
/// }
///
/// let trace = Trace::new(TraceOptions::default());
/// let gpu = Gpu::builder().host().trace(&trace).open()?;
/// let stream = gpu.create_stream()?;
/// let mut values = gpu.upload(&[1.0_f32, 2.0])?;
/// // SAFETY: `values` has two elements.
/// unsafe { launch_scale(&stream, LaunchConfig::for_elements(2, 32), &mut values, 1.5, 2)? };
///
/// let recording = trace.recording();
/// let launch = recording.launches().next().unwrap();
/// assert_eq!(launch.to_string(), "scale<<<[1,1,1],[32,1,1]>>>(values=#1+0, factor=1.5f32, n=2u32)");
/// # Ok::<(), warpcall::Error>(())
/// ```
///
/// The last calls are kept, [65,536](TraceOptions::capacity) unless told otherwise, about 400 bytes each; how many older ones were
/// dropped is told. Arguments are copied when a launch is made, and decoded when the trace is read. What is recorded into a graph is
/// kept as long as the graph.
///
/// Clones share the trace. One trace may be around several backends.
#[derive(Clone, Debug)]
pub struct Trace {
    shared: Arc<Shared>,
}

/// What a [`Trace`] keeps, and where it goes.
#[derive(Clone, Debug)]
#[must_use]
pub struct TraceOptions {
    capacity: usize,
    device_times: bool,
    file: Option<(PathBuf, Format)>,
}

impl Default for TraceOptions {
    fn default() -> Self {
        Self { capacity: 65_536, device_times: false, file: None }
    }
}

impl TraceOptions {
    /// Keeps the last `calls` calls.
    pub fn capacity(self, calls: usize) -> Self {
        Self { capacity: calls, ..self }
    }

    /// Whether the device's times are taken too, with an event before and one after each piece of work that is not recorded into a
    /// graph. They are read when the trace is, when the backend closes, and when many are unread; reading waits for the work.
    ///
    /// Work of one stream comes one after another. Where several threads enqueue on it, the time of one's work may contain
    /// another's.
    pub fn device_times(self, taken: bool) -> Self {
        Self { device_times: taken, ..self }
    }

    /// Writes the trace to a file when a backend that it is around closes; with several backends, each time anew. What goes wrong
    /// then is told on standard error.
    ///
    /// The name's extension says what is written: `.txt` [text](Recording::write_text); with the feature `json`, `.jsonl` JSON lines and
    /// `.json` the Trace Event format.
    ///
    /// # Errors
    ///
    /// Where the extension is none of these, or the file cannot be created, which is tried at once.
    pub fn file(self, path: impl Into<PathBuf>) -> Result<Self> {
        let path = path.into();
        let format = Format::of(&path)?;
        file::create(&path)?;
        // The program may go to another folder before it is written.
        let path = std::path::absolute(&path).unwrap_or(path);
        Ok(Self { file: Some((path, format)), ..self })
    }
}

#[derive(Debug)]
struct Shared {
    options: TraceOptions,
    id: u64,
    began: Instant,
    began_unix_ns: u64,
    state: Mutex<State>,
    /// Wakes whoever waits until nobody reads device times.
    has_read: Condvar,
}

impl Default for Trace {
    fn default() -> Self {
        Self::new(TraceOptions::default())
    }
}

impl Trace {
    /// A trace that has seen nothing yet.
    pub fn new(options: TraceOptions) -> Self {
        static TRACES: AtomicU32 = AtomicU32::new(0);
        let since_1970 = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let began_unix_ns = u64::try_from(since_1970.as_nanos()).unwrap_or(u64::MAX);
        // Two traces of one process differ in their count, those of two processes in their time or number.
        let process = u64::from(std::process::id()) << 32 | u64::from(TRACES.fetch_add(1, Ordering::Relaxed));
        let state = Mutex::new(State::new(options.capacity));
        let id = began_unix_ns ^ process.rotate_left(24);
        Self {
            shared: Arc::new(Shared {
                options,
                id,
                began: Instant::now(),
                began_unix_ns,
                state,
                has_read: Condvar::new(),
            }),
        }
    }

    /// Marks a point of the program, such as the begin of a step; [`Recording::steps`] finds it again.
    #[track_caller]
    pub fn mark(&self, label: &str) {
        let now = self.shared.now();
        let entry = Entry {
            number: 0,
            backend: None,
            thread: thread(),
            start_ns: now,
            end_ns: now,
            location: Some(Location::caller()),
            name: "mark",
            stream: None,
            what: What::Mark(label.into()),
            args: Args::default(),
            error: None,
            device: None,
        };
        self.shared.lock().push(entry, None);
    }

    /// What the trace holds now. Where device times are taken, waits for the work that it holds.
    pub fn recording(&self) -> Recording {
        self.read(false)
    }

    /// As [`recording`](Self::recording), and begins anew: what is returned is kept no more. Numbers go on.
    pub fn take(&self) -> Recording {
        self.read(true)
    }

    /// How this trace became `other`. See [`Recording::diff`].
    pub fn diff(&self, other: &Self) -> Diff {
        self.recording().diff(&other.recording())
    }

    fn read(&self, take: bool) -> Recording {
        let shared = &self.shared;
        let open: Vec<_> = {
            let state = shared.lock();
            let first_open = |inners: &[Weak<dyn GpuBackend>]| inners.iter().find_map(Weak::upgrade);
            state.backends.iter().filter_map(|(_, inners)| first_open(inners)).collect()
        };
        for backend in &open {
            shared.read_times(&**backend, usize::MAX);
        }
        // Not while the lock is held: it may be the last to have the backend, which closes then.
        drop(open);
        shared.decoded(take, false)
    }
}

impl Shared {
    /// What there is now. Waits for nothing.
    fn decoded(&self, take: bool, process_ends: bool) -> Recording {
        let snapshot = self.lock().snapshot(take, process_ends);
        snapshot.decode(self)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // What is changed with it is whole between two statements.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[inline]
    fn now(&self) -> u64 {
        // 584 years fit.
        u64::try_from(self.began.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }
}

/// The number of the calling thread, among those that called a traced backend.
fn thread() -> u32 {
    static THREADS: AtomicU32 = AtomicU32::new(1);
    thread_local! {
        static NUMBER: Cell<u32> = const { Cell::new(0) };
    }
    NUMBER.with(|number| {
        if number.get() == 0 {
            number.set(THREADS.fetch_add(1, Ordering::Relaxed));
        }
        number.get()
    })
}

// SAFETY: memory is left to the backend underneath.
unsafe impl Layer for Trace {
    fn name(&self) -> &'static str {
        "trace"
    }

    fn opened(&self, inner: &Arc<dyn GpuBackend>) {
        self.shared.lock().open(inner);
    }

    /// The note has the time, and the pair of events plus one, or the number of what is destroyed.
    #[inline]
    fn before(&self, call: &Call<'_>) -> Result<()> {
        if !is_recorded(&call.operation) {
            return Ok(());
        }
        let second = if call.operation.is_work() {
            let timed = self.shared.options.device_times.then(|| call.operation.stream()).flatten();
            timed
                .and_then(|stream| self.shared.begin_timing(call.inner, stream))
                .map_or(0, |pair| pair as u64 + 1)
        } else {
            self.shared.number_of_destroyed(call)
        };
        call.note.set([self.shared.now(), second]);
        Ok(())
    }

    #[inline]
    fn after(&self, call: &Call<'_>, outcome: Outcome<'_>) {
        let shared = &*self.shared;
        let backend = call.inner.id();
        if !is_recorded(&call.operation) {
            shared.follow_question(call, backend, outcome);
            return;
        }
        let end_ns = shared.now();
        let [start_ns, second] = call.note.get();
        let stream = call.operation.stream();
        let pair = match (stream, usize::try_from(second)) {
            (Some(stream), Ok(pair @ 1..)) if call.operation.is_work() => {
                shared.end_timing(call.inner, stream, pair - 1, !matches!(outcome, Outcome::Failed(_)))
            }
            _ => None,
        };
        let mut entry = Entry {
            number: 0,
            backend: Some(backend),
            thread: thread(),
            start_ns,
            end_ns,
            location: call.location,
            name: call.name,
            stream,
            what: What::of(call, outcome),
            args: Args::default(),
            error: match outcome {
                Outcome::Failed(error) => Some(error.to_string().into()),
                _ => None,
            },
            device: None,
        };
        // Asked while nothing is locked.
        let has_changed_nothing = call.operation.is_work() || call.capture_goes_on(outcome);
        let mut state = shared.lock();
        if !has_changed_nothing && let Some(what) = state.follow(call, backend, outcome) {
            entry.what = what;
        }
        if let Some(kernel) = state.needs_name(backend, &entry.what) {
            drop(state);
            let name = call.inner.kernel_name(kernel);
            state = shared.lock();
            state.names.insert((backend, kernel), name.unwrap_or_else(|| kernel.to_string()).into());
        }
        let number = state.push(entry, Some(&call.operation));
        if let Some(pair) = pair {
            state.await_time(backend, number, pair);
        }
    }

    fn close(&self, inner: &dyn GpuBackend) {
        self.shared.close_timing(inner);
        self.write(|| self.recording());
    }
}

impl Trace {
    /// Writes the file that the trace has, if it has one, at the end of the process: waits for no work, which may not end any more.
    pub(super) fn write_file(&self) {
        self.write(|| self.shared.decoded(false, true));
    }

    /// Writes the file. Where that fails there is nobody to tell but the standard error stream.
    fn write(&self, recording: impl FnOnce() -> Recording) {
        if let Some((path, format)) = &self.shared.options.file
            && let Err(error) = format.write(&recording(), path)
        {
            print(format_args!("warpcall: {error}"));
        }
    }
}

impl Shared {
    /// The number of what a call destroys, asked before another may be given its handle.
    fn number_of_destroyed(&self, call: &Call<'_>) -> u64 {
        let Some(key) = state::destroyed(&call.operation, call.inner.id()) else { return 0 };
        self.lock().history.number(key).unwrap_or(0)
    }

    /// What is not recorded may still say where pinned memory is, or that a capture is over.
    #[cold]
    fn follow_question(&self, call: &Call<'_>, backend: BackendId, outcome: Outcome<'_>) {
        match (call.operation, outcome) {
            (Operation::PinnedDevicePtr { .. }, _) => _ = self.lock().follow(call, backend, outcome),
            (Operation::IsCapturing(stream), Outcome::Answer(false)) => {
                self.lock().does_not_capture(backend, stream);
            }
            _ => {}
        }
    }
}
