//! What a step of a trace has of the graphs that were captured in it, before it and across its bounds.

mod fake_backend;
mod trace_support;

use std::sync::Arc;

use fake_backend::FakeBackend;
use trace_support::{Program, ROTATION, config, launch_norm, launch_rotate};
use warpcall::backend::Fill;
use warpcall::diagnose::trace::{ArgumentHistory, Diff, Recording};
use warpcall::diagnose::{Hazards, Trace};
use warpcall::{Gpu, Graph, Result, Stream};

impl Program {
    /// A graph that rotates the output.
    fn rotating(&mut self, stream: &Stream, position: u32) -> Result<Graph> {
        // SAFETY: the kernel uses the first element.
        stream.capture(|stream| unsafe {
            launch_rotate(stream, config(), &mut self.output, position, ROTATION)
        })
    }
}

fn launch(graph: &Graph, stream: &Stream) -> Result<()> {
    // SAFETY: the buffers of the program are there.
    unsafe { graph.launch(stream) }
}

fn names(recording: &Recording) -> Vec<&str> {
    recording.all().iter().map(|record| &*record.name).collect()
}

fn text(recording: &Recording) -> String {
    let mut text = Vec::new();
    recording.write_text(&mut text).expect("memory can be written");
    String::from_utf8(text).expect("it is text")
}

/// What changed, without the numbers of the calls.
fn changes(diff: &Diff) -> Vec<String> {
    let of = |pair: &warpcall::diagnose::trace::Pair| -> Vec<String> {
        pair.changes.iter().map(|change| format!("{}: {change}", pair.after.name)).collect()
    };
    diff.changed().flat_map(of).collect()
}

fn is_changed_alone(diff: &Diff) -> bool {
    diff.missing.is_empty() && diff.added.is_empty() && diff.moved().next().is_none()
}

/// Three steps, each of which captures a graph of its own and launches it.
fn capturing_steps(trace: &Trace, each: impl Fn(&Trace) -> Option<Recording>) -> Result<Vec<Recording>> {
    let mut program = Program::new(trace)?;
    let stream = program.gpu.create_stream()?;
    let mut taken = Vec::new();
    each(trace);
    for position in 0..3 {
        trace.mark("step");
        let graph = program.rotating(&stream, position)?;
        launch(&graph, &program.stream)?;
        drop(graph);
        taken.extend(each(trace));
    }
    trace.mark("end");
    Ok(taken)
}

#[test]
fn steps_that_capture_are_compared_each_with_its_own_graph() -> Result<()> {
    let (trace, taken) = (Trace::default(), Trace::default());
    capturing_steps(&trace, |_| None)?;
    let all = trace.recording();
    let mut steps = all.steps("step");
    // Without the end of the program.
    let end = all.steps("end").remove(0).records.len();
    let last = steps.last_mut().expect("there are three");
    last.records.truncate(last.records.len() - end);
    let taken = capturing_steps(&taken, |trace| Some(trace.take()))?;
    for steps in [steps, taken] {
        assert_eq!(steps.len(), 3);
        for (index, step) in steps.iter().enumerate() {
            // The first one finds the kernel too.
            let calls = ["step", "begin_capture", "rotate", "end_capture", "graph", "destroy_graph"];
            let own = names(step).into_iter().filter(|name| *name != "resolve_kernel");
            assert_eq!(own.collect::<Vec<_>>(), calls);
            assert_eq!(step.graphs.keys().copied().collect::<Vec<_>>(), [index as u64 + 1]);
            let text = text(step);
            assert_eq!(text.matches("  rotate<<<").count(), 1, "{text}");
            assert!(text.contains(&format!("position={index}u32, ")), "{text}");
            assert!(!text.contains("recorded outside"), "{text}");
        }
        let diff = steps[1].diff(&steps[2]);
        assert_eq!(changes(&diff), ["rotate: `position`: 1 became 2"], "{diff}");
        assert!(is_changed_alone(&diff), "{diff}");
        let diff = steps[1].expanded().diff(&steps[2].expanded());
        assert_eq!(changes(&diff), ["rotate: `position`: 1 became 2"], "{diff}");
        assert!(is_changed_alone(&diff), "{diff}");
    }
    Ok(())
}

#[test]
fn an_additional_graph_of_another_run_leaves_the_others_the_same() -> Result<()> {
    let traced = |additional: bool| -> Result<Recording> {
        let trace = Trace::default();
        let mut program = Program::new(&trace)?;
        program.norm(1.0)?;
        let stream = program.gpu.create_stream()?;
        if additional {
            // SAFETY: both buffers have 64 elements.
            stream.capture(|stream| unsafe {
                launch_norm(stream, config(), &mut program.output, &program.input, None, 64, 2.0)
            })?;
        }
        let graph = program.rotating(&stream, 1)?;
        launch(&graph, &program.stream)?;
        Ok(trace.recording())
    };
    let diff = traced(false)?.diff(&traced(true)?);
    assert_eq!(changes(&diff), [""; 0], "{diff}");
    let added: Vec<_> = diff.added.iter().map(|record| &*record.name).collect();
    assert_eq!(added, ["begin_capture", "norm", "end_capture", "destroy_graph"]);
    assert!(diff.missing.is_empty() && diff.moved().next().is_none(), "{diff}");
    Ok(())
}

#[test]
fn a_launch_that_is_captured_is_not_the_same_as_one_that_is_not() -> Result<()> {
    let trace = Trace::default();
    let mut program = Program::new(&trace)?;
    program.rotate(7)?;
    trace.mark("step");
    program.rotate(7)?;
    trace.mark("step");
    let stream = program.gpu.create_stream()?;
    let graph = program.rotating(&stream, 7)?;
    launch(&graph, &program.stream)?;
    let steps = trace.recording().steps("step");
    assert!(steps[0].graphs.is_empty());
    let diff = steps[0].diff(&steps[1]);
    assert_eq!(
        changes(&diff),
        ["rotate: stream: 1 became 2", "rotate: graph that it was recorded into: none became 1"]
    );
    let added: Vec<_> = diff.added.iter().map(|record| &*record.name).collect();
    assert_eq!(added, ["create_stream", "begin_capture", "end_capture", "graph"]);
    assert!(diff.missing.is_empty(), "{diff}");
    assert!(diff.to_string().ends_with("the same: 1 call"), "{diff}");
    Ok(())
}

#[test]
fn a_graph_of_an_earlier_step_is_there_to_be_expanded_and_is_no_call_of_this_one() -> Result<()> {
    let trace = Trace::default();
    let mut program = Program::new(&trace)?;
    let stream = program.gpu.create_stream()?;
    trace.mark("step");
    let (graph, unused) = (program.rotating(&stream, 3)?, program.rotating(&stream, 4)?);
    launch(&graph, &program.stream)?;
    trace.mark("step");
    launch(&graph, &program.stream)?;
    trace.mark("step");
    launch(&graph, &program.stream)?;
    trace.mark("step");
    program.rotate(3)?;
    drop((graph, unused));
    let steps = trace.recording().steps("step");
    assert_eq!(steps[0].graphs.len(), 2);
    assert_eq!(names(&steps[1]), ["step", "graph"]);
    let text = text(&steps[1]);
    assert!(text.starts_with("warpcall trace of 2 calls, "), "{text}");
    assert!(text.contains("\ngraph 1 holds, recorded outside of these calls: rotate\n"), "{text}");
    let replays: Vec<_> = steps[1].expanded().launches().map(ToString::to_string).collect();
    assert_eq!(replays.len(), 1);
    assert!(replays[0].contains("position=3u32"), "{replays:?}");
    assert!(steps[1].diff(&steps[2]).is_empty());
    assert!(steps[3].graphs.is_empty(), "it launches none: {:?}", steps[3].graphs);
    let diff = steps[0].diff(&steps[1]);
    let missing: Vec<_> = diff.missing.iter().map(|record| &*record.name).collect();
    assert_eq!(missing.iter().filter(|name| **name == "rotate").count(), 2, "{missing:?}");
    assert!(diff.changed().next().is_none() && diff.added.is_empty(), "{diff}");
    Ok(())
}

#[test]
fn a_capture_across_a_mark_is_of_both_steps_and_its_graph_is_whole() -> Result<()> {
    let trace = Trace::default();
    let mut program = Program::new(&trace)?;
    let stream = program.gpu.create_stream()?;
    program.norm(1.0)?;
    program.rotate(1)?;
    trace.mark("step");
    stream.begin_capture()?;
    // SAFETY: both buffers have 64 elements.
    unsafe { launch_norm(&stream, config(), &mut program.output, &program.input, None, 64, 2.0)? };
    let first = trace.recording();
    trace.mark("step");
    // SAFETY: the kernel uses the first element.
    unsafe { launch_rotate(&stream, config(), &mut program.output, 5, ROTATION)? };
    let graph = stream.end_capture()?;
    launch(&graph, &program.stream)?;
    let steps = trace.recording().steps("step");
    assert_eq!(names(&steps[0]), ["step", "begin_capture", "norm"]);
    assert_eq!(names(&steps[1]), ["step", "rotate", "end_capture", "graph"]);
    let device = steps[1].expanded();
    let launches: Vec<_> = device.launches().map(|launch| &*launch.name).collect();
    assert_eq!(launches, ["norm", "rotate"]);
    // What is captured is told before the capture ends.
    assert_eq!(first.steps("step")[0].all(), steps[0].all());
    Ok(())
}

#[test]
fn what_is_taken_in_the_middle_of_a_capture_is_told_once() -> Result<()> {
    let trace = Trace::default();
    let mut program = Program::new(&trace)?;
    let stream = program.gpu.create_stream()?;
    program.rotate(1)?;
    trace.take();
    stream.begin_capture()?;
    // SAFETY: the kernel uses the first element.
    unsafe { launch_rotate(&stream, config(), &mut program.output, 1, ROTATION)? };
    let first = trace.take();
    // SAFETY: as above.
    unsafe { launch_rotate(&stream, config(), &mut program.output, 2, ROTATION)? };
    let graph = stream.end_capture()?;
    launch(&graph, &program.stream)?;
    let second = trace.take();
    assert_eq!(names(&first), ["begin_capture", "rotate"]);
    assert_eq!(names(&second), ["rotate", "end_capture", "graph"]);
    assert_eq!(second.expanded().launches().count(), 2);
    launch(&graph, &program.stream)?;
    let third = trace.take();
    assert_eq!((names(&third), third.expanded().launches().count()), (vec!["graph"], 2));
    assert!(trace.take().graphs.is_empty(), "nothing launches it");
    Ok(())
}

#[test]
fn a_graph_that_is_launched_within_another_is_expanded_too() -> Result<()> {
    let trace = Trace::default();
    let gpu = Gpu::builder().backend(Arc::new(FakeBackend::accepting())).trace(&trace).open()?;
    let mut program = Program::on(gpu)?;
    let (stream, other) = (program.gpu.create_stream()?, program.gpu.create_stream()?);
    trace.mark("step");
    let inner = program.rotating(&stream, 9)?;
    let outer = other.capture(|other| launch(&inner, other))?;
    // The outer graph needs it no less.
    drop(inner);
    trace.mark("step");
    launch(&outer, &program.stream)?;
    let steps = trace.recording().steps("step");
    assert_eq!(names(&steps[1]), ["step", "graph"]);
    let device = steps[1].expanded();
    let launches: Vec<_> = device.launches().map(|launch| (&*launch.name, launch.stream)).collect();
    assert_eq!(launches, [("rotate", Some(1))]);
    trace.take();
    launch(&outer, &program.stream)?;
    trace.take();
    launch(&outer, &program.stream)?;
    let later = trace.take();
    assert_eq!(later.expanded().launches().count(), 1, "the inner one is destroyed and forgotten by then");
    Ok(())
}

#[test]
fn memory_that_is_allocated_in_each_step_is_the_same_memory() -> Result<()> {
    let trace = Trace::default();
    let mut program = Program::new(&trace)?;
    program.rotate(1)?;
    for _ in 0..3 {
        trace.mark("step");
        let mut scratch = program.gpu.zeros::<f32>(16)?;
        let event = program.gpu.create_event()?;
        // SAFETY: the kernel uses the first element.
        unsafe { launch_rotate(&program.stream, config(), &mut scratch, 1, ROTATION)? };
        program.stream.record(&event)?;
    }
    let steps = trace.recording().steps("step");
    let diff = steps[1].diff(&steps[2]);
    assert!(diff.is_empty(), "{diff}");
    // That of the program, and that of the step.
    assert_eq!(steps[1].allocations.iter().map(|memory| memory.number).collect::<Vec<_>>(), [1, 2, 4]);
    Ok(())
}

#[test]
fn a_frozen_argument_is_found_in_steps_of_one_trace() -> Result<()> {
    let trace = Trace::default();
    let mut program = Program::new(&trace)?;
    let stream = program.gpu.create_stream()?;
    for position in 0..3 {
        trace.mark("eager");
        program.rotate(position)?;
    }
    let graph = program.rotating(&stream, 0)?;
    for _ in 0..3 {
        trace.mark("replayed");
        launch(&graph, &program.stream)?;
    }
    let recording = trace.recording();
    // The last of the eager ones goes on to the end.
    let eager = ArgumentHistory::of(&recording.steps("eager")[..2]);
    let replayed = ArgumentHistory::of(&recording.steps("replayed"));
    let frozen: Vec<_> = replayed.frozen(&eager).map(|argument| &*argument.name).collect();
    assert_eq!(frozen, ["position"]);
    Ok(())
}

#[test]
fn streams_from_before_the_trace_have_one_number_each_in_graphs_and_outside() -> Result<()> {
    let backend = Gpu::host()?;
    let (outside, captured) = (backend.create_stream()?, backend.create_stream()?);
    let trace = Trace::default();
    let gpu = Gpu::builder().backend(Arc::clone(backend.backend())).trace(&trace).open()?;
    let memory = gpu.zeros::<u8>(8)?;
    gpu.memset_async(outside.handle(), memory.device_ptr(), Fill::Byte(1), 8)?;
    gpu.begin_capture(captured.handle())?;
    gpu.memset_async(captured.handle(), memory.device_ptr(), Fill::Byte(2), 8)?;
    let graph = gpu.end_capture(captured.handle())?;
    let recording = trace.take();
    let numbers: Vec<_> = recording.all().iter().filter_map(|record| record.stream).collect();
    let [_, first, second, third, fourth] = numbers[..] else { panic!("{numbers:?}") };
    assert!(first != second && [third, fourth] == [second; 2], "{numbers:?}");
    let handle = |number| {
        let found =
            recording.handles.iter().find(|handle| (&*handle.what, handle.number) == ("stream", number));
        found.map(|found| found.handle.clone())
    };
    assert_eq!(
        [first, second].map(handle),
        [&outside, &captured].map(|stream| Some(format!("{:#x}", stream.handle().get())))
    );
    // SAFETY: it is not used after this.
    unsafe { gpu.destroy_graph(graph) }
}

#[test]
fn a_stream_that_a_hazard_or_an_error_names_is_found_in_the_trace() -> Result<()> {
    let (trace, hazards) = (Trace::default(), Hazards::new());
    let mut program = Program::on(Gpu::builder().host().trace(&trace).hazards(&hazards).open()?)?;
    let (second, event) = (program.gpu.create_stream()?, program.gpu.create_event()?);
    second.record(&event)?;
    program.output.fill(&program.stream, Fill::Byte(1))?;
    program.output.fill(&second, Fill::Byte(2))?;
    let graph = program.rotating(&second, 1)?;
    let recording = trace.recording();
    let text = text(&recording);
    for line in [
        format!("\nstream 1: handle {}\n", program.stream.handle()),
        format!("\nstream 2: handle {}\n", second.handle()),
        format!("\nevent 1: handle {}\n", event.handle()),
        format!("\ngraph 1: handle {}\n", graph.handle()),
    ] {
        assert!(text.contains(&line), "{line} is not in: {text}");
    }
    let hazard = hazards.reports().remove(0).to_string();
    let handle = format!("{:#x}", second.handle().get());
    assert!(hazard.contains(&format!(" on stream {handle} (")), "{hazard}");
    assert_eq!(second.handle().to_string(), handle);
    assert_eq!(format!("{:?}", second.handle()), format!("StreamHandle({handle})"));
    // Whose handle it is, is part of it.
    let error =
        Gpu::host()?.synchronize_stream(second.handle()).expect_err("it is another backend's").to_string();
    assert!(error.contains(&format!(": {handle} is no live stream of ")), "{error}");
    Ok(())
}

#[test]
fn a_step_is_saved_and_loaded_as_it_is() -> Result<()> {
    let folder = tempfile::tempdir().expect("there is room");
    let path = folder.path().join("step.jsonl");
    let trace = Trace::default();
    capturing_steps(&trace, |_| None)?;
    for step in trace.recording().steps("step") {
        for step in [step.expanded(), step] {
            step.save(&path)?;
            assert_eq!(Recording::load(&path)?, step);
        }
    }
    Ok(())
}
