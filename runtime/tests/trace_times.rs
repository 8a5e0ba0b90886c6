//! Device times of a trace.

mod trace_support;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use trace_support::{Program, timed};
use warpcall::backend::Fill;
use warpcall::diagnose::trace::{Kind, Trace};
use warpcall::diagnose::{Call, Layer, Operation, Outcome};
use warpcall::{Gpu, GpuBackend, HostBackend, Result};

#[test]
fn device_times_are_there_and_in_order_for_all_work_outside_of_captures() -> Result<()> {
    for gpu in [Gpu::builder().host(), Gpu::builder().host_delayed()] {
        let trace = timed();
        let mut program = Program::on(gpu.trace(&trace).open()?)?;
        for _ in 0..100 {
            program.norm(1.0)?;
        }
        let stream = program.gpu.create_stream()?;
        let graph = stream.capture(|stream| program.output.fill(stream, Fill::Byte(0)))?;
        // SAFETY: the buffer is there.
        unsafe { graph.launch(&stream)? };
        drop(program);
        let recording = trace.recording();
        assert_eq!((recording.untimed, &recording.problems[..]), (0, &[][..]));
        let mut free_from = 0;
        for launch in recording.launches() {
            let device = launch.device.expect("each has a time");
            assert!(device.start_ns >= free_from, "{device:?} starts before {free_from}");
            assert!(device.start_ns >= launch.host.start_ns, "{device:?} before {:?}", launch.host);
            assert!(device.end_ns > device.start_ns, "{device:?}");
            free_from = device.end_ns;
        }
        assert_eq!(recording.graphs[&1].records[0].device, None, "it was not executed then");
        let replay = recording.records.iter().find(|record| record.kind == Kind::GraphLaunch);
        assert!(replay.is_some_and(|replay| replay.device.is_some()));
    }
    Ok(())
}

#[test]
fn more_work_than_there_are_events_still_has_its_times() -> Result<()> {
    let trace = timed();
    let mut program = Program::new(&trace)?;
    for position in 0..5000 {
        program.rotate(position)?;
    }
    let recording = trace.recording();
    assert_eq!((recording.untimed, recording.launches().count()), (0, 5000));
    assert!(recording.launches().all(|launch| launch.device.is_some()));
    Ok(())
}

/// Is slow to wait for an event, and writes down what is done with events.
#[derive(Clone, Debug, Default)]
struct SlowEvents(Arc<Mutex<Vec<&'static str>>>);

// SAFETY: memory is left to the backend underneath.
unsafe impl Layer for SlowEvents {
    fn name(&self) -> &'static str {
        "slow events"
    }

    fn before(&self, call: &Call<'_>) -> Result<()> {
        if matches!(call.operation, Operation::SynchronizeEvent(_)) {
            std::thread::sleep(Duration::from_millis(50));
        }
        Ok(())
    }

    fn after(&self, call: &Call<'_>, _: Outcome<'_>) {
        if matches!(
            call.operation,
            Operation::SynchronizeEvent(_) | Operation::Elapsed { .. } | Operation::DestroyEvent(_)
        ) {
            self.0.lock().expect("no test panics with it").push(call.name);
        }
    }
}

#[test]
fn events_are_not_destroyed_while_another_thread_reads_their_times() -> Result<()> {
    let (trace, events) = (timed(), SlowEvents::default());
    let gpu = Gpu::builder().host().layer(events.clone()).trace(&trace).open()?;
    for _ in 0..4 {
        gpu.zeros::<u8>(4)?;
    }
    std::thread::scope(|scope| {
        let reader = scope.spawn(|| trace.recording());
        while events.0.lock().expect("no test panics with it").is_empty() {
            std::thread::yield_now();
        }
        drop(gpu);
        let recording = reader.join().expect("it reads");
        assert_eq!(recording.untimed, 0, "{:?}", recording.problems);
    });
    let events = events.0.lock().expect("no test panics with it");
    let first = events.iter().position(|name| *name == "destroy_event").expect("the backend is closed");
    assert_eq!(events.iter().filter(|name| **name == "synchronize_event").count(), 4);
    assert!(events[first..].iter().all(|name| *name == "destroy_event"), "{events:?}");
    Ok(())
}

/// Devices on one backend, all with the trace around them.
fn siblings<const N: usize>(backend: &Arc<dyn GpuBackend>, trace: &Trace) -> Result<[Gpu; N]> {
    let open = || Gpu::builder().backend(Arc::clone(backend)).sync_check().trace(trace).open();
    let opened: Vec<Gpu> = (0..N).map(|_| open()).collect::<Result<_>>()?;
    Ok(opened.try_into().expect("there are so many"))
}

#[test]
fn closing_one_of_two_devices_on_a_backend_leaves_the_other_its_times() -> Result<()> {
    let (trace, host): (_, Arc<dyn GpuBackend>) = (timed(), Arc::new(HostBackend::new()));
    let [first, second] = siblings(&host, &trace)?;
    first.zeros::<u8>(4)?;
    drop(first);
    second.zeros::<u8>(4)?;
    let recording = trace.recording();
    assert_eq!((recording.untimed, &recording.problems[..]), (0, &[][..]), "read while one is open");
    second.zeros::<u8>(4)?;
    drop(second);
    let recording = trace.recording();
    assert_eq!((recording.untimed, &recording.problems[..]), (0, &[][..]), "read when the last one closed");
    assert_eq!(recording.backends.len(), 1);
    Ok(())
}

#[test]
fn a_backend_that_is_traced_again_has_its_times_again() -> Result<()> {
    let (trace, host): (_, Arc<dyn GpuBackend>) = (timed(), Arc::new(HostBackend::new()));
    for _ in 0..3 {
        let [gpu] = siblings(&host, &trace)?;
        gpu.zeros::<u8>(4)?;
        std::thread::sleep(Duration::from_millis(20));
    }
    let recording = trace.recording();
    assert_eq!((recording.untimed, &recording.problems[..]), (0, &[][..]));
    for record in recording.records.iter().filter(|record| record.kind == Kind::Fill) {
        let (host, device) = (record.host, record.device.expect("each has a time"));
        let late = device.start_ns.abs_diff(host.start_ns);
        assert!(late < 10_000_000, "{device:?} is not within {host:?}");
    }
    Ok(())
}

#[test]
fn a_device_may_close_while_work_of_another_one_on_its_backend_is_timed() -> Result<()> {
    /// Closes a device in the middle of a call.
    #[derive(Clone, Debug, Default)]
    struct Closes(Arc<Mutex<Option<Gpu>>>);

    // SAFETY: memory is left to the backend underneath.
    unsafe impl Layer for Closes {
        fn name(&self) -> &'static str {
            "closes"
        }

        fn before(&self, call: &Call<'_>) -> Result<()> {
            if call.operation.is_work() {
                drop(self.0.lock().expect("no test panics with it").take());
            }
            Ok(())
        }
    }

    let (trace, host): (_, Arc<dyn GpuBackend>) = (timed(), Arc::new(HostBackend::new()));
    let closes = Closes::default();
    let [first] = siblings(&host, &trace)?;
    first.zeros::<u8>(4)?;
    let second = Gpu::builder().backend(host).layer(closes.clone()).trace(&trace).open()?;
    *closes.0.lock().expect("no test panics with it") = Some(first);
    second.zeros::<u8>(4)?;
    let recording = trace.recording();
    assert_eq!((recording.untimed, &recording.problems[..]), (0, &[][..]));
    Ok(())
}

#[test]
fn work_that_gets_no_events_during_a_capture_is_told_with_the_reason() -> Result<()> {
    let trace = timed();
    let gpu = Gpu::builder().host().trace(&trace).open()?;
    let (stream, other) = (gpu.create_stream()?, gpu.create_stream()?);
    let mut memory = gpu.zeros::<u8>(4)?;
    stream.begin_capture()?;
    for _ in 0..5000 {
        memory.fill(&other, Fill::Byte(1))?;
    }
    stream.end_capture()?.destroy()?;
    let recording = trace.recording();
    assert_eq!((recording.untimed, recording.problems.len()), (5001 - 4096, 1), "{:?}", recording.problems);
    assert!(recording.problems[0].contains("while a stream captures"), "{:?}", recording.problems);
    Ok(())
}
