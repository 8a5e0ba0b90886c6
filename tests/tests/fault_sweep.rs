//! Every test of the conformance suite, with one call of the backend failing: nothing panics, the error names the call, and what the
//! owning layer allocated is freed.
//!
//! A test makes up to thousands of calls. Of each kind that it makes the first and the last fail in turn; with
//! `WARPCALL_FAULT_SWEEP=all` every single call does.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};

use libtest_mimic::{Arguments, Completion, Failed, Trial};
use warpcall::diagnose::{Faults, Layered, Ledger};
use warpcall::{CudaBackend, GpuBackend, HostBackend, Result};
use warpcall_tests::conformance::{self, Skipped, Target, Test};

/// Where a test goes on after the failure and finds what it left: the test, the call, and why that is right.
const GOES_ON: &[(&str, &str, &str)] = &[
    (
        "a_capture_with_a_stream_that_was_not_joined_back_is_refused",
        "end_capture",
        "it expects the call to fail",
    ),
    ("a_capture_can_begin_again_after_one_that_failed", "end_capture", "it expects the call to fail"),
    ("a_declared_kernel_that_is_not_there_does_not_run", "resolve_kernel", "it expects the call to fail"),
    (
        "a_failed_look_up_is_in_the_audit_with_the_place_that_asked",
        "find_kernel",
        "it expects the call to fail",
    ),
    ("a_module_is_known_once_it_is_registered", "has_module", "the call returns no error"),
    ("a_closure_that_fails_gives_its_capture_up", "abandon_capture", "the closure's error comes first"),
    ("a_closure_that_panics_gives_its_capture_up", "begin_capture", "its own panic does not come"),
    ("a_closure_that_panics_gives_its_capture_up", "resolve_kernel", "its own panic does not come"),
    ("a_closure_that_panics_gives_its_capture_up", "launch", "its own panic does not come"),
    ("a_closure_that_panics_gives_its_capture_up", "abandon_capture", "its own panic goes on"),
];

/// What is around the backends that a thread opens.
#[derive(Clone, Default)]
struct Layers {
    faults: Faults,
    ledger: Ledger,
}

thread_local! {
    static LAYERS: RefCell<Layers> = RefCell::default();
}

fn layered(backend: Arc<dyn GpuBackend>) -> Arc<dyn GpuBackend> {
    let Layers { faults, ledger } = LAYERS.with_borrow(Clone::clone);
    Arc::new(Layered::new(Arc::new(Layered::new(backend, ledger)), faults))
}

fn open_host() -> Result<Arc<dyn GpuBackend>> {
    Ok(layered(Arc::new(HostBackend::builder().open()?)))
}

fn open_cuda() -> Result<Arc<dyn GpuBackend>> {
    Ok(layered(CudaBackend::open(0)?))
}

const HOST: Target = Target {
    name: "host",
    kind: "host",
    open: open_host,
    lacks: &[],
    survives_wild_launches: true,
    keeps_memory_apart: true,
    makes_up_kernels: false,
};

const CUDA: Target = Target {
    name: "cuda",
    kind: "cuda",
    open: open_cuda,
    survives_wild_launches: false,
    keeps_memory_apart: false,
    ..HOST
};

fn main() -> ExitCode {
    let mut arguments = Arguments::from_args();
    arguments.test_threads.get_or_insert(16);
    let device = CudaBackend::open(0);
    let required = std::env::var_os("WARPCALL_REQUIRE_CUDA").is_some_and(|required| required == "1");
    let mut targets = vec![HOST];
    let mut trials = Vec::new();
    match &device {
        Ok(_) => targets.push(CUDA),
        Err(error) => {
            let reason = error.to_string();
            trials.push(Trial::ignorable_test("cuda::a_device_is_there", move || {
                if required { Err(reason.into()) } else { Ok(Completion::ignored_with(reason)) }
            }));
        }
    }
    for target in targets {
        trials.extend(conformance::all().map(|test| {
            Trial::ignorable_test(format!("{}::{}::{}", target.name, test.topic, test.name), move || {
                sweep(&target, test)
            })
        }));
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// The numbers of the calls that are to fail, of a run that made these.
fn chosen(calls: &[&'static str]) -> Vec<usize> {
    if std::env::var_os("WARPCALL_FAULT_SWEEP").is_some_and(|sweep| sweep == "all") {
        return (0..calls.len()).collect();
    }
    (0..calls.len())
        .filter(|&index| {
            !calls[..index].contains(&calls[index]) || !calls[index + 1..].contains(&calls[index])
        })
        .collect()
}

fn sweep(target: &Target, test: Test) -> Result<Completion, Failed> {
    // One device serves all tests of `cuda`, and a call that fails may leave a stream capturing until its backend closes.
    static DEVICE: Mutex<()> = Mutex::new(());
    let _device = (target.kind == "cuda").then(|| DEVICE.lock().unwrap_or_else(PoisonError::into_inner));
    let whole = Layers::default();
    LAYERS.set(whole.clone());
    match (test.run)(target) {
        Ok(()) => {}
        Err(error) => match error.downcast_ref::<Skipped>() {
            Some(skipped) => return Ok(Completion::ignored_with(skipped)),
            None => return Err(format!("without a fault: {error:#}").into()),
        },
    }
    for index in chosen(&whole.faults.made()) {
        fail(target, test, index + 1).map_err(|problem| format!("call {}: {problem}", index + 1))?;
    }
    Ok(Completion::Completed)
}

/// Runs a test with one call failing.
fn fail(target: &Target, test: Test, number: usize) -> Result<(), String> {
    let layers = Layers::default();
    layers.faults.fail_call(number as u64);
    LAYERS.set(layers.clone());
    let outcome = catch_unwind(AssertUnwindSafe(|| (test.run)(target)));
    // A run with threads need not make the same calls each time.
    let Some(failed) = layers.faults.failed() else { return Ok(()) };
    let Ok(result) = outcome else { return Err(format!("it panics where {failed} fails")) };
    let goes_on = GOES_ON.iter().any(|(name, call, _)| (*name, *call) == (test.name, failed));
    if let Err(error) = result.map_err(|error| format!("{error:#}"))
        && !goes_on
        && !error.contains(failed)
    {
        return Err(format!("where {failed} fails, the error does not say so: {error}"));
    }
    let left = layers.ledger.report().swept;
    let may_leave = test.topic != "owning" || matches!(failed, "free" | "free_pinned");
    if left.count > 0 && !may_leave {
        return Err(format!("where {failed} fails, nobody freed {left}"));
    }
    Ok(())
}
