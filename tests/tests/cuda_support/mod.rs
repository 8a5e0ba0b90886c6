//! A device for the tests that need one, and a few kernels.

// Each test program uses a part of it.
#![allow(dead_code)]

use std::cell::RefCell;
use std::fmt;
use std::io::Write as _;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::Duration;

use warpcall::backend::{CopyMemory as _, DeviceMemory as _, KernelLookup as _, Streams as _};
use warpcall::{
    CudaBackend, DevicePtr, Error, Kernel, KernelLaunch, KernelParam, LaunchConfig, Module, Parameter,
    Result, StreamHandle, StreamRef,
};

/// The kernels' PTX.
pub(crate) const PTX: &str = include_str!("kernels.ptx");

const MODULE: Module = Module::new("test").with_image("cuda_support/kernels.ptx", PTX.as_bytes());

const fn address(name: &'static str) -> Parameter {
    Parameter::device_mut::<u32>(name, "*mut u32")
}

const fn word_parameter(name: &'static str) -> Parameter {
    Parameter::value(name, "u32", u32::DESCRIPTION)
}

/// `values[i] = value` for every `i < n`.
pub(crate) static FILL: Kernel =
    Kernel::new(MODULE, "fill", &[address("values"), word_parameter("n"), word_parameter("value")]);
/// Adds one to a word in every thread.
pub(crate) static COUNT: Kernel = Kernel::new(MODULE, "count", &[address("total")]);
/// Ends with a trap.
pub(crate) static FAULT: Kernel = Kernel::new(MODULE, "fault", &[]);
/// Writes the size of its dynamic shared memory; has 1,024 bytes of static shared memory.
pub(crate) static SHARED_SIZE: Kernel = Kernel::new(MODULE, "shared_size", &[address("size")]);
/// Writes a word after some time.
pub(crate) static LATE: Kernel = Kernel::new(
    MODULE,
    "late",
    &[address("values"), word_parameter("value"), Parameter::value("nanoseconds", "u64", u64::DESCRIPTION)],
);

pub(crate) const DEFAULT: StreamHandle = StreamHandle::DEFAULT;

/// The first CUDA device. Without one the test says so and is over; with `WARPCALL_REQUIRE_CUDA=1` it fails.
pub(crate) fn cuda_or_skip() -> Option<Arc<CudaBackend>> {
    device_or_skip(0)
}

/// As [`cuda_or_skip`], for a test that has the device to itself until it is over: it measures memory, uses an address that it
/// has freed and the driver may give to another test, or waits for the device, which another test's capture forbids.
pub(crate) fn cuda_alone_or_skip() -> Option<Arc<CudaBackend>> {
    IN_USE.with_borrow_mut(|held| {
        held.get_or_insert_with(|| InUse::Alone(DEVICE.write().unwrap_or_else(PoisonError::into_inner)));
    });
    device_or_skip(0)
}

/// As [`cuda_or_skip`], of the device with this number. A second device is not required.
pub(crate) fn device_or_skip(ordinal: usize) -> Option<Arc<CudaBackend>> {
    IN_USE.with_borrow_mut(|held| {
        held.get_or_insert_with(|| InUse::Shared(DEVICE.read().unwrap_or_else(PoisonError::into_inner)));
    });
    match CudaBackend::open(ordinal) {
        Ok(backend) => Some(backend),
        Err(error @ Error::NoDevice { .. }) => {
            assert!(!is_required() || ordinal > 0, "WARPCALL_REQUIRE_CUDA is 1, but there is {error}");
            not_run(&error);
            None
        }
        Err(error) => panic!("the device is there and cannot be opened: {error}"),
    }
}

/// Whether a test that cannot do what it is there for has to fail.
fn is_required() -> bool {
    std::env::var_os("WARPCALL_REQUIRE_CUDA").is_some_and(|value| value == "1")
}

static DEVICE: RwLock<()> = RwLock::new(());

thread_local! {
    /// Held until the test is over, as each has a thread of its own.
    static IN_USE: RefCell<Option<InUse>> = const { RefCell::new(None) };
}

/// How a test uses the device.
enum InUse {
    Shared(#[expect(dead_code, reason = "held, not read")] RwLockReadGuard<'static, ()>),
    Alone(#[expect(dead_code, reason = "held, not read")] RwLockWriteGuard<'static, ()>),
}

/// Prints a line that the test harness does not swallow, so that it shows of a test that passes too.
pub(crate) fn say(line: impl fmt::Display) {
    // In one piece, as other tests print at the same time.
    let _ = std::io::stdout().write_all(format!("{line}\n").as_bytes());
}

/// Says that the test at hand did not do what it is there for, and why.
pub(crate) fn not_run(reason: impl fmt::Display) {
    let thread = std::thread::current();
    say(format_args!("NOT RUN | {} | {reason}", thread.name().unwrap_or("a test")));
}

/// The outcome of something that needs NVRTC. Where that is not installed the test says so and is over; with
/// `WARPCALL_REQUIRE_CUDA=1` it fails.
pub(crate) fn with_nvrtc<T>(outcome: Result<T>) -> Option<Result<T>> {
    match outcome.as_ref().map_err(Error::failure) {
        Err(Error::Load { problem, .. }) if problem.contains("cannot be loaded") => {
            assert!(problem.contains("WARPCALL_NVRTC"), "{problem}");
            assert!(!is_required(), "WARPCALL_REQUIRE_CUDA is 1, but {problem}");
            not_run(problem);
            None
        }
        _ => Some(outcome),
    }
}

/// Launches a declared kernel with any arguments.
pub(crate) fn launch<'a>(
    backend: &'a CudaBackend,
    kernel: &'static Kernel,
    config: LaunchConfig,
    stream: StreamHandle,
    arguments: impl FnOnce(&mut KernelLaunch<'a>),
) -> Result<()> {
    let mut launch = KernelLaunch::new(backend, kernel.resolve(backend)?);
    launch.config(config);
    arguments(&mut launch);
    // SAFETY: the tests give the arguments that the kernel declares, and memory that is large enough, or
    // expect the launch to be refused.
    unsafe { launch.launch(&StreamRef::new(backend, stream)) }
}

/// Launches [`FILL`].
pub(crate) fn fill(
    backend: &CudaBackend,
    stream: StreamHandle,
    values: DevicePtr,
    n: u32,
    value: u32,
) -> Result<()> {
    launch(backend, &FILL, LaunchConfig::for_elements(n, 128), stream, |launch| {
        launch.arg_ptr(values).arg_u32(n).arg_u32(value);
    })
}

/// Launches [`LATE`].
pub(crate) fn late(
    backend: &CudaBackend,
    stream: StreamHandle,
    values: DevicePtr,
    value: u32,
    time: Duration,
) -> Result<()> {
    let nanoseconds = u64::try_from(time.as_nanos()).expect("a short time");
    launch(backend, &LATE, LaunchConfig::new(1, 1), stream, |launch| {
        launch.arg_ptr(values).arg_u32(value).arg_u64(nanoseconds);
    })
}

/// A word of zero on the device.
pub(crate) fn word(backend: &CudaBackend) -> DevicePtr {
    let word = backend.allocate(4).expect("memory");
    backend.copy_to_device(word, &[0; 4]).expect("a copy");
    word
}

/// What a word holds after the work on the default stream.
pub(crate) fn read(backend: &CudaBackend, word: DevicePtr) -> u32 {
    backend.synchronize_stream(DEFAULT).expect("nothing went wrong");
    let mut found = [0_u32];
    backend.copy_to_host(bytemuck::cast_slice_mut(&mut found), word).expect("a copy back");
    found[0]
}

/// How many threads a launch of [`COUNT`] has.
pub(crate) fn counted(backend: &CudaBackend, config: LaunchConfig) -> Result<u32> {
    let total = word(backend);
    launch(backend, &COUNT, config, DEFAULT, |launch| {
        launch.arg_ptr(total);
    })?;
    Ok(read(backend, total))
}

/// Launches [`SHARED_SIZE`] with this much dynamic shared memory; what the kernel found.
pub(crate) fn shared_size(backend: &CudaBackend, bytes: u32) -> Result<u32> {
    let size = word(backend);
    launch(backend, &SHARED_SIZE, LaunchConfig::new(1, 32).shared_mem(bytes), DEFAULT, |launch| {
        launch.arg_ptr(size);
    })?;
    Ok(read(backend, size))
}

/// The text of an error, said as a row of a table; fails where there is none.
pub(crate) fn refusal<T>(what: &str, outcome: Result<T>) -> String {
    match outcome {
        Ok(_) => panic!("{what} succeeded; it had to be refused"),
        Err(error) => {
            let text = error.to_string();
            say_refusal(what, &text);
            text
        }
    }
}

/// A row of the table of refusals, in one line.
pub(crate) fn say_refusal(what: &str, text: &str) {
    let lines: Vec<_> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    say(format_args!("REFUSED | {what} -> {}", lines.join(" / ")));
}

/// Fails where the text lacks one of the words.
pub(crate) fn says(text: &str, words: &[&str]) {
    for word in words {
        assert!(text.contains(word), "the error does not say `{word}`: {text}");
    }
}

/// The kernels that a module is known to have, by name: forces the module to load.
pub(crate) fn find(backend: &CudaBackend, module: &str, kernel: &str) -> Result<warpcall::KernelHandle> {
    backend.find_kernel(module, kernel)
}
