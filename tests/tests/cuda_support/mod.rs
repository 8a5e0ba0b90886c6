//! A device for the tests that need one, and a few kernels.

// Each test program uses a part of it.
#![allow(dead_code)]

use std::sync::Arc;
use std::time::Duration;

use warpcall::backend::KernelLookup as _;
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

const fn word(name: &'static str) -> Parameter {
    Parameter::value(name, "u32", u32::DESCRIPTION)
}

/// `values[i] = value` for every `i < n`.
pub(crate) static FILL: Kernel = Kernel::new(MODULE, "fill", &[address("values"), word("n"), word("value")]);
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
    &[address("values"), word("value"), Parameter::value("nanoseconds", "u64", u64::DESCRIPTION)],
);

pub(crate) const DEFAULT: StreamHandle = StreamHandle::DEFAULT;

/// The first CUDA device. Without one the test says so and is over; with `WARPCALL_REQUIRE_CUDA=1` it fails.
pub(crate) fn cuda_or_skip() -> Option<Arc<CudaBackend>> {
    device_or_skip(0)
}

/// As [`cuda_or_skip`], of the device with this number. A second device is not required.
pub(crate) fn device_or_skip(ordinal: usize) -> Option<Arc<CudaBackend>> {
    match CudaBackend::open(ordinal) {
        Ok(backend) => Some(backend),
        Err(error @ Error::NoDevice { .. }) => {
            let required = std::env::var_os("WARPCALL_REQUIRE_CUDA").is_some_and(|value| value == "1");
            assert!(!required || ordinal > 0, "WARPCALL_REQUIRE_CUDA is 1, but there is {error}");
            eprintln!("NOT RUN: {error}");
            None
        }
        Err(error) => panic!("the device is there and cannot be opened: {error}"),
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

/// The text of an error; fails where there is none.
pub(crate) fn refusal<T>(what: &str, outcome: Result<T>) -> String {
    match outcome {
        Ok(_) => panic!("{what} succeeded; it had to be refused"),
        Err(error) => {
            let text = error.to_string();
            println!("{what}:\n    {text}");
            text
        }
    }
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
