//! Calls that fail or wait because they are told to.

use std::time::{Duration, Instant};

use warpcall::diagnose::{CallKind, Faults, Ledger};
use warpcall::{Error, Gpu, LaunchConfig, Result, kernel};

#[kernel(module = "faults")]
unsafe extern "C" {
    #[host(double_on_the_host)]
    unsafe fn double(values: *mut f32);
}

fn double_on_the_host(values: &mut [f32]) {
    for value in values {
        *value *= 2.0;
    }
}

/// Uses streams, events, a graph, pinned memory, copies and launches.
fn program(gpu: &Gpu) -> Result<()> {
    let stream = gpu.create_stream()?;
    let done = gpu.create_event()?;
    let mut values = gpu.upload(&[1.0_f32, 2.0])?;
    let pinned = gpu.pinned::<f32>(2)?;
    values.copy_from_host(&stream, &pinned)?;
    let config = LaunchConfig::new(1, 32);
    // SAFETY: the kernel stays within its buffer.
    unsafe { launch_double(&stream, config, &mut values)? };
    // SAFETY: as above; the buffer outlives the graph.
    let graph = stream.capture(|stream| unsafe { launch_double(stream, config, &mut values) })?;
    // SAFETY: as above.
    unsafe { graph.launch(&stream)? };
    stream.record(&done)?;
    done.synchronize()?;
    values.to_vec(&stream)?;
    graph.destroy()?;
    values.free()?;
    stream.destroy()
}

#[test]
fn each_call_can_fail_and_says_which_it_was() {
    let ledger = Ledger::new();
    let open = |faults: &Faults| Gpu::builder().host().ledger(&ledger).faults(faults).open();
    let runs = Faults::each_in_turn(open, |gpu| program(&gpu)).expect("without a fault it runs");
    assert!(runs.len() > 15, "{runs:?}");
    for run in &runs {
        match &run.result {
            Err(error) => {
                let Error::Injected { call, number, .. } = error.failure() else { panic!("{error}") };
                let so_far = runs.iter().filter(|other| other.call == run.call && other.number <= run.number);
                assert_eq!((*call, *number), (run.call, so_far.count() as u64), "{error}");
            }
            // What is dropped has nobody to tell.
            Ok(()) => assert!(matches!(run.call, "destroy_event" | "free_pinned"), "{run:?}"),
        }
    }
    // What was not freed in its turn is freed at the end.
    assert_eq!(ledger.report().live.bytes, 0);
}

#[test]
fn the_calls_of_a_program_are_numbered_without_those_that_open_what_it_runs_on() -> Result<()> {
    let open = |faults: &Faults| {
        let gpu = Gpu::builder().host().faults(faults).open()?;
        let weights = gpu.upload(&[1.0_f32])?;
        Ok((gpu, weights))
    };
    let mut runs_of_program = 0;
    let runs = Faults::each_in_turn(open, |(gpu, weights)| {
        runs_of_program += 1;
        weights.to_vec(&gpu.default_stream())?;
        weights.free()?;
        gpu.synchronize()
    })?;
    let failed: Vec<_> = runs.iter().map(|run| (run.number, run.call)).collect();
    assert_eq!(failed, [(1, "copy_to_host_on"), (2, "free"), (3, "synchronize")]);
    assert_eq!(runs_of_program, 1 + 3, "no run is made in which nothing could fail");
    Ok(())
}

#[test]
fn the_nth_call_of_a_kind_fails_once() {
    let faults = Faults::new();
    let gpu = Gpu::builder().host().faults(&faults).open().expect("the host opens");
    faults.fail(CallKind::Allocate, 2);
    faults.fail(CallKind::Memset, 0);
    let outcomes = [0; 4].map(|_| gpu.zeros::<u8>(1).is_ok());
    assert_eq!(outcomes, [true, false, true, true]);
    faults.fail(CallKind::Allocate, 1);
    faults.clear();
    assert!(gpu.zeros::<u8>(1).is_ok());
}

#[test]
fn a_failed_launch_names_its_kernel() {
    let faults = Faults::new();
    let gpu = Gpu::builder().host().faults(&faults).open().expect("the host opens");
    for kind in [CallKind::ResolveKernel, CallKind::Launch] {
        faults.fail(kind, 1);
        let mut values = gpu.zeros::<f32>(1).expect("there is memory");
        // SAFETY: the kernel stays within its buffer.
        let launched = unsafe { launch_double(&gpu.default_stream(), LaunchConfig::new(1, 1), &mut values) };
        let error = launched.expect_err("it was told to fail").to_string();
        assert_eq!(error, format!("kernel `double`: {kind} number 1 failed, as it was told to"));
    }
}

#[test]
fn a_module_that_is_not_to_be_found_is_not() {
    let faults = Faults::new();
    let gpu = Gpu::builder().host().faults(&faults).open().expect("the host opens");
    gpu.register_module(warpcall::Module::new("faults")).expect("it is new");
    assert!(gpu.has_module("faults"));
    faults.fail(CallKind::HasModule, 1);
    assert!(!gpu.has_module("faults"));
    assert!(gpu.has_module("faults"));
}

#[test]
fn a_delayed_call_waits_each_time() {
    let faults = Faults::new();
    let gpu = Gpu::builder().host().faults(&faults).open().expect("the host opens");
    faults.delay(CallKind::Synchronize, Duration::from_millis(20));
    let start = Instant::now();
    gpu.synchronize().expect("nothing is wrong");
    gpu.synchronize().expect("nothing is wrong");
    assert!(start.elapsed() >= Duration::from_millis(40));
    faults.clear();
    let start = Instant::now();
    for _ in 0..10 {
        gpu.synchronize().expect("nothing is wrong");
    }
    assert!(start.elapsed() < Duration::from_millis(200), "no delay is left");
}
