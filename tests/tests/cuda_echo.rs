//! Kernels on a device that copy every byte of their parameters to memory: what generated functions pass is what CUDA's
//! own compiler reads, for each kind of parameter, at each place, up to 47 of them and tens of kilobytes.
//!
//! Without a CUDA device the test says so and passes; with `WARPCALL_REQUIRE_CUDA=1` it fails then.

use std::fmt::Write as _;
use std::io::Write as _;

use warpcall::backend::Fill;
use warpcall::{Buffer, Error, Gpu, Kernel, Result, Stream};

/// Structs, declarations and launches, as they are generated.
#[allow(
    clippy::all,
    clippy::pedantic,
    clippy::undocumented_unsafe_blocks,
    missing_docs,
    unreachable_pub,
    private_interfaces
)]
#[allow(unused)]
mod generated {
    use float8::{F8E4M3, F8E5M2};
    use half::{bf16, f16};
    use warpcall::*;

    use super::Case;

    include!(concat!(env!("OUT_DIR"), "/structs.rs"));
    include!(concat!(env!("OUT_DIR"), "/echo.rs"));
}

use generated::CASES;

/// One kernel, and the bytes of the arguments that `launch` passes after the first.
pub(crate) struct Case {
    kernel: &'static Kernel,
    launch: fn(&Stream, &mut Buffer<u8>) -> Result<()>,
    bytes: &'static [u8],
}

/// What the output holds where no kernel wrote.
const UNTOUCHED: u8 = 0xa5;
/// How much of it is looked at behind the last byte.
const BEHIND: usize = 64;

#[test]
fn a_device_reads_the_very_bytes_that_generated_functions_pass() {
    assert!(CASES.len() >= 500, "{} kernels", CASES.len());
    assert!(
        CASES.iter().any(|case| case.kernel.parameters().len() > 34),
        "a kernel of more than 34 parameters"
    );
    assert!(CASES.iter().any(|case| case.bytes.len() > 4096), "more than 4 KB of parameters");
    let Some(gpu) = device() else { return };

    let failures: Vec<String> = CASES.iter().filter_map(|case| failure(&gpu, case).err()).collect();
    let shown = failures.iter().take(10).fold(String::new(), |mut text, failure| {
        let _ = writeln!(text, "{failure}");
        text
    });
    assert!(
        failures.is_empty(),
        "{} of {} kernels failed; the first are\n{shown}",
        failures.len(),
        CASES.len()
    );
    say(format_args!(
        "{} kernels on {} read all {} bytes of their parameters as they were passed",
        CASES.len(),
        gpu.properties().name,
        CASES.iter().map(|case| case.bytes.len()).sum::<usize>(),
    ));
}

/// Launches the kernel and compares what it wrote.
fn failure(gpu: &Gpu, case: &Case) -> Result<(), String> {
    let Case { kernel, launch, bytes } = case;
    let found = (|| {
        let stream = gpu.default_stream();
        let mut out = gpu.zeros::<u8>(bytes.len() + BEHIND)?;
        out.fill(&stream, Fill::Byte(UNTOUCHED))?;
        launch(&stream, &mut out)?;
        out.to_vec(&stream)
    })()
    .map_err(|error| format!("{kernel}: {error}"))?;
    let expected = bytes.iter().copied().chain([UNTOUCHED; BEHIND]);
    match found.iter().copied().zip(expected).enumerate().find(|(_, (found, expected))| found != expected) {
        None => Ok(()),
        Some((at, (found, expected))) => {
            Err(format!("{kernel}: byte {at} of {} is {found:#04x}, not {expected:#04x}", bytes.len()))
        }
    }
}

/// The first CUDA device, where there is one.
fn device() -> Option<Gpu> {
    match Gpu::cuda(0) {
        Ok(gpu) => Some(gpu),
        Err(error @ Error::NoDevice { .. }) => {
            let required = std::env::var_os("WARPCALL_REQUIRE_CUDA").is_some_and(|value| value == "1");
            assert!(!required, "WARPCALL_REQUIRE_CUDA is 1, but {error}");
            say(format_args!("NOT RUN, {} kernels: {error}", CASES.len()));
            None
        }
        Err(error) => panic!("{error}"),
    }
}

/// Says something that the test harness does not swallow.
fn say(what: std::fmt::Arguments<'_>) {
    let _ = writeln!(std::io::stderr(), "{what}");
}
