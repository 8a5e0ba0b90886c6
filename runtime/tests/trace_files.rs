//! Traces as they are written, and read back.

mod trace_support;

use std::collections::HashMap;
use std::path::Path;

use serde_json::Value as Json;
use trace_support::{Program, config, launch_norm, timed};
use warpcall::diagnose::trace::{Recording, Trace, TraceOptions};
use warpcall::{Error, Gpu, LaunchConfig, MockBackend, Result, kernel};

/// A program of everything: memory, captures, errors, several streams and threads.
fn everything(trace: &Trace) -> Result<Recording> {
    let mut program = Program::new(trace)?;
    trace.mark("a \"step\"");
    program.norm(f32::NAN)?;
    program.rotate(3)?;
    let stream = program.gpu.create_stream()?;
    let graph = stream.capture(|stream| {
        // SAFETY: the buffers have 64 elements.
        unsafe { launch_norm(stream, config(), &mut program.output, &program.input, None, 64, 1.0) }
    })?;
    // SAFETY: the buffers are there.
    unsafe { graph.launch(&program.stream)? };
    let attributes = LaunchConfig::new([1, 2, 3], 4).cluster(1).cooperative().programmatic().priority(-1);
    // SAFETY: the buffers have 64 elements.
    unsafe { launch_norm(&stream, attributes, &mut program.output, &program.input, None, 64, 1.0)? };
    program.gpu.find_kernel("traced", "missing").expect_err("there is none");
    let input = &program.input;
    std::thread::scope(|scope| {
        scope.spawn(|| input.to_vec(&stream).expect("it is there"));
    });
    let pinned = program.gpu.pinned::<f32>(64)?;
    program.output.copy_from_host(&stream, &pinned)?;
    Ok(trace.recording())
}

#[test]
fn json_lines_are_read_back_as_they_were() -> Result<()> {
    for trace in [Trace::default(), timed()] {
        let recording = everything(&trace)?;
        let mut lines = Vec::new();
        recording.write_json_lines(&mut lines).expect("memory can be written");
        let read = Recording::read_json_lines(&lines[..]).expect("they are such lines");
        assert_eq!(read, recording);
        assert!(read.diff(&recording).is_empty());
        let text = String::from_utf8(lines).expect("JSON is text");
        for line in text.lines() {
            serde_json::from_str::<Json>(line).expect("each line is JSON");
        }
        let launch = text.lines().find(|line| line.contains("\"rotate\"")).expect("it was launched");
        for part in [
            r#""kind":"launch""#,
            r#""config":{"grid":[1,1,1],"block":[64,1,1],"shared_mem":0}"#,
            r#"{"name":"values","type":"*mut f32","value":{"allocation":2,"offset":0}}"#,
            r#"{"name":"position","type":"u32","value":"3"}"#,
        ] {
            assert!(launch.contains(part), "{part} is not in {launch}");
        }
    }
    Ok(())
}

#[test]
fn lines_that_are_no_trace_are_refused_with_their_number() {
    let refused =
        |text: &str| Recording::read_json_lines(text.as_bytes()).expect_err("it is none").to_string();
    let head = r#"{"line":"trace","version":1,"trace":1,"began_unix_ns":1,"dropped":0,"untimed":0,"problems":[],"backends":[]}"#;
    assert!(Recording::read_json_lines(head.as_bytes()).is_ok());
    let expected = "expected JSON lines, as a trace is written into a file with the extension `.jsonl`";
    assert_eq!(refused(""), format!("it is empty; {expected}"));
    assert_eq!(
        refused(&head.replace("\"version\":1", "\"version\":7")),
        "line 1: version 7; expected version 1: read it with the warpcall that wrote it"
    );
    assert_eq!(
        refused(&format!("{head}\n{head}")),
        "line 2: a second trace begins; expected one a file: write each into its own"
    );
    assert_eq!(
        refused(r#"{"line":"graph","number":1,"dropped":0}"#),
        format!("line 1: the line of the trace itself, which comes first, is missing; {expected}")
    );
    assert_eq!(
        refused(&format!("{head}\n{{\"line\":\"call\"")),
        "line 2, column 14: EOF while parsing an object; expected the whole line of a call, an allocation, a handle or a \
         graph: the file was cut off or changed, write it anew"
    );
    assert_eq!(refused("[]"), format!("line 1, column 2: missing field `line`; {expected}"));
}

#[test]
fn what_a_trace_wrote_in_another_format_is_told_when_it_is_read() -> Result<()> {
    let folder = tempfile::tempdir().expect("there is room");
    let recording = everything(&Trace::default())?;
    for (name, what) in
        [("a.txt", "a trace as text (`.txt`)"), ("a.json", "a trace in the Trace Event format (`.json`)")]
    {
        let path = folder.path().join(name);
        recording.save(&path)?;
        let error = Recording::load(&path).expect_err("it is none").to_string();
        let words = format!(
            "reading the trace {}: it is {what}, which is not read back; expected JSON lines, as a trace is written into a \
             file with the extension `.jsonl`",
            path.display()
        );
        assert_eq!(error, words);
    }
    Ok(())
}

#[test]
fn numbers_that_no_trace_has_are_read_and_written_all_the_same() {
    let most = u64::MAX;
    let head = format!(
        r#"{{"line":"trace","version":1,"trace":{most},"began_unix_ns":{most},"dropped":{most},"untimed":{most},"problems":["x\ny"],"backends":[{{"number":{},"kind":"x","device":"d"}}]}}"#,
        u32::MAX
    );
    let call = format!(
        r#"{{"line":"call","number":{most},"kind":"launch","name":"k","stream":{most},"captured":GRAPH,"backend":{backend},"thread":{backend},"host":{{"start_ns":{most},"end_ns":0}},"device":{{"start_ns":{most},"end_ns":0}},"location":"l"}}"#,
        backend = u32::MAX
    );
    let lines = [
        head.clone(),
        call.replace("GRAPH", "null"),
        call.replace("GRAPH", "7"),
        r#"{"line":"graph","number":7,"dropped":3}"#.into(),
    ];
    let recording = Recording::read_json_lines(lines.join("\n").as_bytes()).expect("they are such lines");
    assert_eq!((recording.graphs[&7].records.len(), recording.graphs[&7].dropped), (1, 3));
    let mut written = Vec::new();
    recording.write_text(&mut written).expect("memory can be written");
    recording.write_trace_events(&mut written).expect("memory can be written");
    assert!(
        recording.diff(&recording).is_empty() && recording.diff(&Recording::default()).missing.len() == 2
    );
    let other = [head.as_bytes(), b"\n\xff\n"].concat();
    let error = Recording::read_json_lines(&other[..]).expect_err("it is no text").to_string();
    assert!(error.starts_with("line 2: "), "{error}");
}

#[test]
fn a_call_is_one_line_of_the_text_whatever_its_names_hold() -> Result<()> {
    let trace = Trace::default();
    let gpu = Gpu::builder().host().trace(&trace).open()?;
    trace.mark("one\ntwo \u{1b}[31m");
    gpu.find_kernel("a\nb", "c").expect_err("there is none");
    let mut written = Vec::new();
    trace.recording().write_text(&mut written).expect("memory can be written");
    let text = String::from_utf8(written).expect("it is text");
    assert!(
        text.contains(r"  one\ntwo \u{1b}[31m  ") && text.contains(r"(name=a\nb::c), failed: "),
        "{text}"
    );
    let calls = text.lines().skip_while(|line| !line.starts_with("   call ")).skip(1);
    assert_eq!(calls.count(), 2, "{text}");
    Ok(())
}

#[test]
fn a_parameter_may_be_called_like_what_the_trace_says_itself() -> Result<()> {
    let trace = Trace::default();
    let gpu = Gpu::builder().host().trace(&trace).open()?;
    // SAFETY: the kernel uses no memory.
    unsafe { launch_names(&gpu.default_stream(), LaunchConfig::new(1, 1), 1, 2, 3, 4)? };
    let events = check_events(&trace.recording());
    let launch = events.iter().find(|event| event["name"] == "names").expect("it was launched");
    let values = ["call", "at", "error", "configuration"].map(|name| launch["args"][name].as_str());
    assert_eq!(values, [Some("1"), Some("2"), Some("3"), Some("4")]);
    assert!(launch["args"]["called at"].as_str().is_some_and(|at| at.contains(file!())));
    Ok(())
}

#[kernel(module = "files")]
unsafe extern "C" {
    #[host(names_on_the_host)]
    unsafe fn names(call: u32, at: u32, error: u32, configuration: u32);
}

fn names_on_the_host(_: u32, _: u32, _: u32, _: u32) {}

/// Checks what a viewer relies on: slices of one row lie within each other or apart, times do not go back, and each arrow has two
/// ends.
fn check_events(recording: &Recording) -> Vec<Json> {
    let mut written = Vec::new();
    recording.write_trace_events(&mut written).expect("memory can be written");
    let whole: Json = serde_json::from_slice(&written).expect("it is JSON");
    let events = whole["traceEvents"].as_array().expect("it has events").clone();
    let (mut last, mut open): (f64, HashMap<(u64, u64), Vec<f64>>) = (0.0, HashMap::new());
    let mut arrows: HashMap<u64, Vec<String>> = HashMap::new();
    for event in events.iter().filter(|event| event["ph"] != "M") {
        let at = event["ts"].as_f64().expect("each has a time");
        assert!(at >= last, "{event} comes after {last}");
        last = at;
        let row = (event["pid"].as_u64().expect("a process"), event["tid"].as_u64().expect("a row"));
        // Of these numbers Perfetto makes one row.
        assert!(row.1 != 0 && (row.0 == 1 || row.0 != row.1), "{event}");
        match event["ph"].as_str() {
            Some("X") => {
                let end = at + event["dur"].as_f64().expect("slices have a length");
                let row = open.entry(row).or_default();
                row.retain(|outer| *outer > at + 1e-9);
                assert!(row.iter().all(|outer| end <= outer + 1e-9), "{event} ends after what it lies in");
                row.push(end);
            }
            Some(end @ ("s" | "f")) => {
                arrows.entry(event["id"].as_u64().expect("a number")).or_default().push(end.into());
            }
            Some("i") => {}
            other => panic!("no such event was expected: {other:?}"),
        }
    }
    for (call, ends) in arrows {
        assert_eq!(ends, ["s", "f"], "of call {call}");
    }
    events
}

#[test]
fn trace_events_are_in_order_and_nest() -> Result<()> {
    let trace = timed();
    let recording = everything(&trace)?;
    let events = check_events(&recording);
    let slices: Vec<_> = events.iter().filter(|event| event["ph"] == "X").collect();
    let timed = recording.records.iter().filter(|record| record.device.is_some()).count();
    let marks = events.iter().filter(|event| event["ph"] == "i").count();
    assert_eq!((slices.len(), marks), (recording.all().len() - 1 + timed, 1));
    let launch = slices.iter().find(|slice| slice["name"] == "rotate").expect("it was launched");
    assert_eq!(launch["args"]["position"], "3");
    assert_eq!(launch["args"]["launch configuration"], "<<<[1,1,1],[64,1,1]>>>");
    let device = slices.iter().rfind(|slice| slice["name"] == "graph").expect("it was launched");
    assert_eq!(device["args"]["graph holds"], "norm");
    let backend = recording.backends[0].number;
    assert_eq!(device["pid"], backend + 1);
    let rows: Vec<_> =
        events.iter().filter(|event| event["ph"] == "M").map(|row| &row["args"]["name"]).collect();
    let handle = recording.handles.iter().find(|handle| handle.what == "stream" && handle.number == 1);
    let row = format!("stream 1 ({})", handle.expect("it is named").handle);
    assert!(rows.iter().any(|name| **name == row.as_str()), "{rows:?} has no {row}");
    Ok(())
}

#[test]
fn device_times_that_overlap_are_drawn_one_after_another() -> Result<()> {
    let trace = timed();
    let mut program = Program::new(&trace)?;
    program.rotate(1)?;
    program.rotate(2)?;
    let mut recording = trace.recording();
    let last = recording.records.len() - 1;
    let second = recording.records[last].device.expect("it was executed");
    let first = recording.records[last - 1].device.as_mut().expect("it was executed");
    first.end_ns = second.start_ns.midpoint(second.end_ns);
    check_events(&recording);
    Ok(())
}

#[test]
fn text_has_the_memory_and_a_line_for_each_call() -> Result<()> {
    let recording = everything(&Trace::default())?;
    let mut text = Vec::new();
    recording.write_text(&mut text).expect("memory can be written");
    let text = String::from_utf8(text).expect("it is text");
    let first = format!("warpcall trace of {} calls, 0 older ones dropped\nbackend ", recording.all().len());
    assert!(text.starts_with(&first), "{text}");
    assert!(text.contains("\nmemory #2: 256 bytes, device, at 0x"), "{text}");
    assert!(text.contains("  rotate<<<[1,1,1],[64,1,1]>>>(values=#2+0, position=3u32, "), "{text}");
    assert!(text.contains("n=64u32, eps=1.0f32), recorded into graph 1  "), "{text}");
    assert!(text.contains(", failed: "), "{text}");
    assert_eq!(
        text.lines().filter(|line| line.contains(".rs:")).count(),
        recording.all().len() + recording.allocations.len()
    );
    Ok(())
}

#[test]
fn the_file_is_written_when_the_backend_closes() -> Result<()> {
    let folder = tempfile::tempdir().expect("there is room");
    for name in ["trace.txt", "trace.jsonl", "trace.json"] {
        let path = folder.path().join(name);
        let trace = Trace::new(TraceOptions::default().file(&path)?);
        let mut program = Program::new(&trace)?;
        program.norm(1.0)?;
        assert_eq!(length(&path), 0, "{name} is created at once");
        drop(program);
        assert!(length(&path) > 500, "{name} has {} bytes", length(&path));
    }
    let loaded = Recording::load(folder.path().join("trace.jsonl"))?;
    // The buffers and the stream were destroyed before the backend closed.
    let last: Vec<_> = loaded.records.iter().rev().take(3).map(|record| &*record.name).collect();
    assert_eq!(last, ["free", "free", "destroy_stream"]);
    loaded.save(folder.path().join("copy.jsonl"))?;
    assert_eq!(Recording::load(folder.path().join("copy.jsonl"))?, loaded);
    Ok(())
}

fn length(path: &Path) -> u64 {
    path.metadata().expect("the file is there").len()
}

#[test]
fn a_file_that_cannot_be_is_refused_at_once() {
    let refused = |path: &str| match TraceOptions::default().file(path) {
        Err(error @ Error::File { .. }) => error.to_string(),
        other => panic!("{other:?}"),
    };
    assert_eq!(
        refused("trace.csv"),
        "writing the trace trace.csv: its extension is not known; expected `.txt` (text), `.jsonl` (JSON lines) or `.json` (the \
         Trace Event format)"
    );
    assert!(
        refused("/no such folder/trace.txt").starts_with("writing the trace /no such folder/trace.txt: ")
    );
    let missing = Recording::load("/no such folder/trace.jsonl").expect_err("it is not there").to_string();
    assert!(missing.starts_with("reading the trace /no such folder/trace.jsonl: "), "{missing}");
}

#[test]
fn times_that_cannot_be_read_are_told_in_the_text() -> Result<()> {
    let mock = MockBackend::new()?;
    mock.fail(warpcall::backend::mock::CallKind::SynchronizeEvent, 1);
    let trace = timed();
    let mut program = Program::on(Gpu::builder().backend(mock).trace(&trace).open()?)?;
    program.rotate(1)?;
    let mut text = Vec::new();
    trace.recording().write_text(&mut text).expect("memory can be written");
    let text = String::from_utf8(text).expect("it is text");
    assert!(
        text.contains("\nwithout a device time: 1\nwhile taking device times: synchronize_event"),
        "{text}"
    );
    Ok(())
}
