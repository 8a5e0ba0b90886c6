//! Runs the conformance suite on every backend of the crate.
//!
//! Each test is called `TARGET::TOPIC::PROMISE`, so that a part of them can be chosen by a part of the name:
//! `cargo test -p warpcall-tests --test conformance -- host::graphs`. A test that a target cannot run is
//! reported as ignored, with the reason. Without a CUDA device the target `cuda` is one ignored test; with
//! `WARPCALL_REQUIRE_CUDA=1` it is a failing one.

use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};

use libtest_mimic::{Arguments, Completion, Failed, Trial};
use warpcall::backend::DeviceInfo as _;
use warpcall::backend::mock::MockBackend;
use warpcall::diagnose::{
    Faults, HazardCheck, HazardKind, Hazards, Layered, Ledger, RedZones, SyncCheck, Trace, TraceOptions,
};
use warpcall::{CudaBackend, Error, GpuBackend, HostBackend, Result};
use warpcall_tests::conformance::{self, Capability, Skipped, Target, Test};

const HOST: Target = Target {
    name: "host",
    kind: "host",
    open: open_host,
    lacks: &[],
    survives_wild_launches: true,
    keeps_memory_apart: true,
    makes_up_kernels: false,
};

const HOST_DELAYED: Target = Target { name: "host_delayed", open: open_host_delayed, ..HOST };

/// Records what it is told, and has the host do it.
const MOCK: Target = Target { name: "mock", kind: "mock", open: open_mock, makes_up_kernels: true, ..HOST };

const CUDA: Target = Target {
    name: "cuda",
    kind: "cuda",
    open: open_cuda,
    survives_wild_launches: false,
    keeps_memory_apart: false,
    ..HOST
};

/// Targets with a layer around their backend. What they promise is what the backend underneath does.
macro_rules! layered {
    ($target:expr, $name:expr, $layer:expr) => {
        Target { name: $name, open: || Ok(Arc::new(Layered::new(($target.open)()?, $layer))), ..$target }
    };
}

/// A target with all tools around its backend, in the order in which `diagnose::from_environment` puts them.
macro_rules! stacked {
    ($target:expr, $name:expr) => {
        Target {
            name: $name,
            open: || {
                let zones = Arc::new(Layered::new(($target.open)()?, watched_zones()?));
                let ledger = Arc::new(Layered::new(zones, Ledger::new()));
                let faults = Arc::new(Layered::new(ledger, Faults::new()));
                let sync_check = Arc::new(Layered::new(faults, SyncCheck));
                let trace = Arc::new(Layered::new(sync_check, Trace::default()));
                Ok(Arc::new(Layered::new(trace, watched_hazards())))
            },
            ..$target
        }
    };
}

/// The tools of `diagnose`, each alone and all together.
macro_rules! each_layered {
    ($target:expr, $prefix:literal) => {
        &[
            layered!($target, concat!($prefix, "_sync_check"), SyncCheck),
            layered!($target, concat!($prefix, "_red_zones"), watched_zones()?),
            layered!($target, concat!($prefix, "_ledger"), Ledger::new()),
            layered!($target, concat!($prefix, "_faults"), Faults::new()),
            layered!($target, concat!($prefix, "_hazards"), watched_hazards()),
            layered!($target, concat!($prefix, "_trace"), timed_trace()),
            stacked!($target, concat!($prefix, "_stacked")),
        ]
    };
}

/// All red zones of the run, in which no correct program leaves a trace.
static ZONES: Mutex<Vec<RedZones>> = Mutex::new(Vec::new());

fn watched_zones() -> Result<RedZones> {
    let zones = RedZones::new(256)?;
    ZONES.lock().unwrap_or_else(PoisonError::into_inner).push(zones.clone());
    Ok(zones)
}

/// All hazard checks of the run. They are strict, so that a test fails where one of them finds something.
static HAZARDS: Mutex<Vec<Hazards>> = Mutex::new(Vec::new());

fn watched_hazards() -> HazardCheck {
    let hazards = Hazards::strict();
    HAZARDS.lock().unwrap_or_else(PoisonError::into_inner).push(hazards.clone());
    hazards.layer()
}

/// With the device's times, which are taken by calls of its own.
fn timed_trace() -> Trace {
    Trace::new(TraceOptions::default().device_times(true))
}

/// What the tools found, although the suite does nothing wrong.
fn false_alarms() -> Vec<String> {
    let zones = ZONES.lock().unwrap_or_else(PoisonError::into_inner);
    let overruns = zones.iter().flat_map(RedZones::take_overruns).map(|overrun| overrun.to_string());
    let hazards = HAZARDS.lock().unwrap_or_else(PoisonError::into_inner);
    let found = hazards.iter().flat_map(|hazards| [hazards.reports(), hazards.possible()].concat());
    // `bounds::kernels_are_not_given_memory_that_they_cannot_use` launches it with freed memory, to see it refused.
    let found = found.filter(|hazard| (hazard.kind, hazard.later.what) != (HazardKind::Freed, "count_up"));
    overruns.chain(found.map(|hazard| hazard.to_string())).collect()
}

const LAYERED: &[Target] = each_layered!(HOST, "host");
/// Where a missing wait shows, and the answers to questions are no at first.
const LAYERED_DELAYED: &[Target] = &[layered!(HOST_DELAYED, "host_delayed_hazards", watched_hazards())];
const LAYERED_MOCK: &[Target] = each_layered!(MOCK, "mock");
const LAYERED_CUDA: &[Target] = each_layered!(CUDA, "cuda");

fn open_host() -> Result<Arc<dyn GpuBackend>> {
    Ok(Arc::new(HostBackend::builder().open()?))
}

fn open_host_delayed() -> Result<Arc<dyn GpuBackend>> {
    Ok(Arc::new(HostBackend::builder().delayed(true).open()?))
}

fn open_mock() -> Result<Arc<dyn GpuBackend>> {
    let mock = MockBackend::new()?;
    mock.run_kernels(true);
    Ok(mock)
}

fn open_cuda() -> Result<Arc<dyn GpuBackend>> {
    Ok(CudaBackend::open(0)?)
}

fn main() -> ExitCode {
    let mut arguments = Arguments::from_args();
    // Most tests wait most of the time, for a kernel that takes its time.
    arguments.test_threads.get_or_insert(16);
    let mut trials: Vec<Trial> = [HOST, HOST_DELAYED, MOCK]
        .iter()
        .chain(LAYERED)
        .chain(LAYERED_DELAYED)
        .chain(LAYERED_MOCK)
        .flat_map(trials_on)
        .collect();
    // Kept open, so that the driver does not set its context up anew for every test.
    let device = CudaBackend::open(0);
    match &device {
        Ok(device) => {
            let has_tensor_maps =
                device.properties().compute_capability.is_some_and(|version| version >= (9, 0));
            let lacks: &[Capability] = if has_tensor_maps { &[] } else { &[Capability::TensorMaps] };
            for target in [CUDA].iter().chain(LAYERED_CUDA) {
                trials.extend(trials_on(&Target { lacks, ..*target }));
            }
        }
        Err(error) => trials.push(without_device(error)),
    }
    let conclusion = libtest_mimic::run(&arguments, trials);
    let false_alarms = false_alarms();
    for alarm in &false_alarms {
        eprintln!("a false alarm: {alarm}");
    }
    if false_alarms.is_empty() { conclusion.exit_code() } else { ExitCode::FAILURE }
}

fn trials_on(target: &Target) -> Vec<Trial> {
    let target = *target;
    conformance::all()
        .map(|test| {
            let name = format!("{}::{}::{}", target.name, test.topic, test.name);
            Trial::ignorable_test(name, move || run(&target, test))
        })
        .collect()
}

fn run(target: &Target, test: Test) -> Result<Completion, Failed> {
    // One device serves all tests of `cuda`: what one of them waits for must not be another's work, memory that one has freed
    // must not be another's, and waiting for the device is refused while another captures.
    static DEVICE: Mutex<()> = Mutex::new(());
    let _device = (target.kind == "cuda").then(|| DEVICE.lock().unwrap_or_else(PoisonError::into_inner));
    match (test.run)(target) {
        Ok(()) => Ok(Completion::Completed),
        Err(error) => match error.downcast_ref::<Skipped>() {
            Some(skipped) => Ok(Completion::ignored_with(skipped)),
            None => Err(format!("{error:#}").into()),
        },
    }
}

/// What stands for the target `cuda` where there is no device.
fn without_device(error: &Error) -> Trial {
    let required = std::env::var_os("WARPCALL_REQUIRE_CUDA").is_some_and(|required| required == "1");
    let reason = error.to_string();
    Trial::ignorable_test("cuda::a_device_is_there", move || {
        if required {
            return Err(format!("WARPCALL_REQUIRE_CUDA=1, but: {reason}").into());
        }
        Ok(Completion::ignored_with(reason))
    })
}
