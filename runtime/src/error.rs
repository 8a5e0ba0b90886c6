use crate::argument::DevicePtr;
use crate::backend::BackendId;
use crate::launch::LaunchConfig;
use crate::words::counted;

/// The result of what can fail here.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What went wrong: what was asked, what was expected, what was found, and what to do.
///
/// Converts into [`anyhow::Error`] with `?`. The text has what another error caused, so that
/// [`source`](std::error::Error::source) returns nothing and no report says it twice; the fields have it as a value.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The backend does not have an operation.
    #[error("{backend} has no {operation}")]
    Unsupported {
        /// The backend.
        backend: Box<str>,
        /// The operation.
        operation: &'static str,
    },

    /// There is no such device, or nothing to reach it with.
    #[error("no {device}: {reason}")]
    NoDevice {
        /// The device that was asked for.
        device: Box<str>,
        /// Why it cannot be had, and what to do.
        reason: Box<str>,
    },

    /// There is a device, or may be, and what it is reached with does not work.
    #[error("{device} cannot be used: {reason}")]
    NotUsable {
        /// The device that was asked for.
        device: Box<str>,
        /// What is wrong, and what to do.
        reason: Box<str>,
    },

    /// The device or the host has not enough memory.
    #[error("{requested} bytes of {memory} memory were asked for, and {available} are free")]
    OutOfMemory {
        /// `device`, `pinned` or `managed`.
        memory: &'static str,
        /// How many bytes were asked for.
        requested: usize,
        /// How many bytes were free.
        available: usize,
    },

    /// A range of device memory that an operation cannot use.
    #[error("{operation}: {bytes} bytes at {ptr}: {problem}")]
    Memory {
        /// What was to be done with it.
        operation: Box<str>,
        /// Where it starts.
        ptr: DevicePtr,
        /// Its length in bytes.
        bytes: usize,
        /// What is wrong with it.
        problem: MemoryProblem,
    },

    /// An argument of an operation that it cannot use.
    #[error("{operation}: {what} is {found}; expected {expected}")]
    InvalidArgument {
        /// The operation.
        operation: &'static str,
        /// The argument.
        what: Box<str>,
        /// What it was.
        found: Box<str>,
        /// What it must be.
        expected: Box<str>,
    },

    /// A handle that names nothing of this backend.
    #[error("{operation}: {handle:#x} is no live {what} of {backend}")]
    UnknownHandle {
        /// The operation.
        operation: &'static str,
        /// `stream`, `event`, `graph` or `kernel`.
        what: &'static str,
        /// The handle's number.
        handle: u64,
        /// The backend.
        backend: Box<str>,
    },

    /// A stream of one backend where another's was needed.
    #[error(
        "{operation}: the stream belongs to {stream}, not to {backend}; use a stream that this backend created"
    )]
    ForeignStream {
        /// The operation.
        operation: &'static str,
        /// The backend of the stream.
        stream: Box<str>,
        /// The backend of the operation.
        backend: Box<str>,
    },

    /// Memory of one backend in a launch on another.
    #[error(
        "kernel `{kernel}`, parameter `{parameter}`: the memory belongs to backend {}, and not to {stream}, whose stream the launch is on; copy it there, or launch on a stream of its own backend", .memory.get()
    )]
    ForeignMemory {
        /// The kernel.
        kernel: Box<str>,
        /// The parameter.
        parameter: Box<str>,
        /// The backend of the memory.
        memory: BackendId,
        /// The backend of the stream.
        stream: Box<str>,
    },

    /// No module of this name is known.
    #[error("{}no module `{module}`{}", of_kernel(.kernel.as_deref()), listed("modules", .known))]
    UnknownModule {
        /// The module that was asked for.
        module: Box<str>,
        /// The kernel that was looked for in it; `None` where the module was asked for as such.
        kernel: Option<Box<str>>,
        /// The modules that there are.
        known: Vec<String>,
    },

    /// A module that has no kernel of this name.
    #[error("module `{module}` has no kernel `{kernel}`{}{hint}", listed("kernels", .known))]
    UnknownKernel {
        /// The module.
        module: Box<str>,
        /// The kernel that was asked for.
        kernel: Box<str>,
        /// The kernels that there are.
        known: Vec<String>,
        /// What makes a kernel known on this backend, where more than its module does.
        hint: &'static str,
    },

    /// A name in C++ that several kernels of a module have.
    #[error(
        "module `{module}` has several kernels `{kernel}`: {}; name it with all arguments of its template, or declare it by its symbol, with `#[link_name]`", .known.join(", ")
    )]
    AmbiguousKernel {
        /// The module.
        module: Box<str>,
        /// The name that was asked for.
        kernel: Box<str>,
        /// The kernels that have it, each with its parameters and its symbol.
        known: Vec<String>,
    },

    /// Two modules of one name with different code: of two declarations, given twice at run time, or given at run time
    /// when another is loaded.
    #[error(
        "module `{module}` is known already, with other code; give one of the two another name, or give its code to the \
         backend once, before the first of its kernels is used"
    )]
    ModuleConflict {
        /// The module.
        module: Box<str>,
    },

    /// A kernel that the host backend has nothing to run for.
    #[error(
        "kernel `{kernel}` has no host function; name one with `#[host(path)]` in its declaration, or open a CUDA device"
    )]
    NoHostFunction {
        /// The kernel.
        kernel: Box<str>,
    },

    /// A host function that returned an error.
    #[error("kernel `{kernel}`: its host function failed: {source:#}")]
    HostFunctionFailed {
        /// The kernel.
        kernel: Box<str>,
        /// What the function returned.
        r#source: anyhow::Error,
    },

    /// A host function that panicked.
    #[error("kernel `{kernel}`: its host function panicked: {message}")]
    HostFunctionPanicked {
        /// The kernel.
        kernel: Box<str>,
        /// What the panic said.
        message: Box<str>,
    },

    /// A declaration that is not the loaded kernel's.
    #[error(
        "kernel `{kernel}`, parameter `{parameter}`: declared {declared}, but the loaded kernel takes {loaded}{detail}"
    )]
    Declaration {
        /// The kernel.
        kernel: Box<str>,
        /// The parameter.
        parameter: Box<str>,
        /// What the declaration says.
        declared: Box<str>,
        /// What the loaded kernel says.
        loaded: Box<str>,
        /// Both layouts side by side, or nothing.
        detail: Box<str>,
    },

    /// A launch with too many or too few arguments.
    #[error("kernel `{kernel}` takes {}, and {found} {} given", counted(*.expected, "argument"), if *.found == 1 { "was" } else { "were" })]
    ArgumentCount {
        /// The kernel, with its parameters.
        kernel: Box<str>,
        /// How many parameters it has.
        expected: usize,
        /// How many arguments were given.
        found: usize,
    },

    /// An argument that does not fit its parameter.
    #[error("kernel `{kernel}`, parameter `{parameter}`: expected {expected}, found {found}")]
    Argument {
        /// The kernel.
        kernel: Box<str>,
        /// The parameter.
        parameter: Box<str>,
        /// What the parameter takes.
        expected: String,
        /// What was given.
        found: String,
    },

    /// A launch of nothing.
    #[error(
        "kernel `{kernel}`: the launch {config} is empty; each dimension of a grid, a block and a cluster is at least 1"
    )]
    EmptyLaunch {
        /// The kernel.
        kernel: Box<str>,
        /// The configuration.
        config: Box<LaunchConfig>,
    },

    /// A configuration that passes the limits of a device.
    #[error("{limits}")]
    Limits {
        /// Each limit, with both numbers.
        limits: Box<str>,
    },

    /// A launch that the backend refused.
    #[error("kernel `{kernel}`: the launch {config} was refused: {}; arguments: {arguments}", reason(.limits, .source))]
    LaunchRefused {
        /// The kernel.
        kernel: Box<str>,
        /// The configuration.
        config: Box<LaunchConfig>,
        /// The arguments by name.
        arguments: Box<str>,
        /// Each limit that was passed, with both numbers; empty where none was found.
        limits: Box<str>,
        /// What the backend said.
        r#source: Box<Error>,
    },

    /// Look-ups of kernels or modules failed ([`LookupAudit::check`](crate::backend::LookupAudit::check)).
    #[error("{} failed: {}", counted(.failed.len(), "look-up"), .failed.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    FailedLookups {
        /// Each of them.
        failed: Vec<crate::backend::FailedLookup>,
    },

    /// What the device found wrong while it executed a launch, found by waiting for it
    /// ([`SyncCheck`](crate::diagnose::SyncCheck)).
    #[error(
        "{launch}, launched at {location}: the device failed while it executed this, or what the stream held before it: {}",
        source.without_advice()
    )]
    Fault {
        /// The kernel, its configuration, and its arguments by name; or the graph.
        launch: Box<str>,
        /// Where it was launched.
        location: &'static std::panic::Location<'static>,
        /// What the device found.
        r#source: Box<Error>,
    },

    /// A call that would use memory at the same time as earlier work, or that was freed
    /// ([`Hazards::strict`](crate::diagnose::Hazards::strict)).
    #[error("{0}")]
    Hazard(Box<crate::diagnose::Hazard>),

    /// What failed for a kernel, said by what does not know of it.
    #[error("kernel `{kernel}`: {source}")]
    OfKernel {
        /// The kernel.
        kernel: Box<str>,
        /// What failed.
        r#source: Box<Error>,
    },

    /// What failed for the argument of a parameter, said by what does not know of the kernel.
    #[error("kernel `{kernel}`, parameter `{parameter}`: {source}")]
    OfParameter {
        /// The kernel.
        kernel: Box<str>,
        /// The parameter.
        parameter: Box<str>,
        /// What failed.
        r#source: Box<Error>,
    },

    /// Something that a capturing stream does not allow, or that needs one.
    #[error("{operation}: {problem}")]
    Capture {
        /// The operation.
        operation: &'static str,
        /// What is wrong, and what to do.
        problem: Box<str>,
    },

    /// The driver refused a call.
    #[error("{}{}", self.without_advice(), advice(*code))]
    Driver {
        /// The function of the driver's interface.
        call: &'static str,
        /// Its result as a number.
        code: u32,
        /// Its result by name.
        name: Box<str>,
        /// What the driver says of it.
        message: Box<str>,
    },

    /// Code that did not compile or load.
    #[error("module `{module}` ({origin}): {problem}\n{log}")]
    Load {
        /// The module.
        module: Box<str>,
        /// The file that it came from.
        origin: Box<str>,
        /// What is wrong.
        problem: Box<str>,
        /// The compiler's own words.
        log: Box<str>,
    },

    /// A library that is loaded at run time, and is not there.
    #[error("no {library}: {reason}")]
    NoLibrary {
        /// What it is called.
        library: &'static str,
        /// Why it cannot be had, and what to do.
        reason: Box<str>,
    },

    /// A file that cannot be read or written.
    #[error("{operation} {path}: {problem}")]
    File {
        /// What was to be done: `writing the trace`.
        operation: &'static str,
        /// The file.
        path: Box<str>,
        /// Why it cannot be, and where in the file.
        problem: Box<str>,
    },

    /// A failure that a test asked for.
    #[error("{}{call} number {number} failed, as it was told to", of_kernel(.kernel.as_deref()))]
    Injected {
        /// The call.
        call: &'static str,
        /// The kernel that was looked for or launched, where it was a call about one.
        kernel: Option<Box<str>>,
        /// Which call of this name it was, counted from 1.
        number: u64,
    },

    /// A failure of a backend that is not part of this crate.
    #[error(transparent)]
    Backend(#[from] anyhow::Error),
}

impl Error {
    /// What failed, without the kernel that it failed for: what [`OfKernel`](Self::OfKernel),
    /// [`OfParameter`](Self::OfParameter) and [`LaunchRefused`](Self::LaunchRefused) hold, and any other error as it is.
    ///
    /// ```
    /// use warpcall::{Error, Gpu, Kernel, KernelLaunch, Module};
    ///
    /// static IDLE: Kernel = Kernel::new(Module::new("idle"), "idle", &[]).with_host(|_| Ok(()));
    ///
    /// let (gpu, other) = (Gpu::host()?, Gpu::host()?);
    /// // SAFETY: it is refused.
    /// let launched = unsafe { KernelLaunch::new(&*gpu, IDLE.resolve(&*gpu)?).launch(&other.default_stream()) };
    /// let error = launched.unwrap_err();
    /// assert!(error.to_string().starts_with("kernel `idle`: "));
    /// assert!(matches!(error.failure(), Error::ForeignStream { .. }));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn failure(&self) -> &Self {
        match self {
            Self::OfKernel { source, .. }
            | Self::OfParameter { source, .. }
            | Self::LaunchRefused { source, .. }
            | Self::Fault { source, .. } => source.failure(),
            other => other,
        }
    }

    /// The text, without what to do about a fault whose launch is known.
    fn without_advice(&self) -> String {
        match self {
            Self::Driver { call, code, name, message } => {
                format!("{call} returned {name} ({code}): {message}")
            }
            other => other.to_string(),
        }
    }

    /// Whether the error may be the launch's own fault, so that its configuration and its arguments belong beside it.
    pub(crate) fn is_refusal(&self) -> bool {
        matches!(
            self,
            Self::Unsupported { .. }
                | Self::OutOfMemory { .. }
                | Self::InvalidArgument { .. }
                | Self::Driver { .. }
                | Self::Limits { .. }
                | Self::Backend(_)
        )
    }

    /// The same error, with the kernel that it was part of, unless it names that itself.
    pub(crate) fn of_kernel(self, kernel: &str) -> Self {
        if self.names_kernel() {
            return self;
        }
        Self::OfKernel { kernel: kernel.into(), source: Box::new(self) }
    }

    // Variant by variant, so that one that comes to be is decided on here.
    fn names_kernel(&self) -> bool {
        match self {
            Self::ForeignMemory { .. }
            | Self::UnknownKernel { .. }
            | Self::AmbiguousKernel { .. }
            | Self::NoHostFunction { .. }
            | Self::HostFunctionFailed { .. }
            | Self::HostFunctionPanicked { .. }
            | Self::Declaration { .. }
            | Self::ArgumentCount { .. }
            | Self::Argument { .. }
            | Self::EmptyLaunch { .. }
            | Self::LaunchRefused { .. }
            | Self::Fault { .. }
            | Self::Hazard(_)
            | Self::OfKernel { .. }
            | Self::OfParameter { .. } => true,
            Self::UnknownModule { kernel, .. } | Self::Injected { kernel, .. } => kernel.is_some(),
            Self::Memory { operation, .. } => operation.starts_with("kernel `"),
            Self::Unsupported { .. }
            | Self::FailedLookups { .. }
            | Self::NoDevice { .. }
            | Self::NotUsable { .. }
            | Self::OutOfMemory { .. }
            | Self::InvalidArgument { .. }
            | Self::UnknownHandle { .. }
            | Self::ForeignStream { .. }
            | Self::ModuleConflict { .. }
            | Self::Limits { .. }
            | Self::Capture { .. }
            | Self::Driver { .. }
            | Self::Load { .. }
            | Self::NoLibrary { .. }
            | Self::File { .. }
            | Self::Backend(_) => false,
        }
    }
}

/// What to do about a result of the driver, where it says too little: the faults of kernels, after which the context executes
/// nothing more.
fn advice(code: u32) -> &'static str {
    match code {
        // `CUDA_ERROR_ILLEGAL_ADDRESS`, `_LAUNCH_TIMEOUT`, `_ASSERT`, and `_HARDWARE_STACK_ERROR` to `_LAUNCH_FAILED`.
        700 | 702 | 710 | 714..=719 => {
            "; a kernel that was launched earlier failed, and the device does nothing more for this process: \
             WARPCALL_SYNC=1 names the launch"
        }
        _ => "",
    }
}

/// What is wrong with a range of device memory.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MemoryProblem {
    /// It is the null pointer.
    #[error("a null pointer")]
    Null,
    /// Nothing was ever allocated there.
    #[error("nothing was allocated there")]
    Unknown,
    /// It was freed.
    #[error("it lies in memory that was freed")]
    Freed,
    /// It belongs to another backend.
    #[error("it belongs to another backend")]
    Foreign,
    /// It reaches past the allocation's end.
    #[error("the allocation at {start} has {length} bytes and ends before it")]
    OutOfBounds {
        /// Where the allocation starts.
        start: DevicePtr,
        /// Its length in bytes.
        length: usize,
    },
    /// Its address does not fit the element type.
    #[error("the address is not a multiple of {align}, the alignment of its elements")]
    Misaligned {
        /// The alignment in bytes.
        align: usize,
    },
    /// It is pinned host memory, which the host reaches as a slice.
    #[error(
        "it is pinned host memory, which a slice may borrow; copy through that slice, use the host side of the \
         `unsafe` retained or asynchronous copies, or pass it to a kernel as an argument"
    )]
    Pinned,
    /// It is not the start of an allocation.
    #[error("it is not the start of an allocation")]
    NotAStart,
    /// Two ranges that must not overlap do.
    #[error("it overlaps {other}, and the ranges of a copy must not")]
    Overlap {
        /// The start of the other range.
        other: DevicePtr,
    },
}

fn of_kernel(kernel: Option<&str>) -> String {
    kernel.map_or_else(String::new, |kernel| format!("kernel `{kernel}`: "))
}

fn listed(what: &str, names: &[String]) -> String {
    if names.is_empty() {
        format!("; there are no {what}")
    } else {
        format!("; there are the {what} {}", names.join(", "))
    }
}

fn reason(limits: &str, source: &Error) -> String {
    // A backend that found the limits itself has said all there is to say.
    if limits.is_empty() || matches!(source, Error::Limits { .. }) {
        source.to_string()
    } else {
        format!("{limits} ({source})")
    }
}
