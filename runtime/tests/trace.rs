//! What a trace says of the calls that it saw.

mod trace_support;

use std::sync::Arc;
use std::time::{Duration, Instant};

use trace_support::{Program, calls, config, launch_norm, timed};
use warpcall::backend::mock::CallKind;
use warpcall::backend::{Fill, mock};
use warpcall::diagnose::Faults;
use warpcall::diagnose::trace::{Kind, Trace, TraceOptions, Value};
use warpcall::{
    DevicePtr, Error, Gpu, GpuBackend, HostBackend, Kernel, KernelLaunch, MockBackend, Module, Result,
    TensorMap,
};

#[test]
fn a_launch_is_told_with_its_arguments_by_name_and_value() -> Result<()> {
    let trace = Trace::default();
    let mut program = Program::new(&trace)?;
    program.norm(1e-5)?;
    let mut output = program.output.slice_mut(16..)?;
    let raw = DevicePtr::new(0x10);
    let line = line!() + 3;
    // SAFETY: the host function is given what the arguments name, checked.
    let refused = unsafe {
        launch_norm(&program.stream, config().shared_mem(8), &mut output, &raw, Some(&program.input), 4, 1.0)
    };
    refused.expect_err("nothing is at the address");
    program.rotate(7)?;

    let recording = trace.recording();
    let launches: Vec<_> = recording.launches().collect();
    assert_eq!(
        launches.iter().map(ToString::to_string).collect::<Vec<_>>(),
        [
            "norm<<<[1,1,1],[64,1,1]>>>(output=#2+0, input=#1+0, bias=null, n=64u32, eps=1e-5f32)",
            "norm<<<[1,1,1],[64,1,1],8 B>>>(output=#2+64, input=0x10, bias=#1+0, n=4u32, eps=1.0f32)",
            "rotate<<<[1,1,1],[64,1,1]>>>(values=#2+0, position=7u32, rotation.theta=0.5f32, \
             rotation.interleaved=true, rotation.dims=0x0000000200000001)",
        ]
    );
    assert!(launches[1].location.starts_with(&format!("{}:{line}:", file!())), "{}", launches[1].location);
    assert!(
        launches[1].error.as_deref().is_some_and(|error| error.contains("0x10")),
        "{:?}",
        launches[1].error
    );
    assert_eq!((launches[0].stream, launches[0].kind), (Some(1), Kind::Launch));
    assert!(launches[0].error.is_none() && launches[0].host.start_ns <= launches[0].host.end_ns);
    assert!(launches[0].host.end_ns <= launches[1].host.start_ns);
    assert_eq!(recording.allocations[1].bytes, 256);
    assert!(
        recording.allocations[1].location.contains("trace_support"),
        "{}",
        recording.allocations[1].location
    );
    Ok(())
}

#[test]
fn what_is_not_declared_is_told_by_its_bytes_and_the_kernels_name() -> Result<()> {
    let mock = MockBackend::new()?;
    let trace = Trace::default();
    let gpu = Gpu::builder().backend(mock).trace(&trace).open()?;
    let memory = gpu.zeros::<u32>(4)?;
    let kernel = gpu.find_kernel("module", "unknown")?;
    let mut launch = KernelLaunch::new(&*gpu, kernel);
    launch
        .arg_ptr(memory.device_ptr().byte_add(4))
        .arg(0x1234_u16)
        .arg_tensormap(&TensorMap::from_slots([1; 16]));
    // SAFETY: the mock runs nothing.
    unsafe { launch.launch(&gpu.default_stream())? };
    let found = calls(&trace);
    let ones = "0000000000000001".repeat(16);
    assert_eq!(found[3], format!("unknown<<<[1,1,1],[1,1,1]>>>(#0=#1+4, #1=0x1234, #2=0x{ones})"));
    assert_eq!(trace.recording().records[3].stream, Some(0));
    Ok(())
}

#[test]
fn raw_arguments_are_decoded_by_their_declaration() -> Result<()> {
    let trace = Trace::default();
    let program = Program::new(&trace)?;
    let kernel = trace_support::ROTATE.resolve(&*program.gpu)?;
    let (mut ptr, mut position) = (program.output.device_ptr().address(), 3_u32);
    let mut rotation: [u32; 4] = [0x3F00_0000, 1, 1, 2];
    let params = [(&raw mut ptr).cast(), (&raw mut position).cast(), (&raw mut rotation).cast()];
    // SAFETY: one pointer a parameter, to as many bytes as it has.
    unsafe { program.gpu.launch_raw(kernel, &config(), program.stream.handle(), &params)? };
    let recording = trace.recording();
    let launch = recording.launches().next().expect("there was one");
    assert!(launch.to_string().contains("(values=#2+0, position=3u32, rotation.theta=0.5f32, "), "{launch}");
    Ok(())
}

#[test]
fn copies_memsets_and_what_orders_them_are_told() -> Result<()> {
    let trace = Trace::default();
    let gpu = Gpu::builder().host().trace(&trace).open()?;
    let (stream, other) = (gpu.create_stream()?, gpu.create_stream()?);
    let event = gpu.create_event()?;
    let (mut first, second) = (gpu.zeros::<u8>(8)?, gpu.zeros::<u8>(8)?);
    first.slice_mut(4..)?.copy_from_device(&stream, second.slice(..4)?)?;
    first.fill(&other, Fill::Byte(7))?;
    stream.record(&event)?;
    other.wait(&event)?;
    other.wait_for(&stream)?;
    let pinned = gpu.pinned::<u8>(16)?;
    first.copy_from_host(&stream, &pinned[8..])?;
    stream.synchronize()?;
    gpu.synchronize()?;
    drop(first);
    let found = calls(&trace);
    let expected = [
        "create_stream(stream=1)",
        "create_stream(stream=2)",
        "create_event(event=1)",
        "allocate(bytes=8, memory=#1+0)",
        "memset(dst=#1+0, fill=0x00, bytes=8)",
        "allocate(bytes=8, memory=#2+0)",
        "memset(dst=#2+0, fill=0x00, bytes=8)",
        "copy_within_device_async(dst=#1+4, src=#2+0, bytes=4)",
        "memset_async(dst=#1+0, fill=0x07, bytes=8)",
        "record_event(event=1)",
        "stream_wait_event(event=1)",
        "stream_wait_stream(other=1)",
        "allocate_pinned(bytes=16, memory=#3+0)",
        "copy_to_device_async(dst=#1+0, src=#3+8, bytes=8)",
        "synchronize_stream()",
        "synchronize()",
        "free(memory=#1+0)",
    ];
    assert_eq!(found, expected);
    let streams: Vec<_> = trace.recording().records[7..12].iter().map(|record| record.stream).collect();
    assert_eq!(streams, [Some(1), Some(2), Some(1), Some(2), Some(2)]);
    Ok(())
}

#[test]
fn what_is_dropped_is_told_so_and_what_is_freed_has_its_place() -> Result<()> {
    let trace = Trace::default();
    let gpu = Gpu::builder().host().trace(&trace).open()?;
    let (first, second, stream) = (gpu.zeros::<u8>(8)?, gpu.zeros::<u8>(8)?, gpu.create_stream()?);
    trace.take();
    let line = line!() + 1;
    first.free()?;
    drop((second, stream));
    let recording = trace.recording();
    let places: Vec<_> = recording.records.iter().map(|record| &*record.location).collect();
    assert!(places[0].starts_with(&format!("{}:{line}:", file!())), "{places:?}");
    assert_eq!(places[1..], ["dropped"; 2]);
    let mut text = Vec::new();
    recording.write_text(&mut text).expect("memory can be written");
    let text = String::from_utf8(text).expect("it is text");
    assert!(text.contains("  free(memory=#2+0)  dropped\n"), "{text}");
    Ok(())
}

#[test]
fn the_last_calls_are_kept_and_the_dropped_ones_counted() -> Result<()> {
    let trace = Trace::new(TraceOptions::default().capacity(4));
    let mut program = Program::new(&trace)?;
    for position in 0..20 {
        program.rotate(position)?;
    }
    let recording = trace.recording();
    let positions: Vec<_> = recording.launches().map(|launch| launch.arguments[1].to_string()).collect();
    assert_eq!(positions, ["position=16u32", "position=17u32", "position=18u32", "position=19u32"]);
    // A stream, two buffers with their contents, and the look-up of the kernel came before.
    assert_eq!(recording.dropped, 20 + 6 - 4);
    assert_eq!(recording.records[3].number, 26);
    assert_eq!(
        recording.records[3].arguments[0].to_string(),
        "values=#2+0",
        "memory outlives the record of its allocation"
    );
    let nothing = Trace::new(TraceOptions::default().capacity(0));
    Program::new(&nothing)?;
    assert_eq!((nothing.recording().records.len(), nothing.recording().dropped > 0), (0, true));
    Ok(())
}

#[test]
fn memory_at_an_address_that_was_used_before_is_other_memory() -> Result<()> {
    let mock = MockBackend::new()?;
    let trace = Trace::default();
    let backend = Gpu::builder().backend(mock).trace(&trace).open()?;
    for bytes in [64, 32] {
        let memory = backend.allocate(bytes)?;
        backend.memset(memory.byte_add(bytes - 1), Fill::Byte(0), 1)?;
        // SAFETY: nothing uses it.
        unsafe { backend.free(memory)? };
    }
    let text = calls(&trace).join("\n");
    assert!(text.contains("memset(dst=#1+63, fill=0x00, bytes=1)\nfree(memory=#1+0)"), "{text}");
    assert!(text.contains("memset(dst=#2+31, fill=0x00, bytes=1)\nfree(memory=#2+0)"), "{text}");
    Ok(())
}

#[test]
fn a_graph_holds_what_was_captured_as_long_as_it_lives() -> Result<()> {
    let trace = Trace::new(TraceOptions::default().capacity(8));
    let mut program = Program::new(&trace)?;
    let (stream, joined) = (program.gpu.create_stream()?, program.gpu.create_stream()?);
    let output = program.output.device_ptr();
    program.norm(0.5)?;
    let graph = stream.capture(|stream| {
        program.output.fill(stream, Fill::Byte(0))?;
        joined.wait_for(stream)?;
        // SAFETY: both have 64 elements, and one stream waits for the other.
        unsafe { launch_norm(&joined, config(), &mut program.output, &program.input, None, 64, 2.0)? };
        stream.wait_for(&joined)
    })?;
    for _ in 0..20 {
        // SAFETY: both buffers are there.
        unsafe { graph.launch(&program.stream)? };
    }
    let recording = trace.recording();
    assert!(recording.dropped > 10, "the capture itself is long gone: {}", recording.dropped);
    let launch = recording.records.last().expect("the last launch is there");
    assert_eq!((launch.kind, launch.to_string()), (Kind::GraphLaunch, "graph(graph=1)".into()));
    let held: Vec<_> =
        recording.graph_of(launch).expect("it lives").records.iter().map(ToString::to_string).collect();
    assert_eq!(
        held,
        [
            "memset_async(dst=#2+0, fill=0x00, bytes=256)",
            "stream_wait_stream(other=2)",
            "norm<<<[1,1,1],[64,1,1]>>>(output=#2+0, input=#1+0, bias=null, n=64u32, eps=2.0f32)",
            "stream_wait_stream(other=3)",
        ]
    );
    assert!(recording.graphs[&1].records.iter().all(|record| record.captured == Some(1)));
    let expanded = recording.expanded();
    assert_eq!(expanded.launches().filter(|launch| launch.captured == Some(1)).count(), 8);
    assert!(
        expanded.launches().all(|launch| launch.stream == Some(1)),
        "they run where the graph was launched"
    );

    drop(graph);
    for _ in 0..20 {
        drop(program.gpu.create_event()?);
    }
    assert!(trace.recording().graphs.is_empty(), "no record can name it");
    assert_eq!(program.output.device_ptr(), output);
    Ok(())
}

#[test]
fn an_abandoned_capture_leaves_no_graph_and_the_stream_as_it_was() -> Result<()> {
    let trace = Trace::default();
    let mut program = Program::new(&trace)?;
    program.stream.begin_capture()?;
    program.norm(1.0)?;
    program.stream.abandon_capture()?;
    program.norm(2.0)?;
    let recording = trace.recording();
    let launches: Vec<_> = recording.launches().map(|launch| launch.arguments[4].to_string()).collect();
    assert_eq!(launches, ["eps=2.0f32"]);
    assert_eq!(recording.all().iter().filter(|record| record.captured == Some(1)).count(), 1);
    Ok(())
}

#[test]
fn a_capture_whose_stream_is_destroyed_is_over() -> Result<()> {
    let (trace, host): (_, Arc<dyn GpuBackend>) = (timed(), Arc::new(HostBackend::new()));
    let untraced = Gpu::from_backend(Arc::clone(&host));
    let gpu = Gpu::builder().backend(host).trace(&trace).open()?;
    // One that the trace saw being created, and one that it did not.
    for of in [&gpu, &untraced] {
        let stream = of.backend().create_stream(None)?;
        gpu.begin_capture(stream)?;
        // SAFETY: nobody uses it any more.
        unsafe { gpu.destroy_stream(stream)? };
        gpu.zeros::<u8>(4)?;
        let recording = trace.recording();
        assert_eq!((recording.untimed, &recording.problems[..]), (0, &[][..]));
        let destroyed = recording.records.iter().filter(|record| record.name == "destroy_stream");
        assert_eq!(destroyed.count(), recording.graphs.len(), "it was recorded into no graph");
        assert!(recording.graphs.values().all(|graph| graph.records.is_empty()));
    }
    Ok(())
}

#[test]
fn a_stream_that_is_destroyed_leaves_the_capture_that_it_joined() -> Result<()> {
    let trace = Trace::default();
    let gpu = Gpu::builder().backend(MockBackend::new()?).trace(&trace).open()?;
    let (origin, joined) = (gpu.create_stream()?, gpu.create_stream()?);
    let mut memory = gpu.zeros::<u8>(4)?;
    origin.begin_capture()?;
    joined.wait_for(&origin)?;
    memory.fill(&joined, Fill::Byte(1))?;
    origin.wait_for(&joined)?;
    joined.destroy()?;
    origin.end_capture().expect_err("a stream that took part is gone");
    let recording = trace.recording();
    let held = recording.graphs[&1].records.iter().map(|record| &*record.name).collect::<Vec<_>>();
    assert_eq!(held, ["stream_wait_stream", "memset_async", "stream_wait_stream"]);
    assert!(recording.records.iter().any(|record| record.name == "destroy_stream"));
    Ok(())
}

#[test]
fn a_capture_that_is_not_ended_goes_on() -> Result<()> {
    let (trace, faults) = (timed(), Faults::new());
    let gpu = Gpu::builder().host().faults(&faults).trace(&trace).open()?;
    let stream = gpu.create_stream()?;
    let mut memory = gpu.zeros::<u8>(4)?;
    gpu.begin_capture(stream.handle())?;
    faults.fail(CallKind::EndCapture, 1);
    gpu.end_capture(stream.handle()).expect_err("it was told to fail");
    memory.fill(&stream, Fill::Byte(1))?;
    let recording = trace.recording();
    let fills: Vec<_> = recording.graphs[&1].records.iter().map(|record| &*record.name).collect();
    assert_eq!(fills, ["memset_async"]);
    assert_eq!(recording.problems, ["work is not waited for while a stream captures"]);
    let graph = gpu.end_capture(stream.handle())?;
    // SAFETY: nobody uses it.
    unsafe { gpu.destroy_graph(graph)? };
    let recording = trace.recording();
    assert_eq!((recording.untimed, &recording.problems[..]), (0, &[][..]));
    Ok(())
}

#[test]
fn a_capture_that_ended_unseen_is_over_once_the_backend_says_so() -> Result<()> {
    let (trace, host): (_, Arc<dyn GpuBackend>) = (timed(), Arc::new(HostBackend::new()));
    let untraced = Gpu::from_backend(Arc::clone(&host));
    let gpu = Gpu::builder().backend(host).trace(&trace).open()?;
    let stream = gpu.create_stream()?;
    gpu.begin_capture(stream.handle())?;
    untraced.abandon_capture(stream.handle())?;
    gpu.zeros::<u8>(4)?;
    assert_eq!(trace.recording().problems, ["work is not waited for while a stream captures"]);
    assert!(!gpu.is_capturing(stream.handle())?);
    let recording = trace.recording();
    assert_eq!((recording.untimed, &recording.problems[..]), (0, &[][..]));
    Ok(())
}

#[test]
fn a_capture_keeps_as_many_calls_as_the_trace() -> Result<()> {
    let trace = Trace::new(TraceOptions::default().capacity(4));
    let gpu = Gpu::builder().host().trace(&trace).open()?;
    let stream = gpu.create_stream()?;
    let mut memory = gpu.zeros::<u8>(4)?;
    let graph = stream.capture(|stream| (0..7).try_for_each(|byte| memory.fill(stream, Fill::Byte(byte))))?;
    let recording = trace.recording();
    assert_eq!((recording.graphs[&1].records.len(), recording.graphs[&1].dropped), (4, 3));
    drop(graph);
    Ok(())
}

#[test]
fn a_capture_ends_soon_however_much_memory_there_is() -> Result<()> {
    let trace = Trace::default();
    let gpu = Gpu::builder().host().trace(&trace).open()?;
    let stream = gpu.create_stream()?;
    let mut memory = (0..10_000).map(|_| gpu.zeros::<u8>(4)).collect::<Result<Vec<_>>>()?;
    stream.begin_capture()?;
    for memory in &mut memory[..4000] {
        memory.fill(&stream, Fill::Byte(1))?;
    }
    let begin = Instant::now();
    let graph = stream.end_capture()?;
    // A few milliseconds where each is looked up, and ten seconds where each is compared with each.
    assert!(begin.elapsed() < Duration::from_secs(3), "{:?}", begin.elapsed());
    assert_eq!(trace.recording().graphs[&1].records.len(), 4000);
    drop((graph, memory));
    Ok(())
}

#[test]
fn a_backend_without_events_is_told_as_a_problem() -> Result<()> {
    let mock = MockBackend::new()?;
    mock.fail(CallKind::CreateEvent, 1);
    let trace = timed();
    let mut program = Program::on(Gpu::builder().backend(mock.clone()).trace(&trace).open()?)?;
    program.rotate(1)?;
    let recording = trace.recording();
    // Two buffers were filled before.
    assert_eq!(recording.untimed, 3);
    assert!(recording.problems[0].contains("create_event"), "{:?}", recording.problems);
    assert_eq!(mock.count(CallKind::CreateEvent), 1, "it is not tried again");
    Ok(())
}

#[test]
fn a_traced_mock_records_the_same_calls() -> Result<()> {
    let (plain, traced) = (MockBackend::new()?, MockBackend::new()?);
    let trace = Trace::default();
    let layered = Gpu::builder().backend(traced.clone()).trace(&trace).open()?;
    for gpu in [Gpu::from_backend(plain.clone()), layered] {
        let mut program = Program::on(gpu)?;
        program.norm(1.0)?;
        program.stream.capture(|stream| program.output.fill(stream, Fill::Byte(0)))?;
    }
    let kinds = |mock: &MockBackend| mock.calls().iter().map(mock::Call::kind).collect::<Vec<_>>();
    assert_eq!(kinds(&plain), kinds(&traced));
    Ok(())
}

#[test]
fn a_call_that_fails_is_told_with_its_error() -> Result<()> {
    let mock = MockBackend::new()?;
    let trace = Trace::default();
    let mut program = Program::on(Gpu::builder().backend(mock.clone()).trace(&trace).open()?)?;
    mock.fail(CallKind::Launch, 2);
    program.rotate(1)?;
    assert!(matches!(program.rotate(2), Err(Error::Injected { .. })));
    mock.fail(CallKind::Allocate, 1);
    program.gpu.allocate(100).expect_err("it was told to fail");
    let recording = trace.recording();
    let failed: Vec<_> = recording.records.iter().filter(|record| record.error.is_some()).collect();
    assert_eq!(failed[0].arguments[1].value, Value::Text("2".into()));
    assert_eq!((failed.len(), failed[1].to_string()), (2, "allocate(bytes=100)".into()));
    Ok(())
}

#[test]
fn one_trace_may_be_around_several_backends_and_called_from_several_threads() -> Result<()> {
    let trace = Trace::default();
    let gpus = [Gpu::builder().host().trace(&trace).open()?, Gpu::builder().host().trace(&trace).open()?];
    let ids = gpus.each_ref().map(|gpu| gpu.id().get());
    std::thread::scope(|scope| {
        for gpu in gpus {
            scope.spawn(move || {
                let mut program = Program::on(gpu).expect("the host opens");
                for position in 0..50 {
                    program.rotate(position).expect("it is launched");
                }
            });
        }
    });
    let recording = trace.recording();
    assert_eq!(recording.backends.iter().map(|backend| backend.number).collect::<Vec<_>>(), ids);
    for id in ids {
        let own: Vec<_> = recording.launches().filter(|launch| launch.backend == Some(id)).collect();
        assert_eq!(own.len(), 50);
        assert!(own.iter().all(|launch| launch.thread == own[0].thread));
        let memory = own[0].argument("values").expect("it is declared");
        assert!(own.iter().all(|launch| launch.argument("values") == Some(memory)));
    }
    Ok(())
}

#[test]
fn taking_a_recording_begins_anew_and_numbers_go_on() -> Result<()> {
    let trace = Trace::default();
    let mut program = Program::new(&trace)?;
    program.rotate(1)?;
    let first = trace.take();
    program.rotate(2)?;
    let second = trace.take();
    assert_eq!((first.launches().count(), second.records.len()), (1, 1));
    assert_eq!(second.records[0].number, first.records.len() as u64 + 1);
    assert_eq!(second.records[0].arguments[0].to_string(), "values=#2+0");
    assert_eq!((first.trace, second.allocations.len()), (second.trace, 2));
    assert_eq!(trace.recording().records, []);
    Ok(())
}

#[test]
fn marks_make_steps_of_a_recording() -> Result<()> {
    let trace = Trace::default();
    let mut program = Program::new(&trace)?;
    for step in 0..3 {
        trace.mark("step");
        for position in 0..=step {
            program.rotate(position)?;
        }
        trace.mark("done");
    }
    let recording = trace.recording();
    assert_eq!(
        recording.steps("step").iter().map(|step| step.launches().count()).collect::<Vec<_>>(),
        [1, 2, 3]
    );
    assert_eq!(recording.steps("none").len(), 0);
    let mark = recording.records.iter().find(|record| record.kind == Kind::Mark).expect("there are six");
    assert_eq!((mark.to_string(), mark.backend), ("step".into(), None));
    assert!(mark.location.starts_with(file!()), "{}", mark.location);
    Ok(())
}

#[test]
fn a_kernel_that_is_looked_up_is_told() -> Result<()> {
    static IDLE: Kernel = Kernel::new(Module::new("lookups"), "idle", &[]).with_host(|_| Ok(()));
    let trace = Trace::default();
    let gpu = Gpu::builder().host().trace(&trace).open()?;
    let same: Arc<_> = Arc::clone(gpu.backend());
    IDLE.resolve(&*same)?;
    gpu.find_kernel("lookups", "missing").expect_err("there is none");
    assert_eq!(calls(&trace), ["resolve_kernel(name=lookups::idle)", "find_kernel(name=lookups::missing)"]);
    Ok(())
}
