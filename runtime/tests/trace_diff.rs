//! How one trace became another.

mod trace_support;

use trace_support::{Program, config, launch_norm, launch_rotate};
use warpcall::backend::Fill;
use warpcall::diagnose::Trace;
use warpcall::diagnose::trace::{ArgumentHistory, Diff, Recording};
use warpcall::{DevicePtr, Gpu, LaunchConfig, Result};

/// The trace of a program of a few calls, some of which are `changed`.
fn traced(run: impl FnOnce(&mut Program) -> Result<()>) -> Result<Recording> {
    let trace = Trace::default();
    let mut program = Program::new(&trace)?;
    run(&mut program)?;
    Ok(trace.recording())
}

fn whole(program: &mut Program) -> Result<()> {
    program.norm(1e-5)?;
    program.output.fill(&program.stream, Fill::Byte(1))?;
    program.rotate(4)?;
    program.norm(2e-5)?;
    program.rotate(5)
}

fn changes(diff: &Diff) -> Vec<String> {
    let of = |pair: &warpcall::diagnose::trace::Pair| -> Vec<String> {
        pair.changes.iter().map(|change| format!("{}: {change}", pair.after.name)).collect()
    };
    diff.changed().flat_map(of).collect()
}

#[test]
fn two_runs_of_one_program_are_the_same_at_other_addresses() -> Result<()> {
    let (first, _keeps_the_addresses) = (traced(whole)?, vec![0_u8; 1 << 20]);
    let second = traced(whole)?;
    let diff = first.diff(&second);
    assert!(diff.is_empty(), "{diff}");
    assert_eq!(diff.pairs.len(), first.all().len());
    assert!(diff.to_string().ends_with(&format!("the same: {} calls", first.all().len())), "{diff}");
    Ok(())
}

#[test]
fn a_changed_value_configuration_stream_and_memory_is_told_with_both() -> Result<()> {
    let run = |changed: bool| {
        traced(move |program| {
            let other = program.gpu.create_stream()?;
            let pick = |before: f32, after: f32| if changed { after } else { before };
            program.norm(pick(1e-5, 1e-6))?;
            let config =
                if changed { LaunchConfig::new([2, 3], 32).shared_mem(16) } else { LaunchConfig::new(1, 64) };
            let stream = if changed { &other } else { &program.stream };
            // SAFETY: the buffers have 64 elements.
            unsafe {
                launch_rotate(stream, config, &mut program.output, 1, trace_support::ROTATION)?;
                let bias = program.input.slice(if changed { 32.. } else { 0.. })?;
                launch_norm(
                    &program.stream,
                    trace_support::config(),
                    &mut program.output,
                    &program.input,
                    &bias,
                    16,
                    1.0,
                )?;
            }
            let rotation = trace_support::Rotation { theta: pick(0.5, 0.25), ..trace_support::ROTATION };
            // SAFETY: as above.
            unsafe {
                launch_rotate(&program.stream, trace_support::config(), &mut program.output, 1, rotation)
            }
        })
    };
    let diff = run(false)?.diff(&run(true)?);
    assert_eq!(
        changes(&diff),
        [
            "norm: `eps`: 1e-5 became 1e-6",
            "rotate: grid: [1,1,1] became [2,3,1]",
            "rotate: block: [64,1,1] became [32,1,1]",
            "rotate: shared memory: 0 became 16",
            "rotate: stream: 1 became 2",
            "norm: `bias`: #1+0 became #1+128",
            "rotate: `rotation.theta`: 0.5 became 0.25",
        ]
    );
    assert!(diff.missing.is_empty() && diff.added.is_empty() && diff.moved().next().is_none(), "{diff}");
    Ok(())
}

#[test]
fn what_is_missing_is_told_and_its_neighbours_keep_their_places() -> Result<()> {
    let without = traced(|program| {
        program.norm(1e-5)?;
        program.output.fill(&program.stream, Fill::Byte(1))?;
        program.rotate(4)?;
        // The second norm is missing, and the last rotation has changed.
        program.rotate(6)
    })?;
    let diff = traced(whole)?.diff(&without);
    assert_eq!(changes(&diff), ["rotate: `position`: 5 became 6"]);
    assert_eq!(diff.missing.iter().map(ToString::to_string).collect::<Vec<_>>().len(), 1);
    assert_eq!(diff.missing[0].argument("eps").map(ToString::to_string).as_deref(), Some("eps=2e-5f32"));
    assert!(diff.added.is_empty(), "{diff}");
    let back = without.diff(&traced(whole)?);
    assert_eq!((back.added.len(), back.missing.len()), (1, 0));
    assert!(back.to_string().contains("\nadded: norm<<<[1,1,1],[64,1,1]>>>(output=#2+0, "), "{back}");
    Ok(())
}

#[test]
fn what_is_the_same_at_another_place_has_moved() -> Result<()> {
    let moved = traced(|program| {
        program.rotate(4)?;
        program.norm(1e-5)?;
        program.output.fill(&program.stream, Fill::Byte(1))?;
        program.norm(2e-5)?;
        program.rotate(5)
    })?;
    let diff = traced(whole)?.diff(&moved);
    // The kernel is looked up when it is first launched.
    let names: Vec<_> = diff.moved().map(|pair| &*pair.after.name).collect();
    assert_eq!(names, ["resolve_kernel", "rotate"], "{diff}");
    assert!(diff.missing.is_empty() && diff.added.is_empty(), "{diff}");
    assert!(!diff.is_empty());
    Ok(())
}

#[test]
fn an_allocation_more_changes_no_other_memory() -> Result<()> {
    let trace = Trace::default();
    let gpu = Gpu::builder().host().trace(&trace).open()?;
    let _first = gpu.zeros::<u8>(12)?;
    let mut program = Program::on(gpu)?;
    whole(&mut program)?;
    let diff = traced(whole)?.diff(&trace.recording());
    assert_eq!(changes(&diff), [""; 0]);
    assert_eq!(diff.added.iter().map(|record| &*record.name).collect::<Vec<_>>(), ["allocate", "memset"]);
    Ok(())
}

#[test]
fn of_several_launches_of_one_kernel_the_one_that_is_frozen_is_told() -> Result<()> {
    let trace = Trace::default();
    let mut program = Program::new(&trace)?;
    for position in 0..3 {
        trace.mark("step");
        for position in [7, position] {
            program.rotate(position)?;
        }
    }
    let eager = ArgumentHistory::of(&trace.take().steps("step"));
    let stream = program.gpu.create_stream()?;
    let graph = stream.capture(|stream| {
        for position in [7, 3] {
            // SAFETY: the kernel uses the first element.
            unsafe {
                launch_rotate(stream, config(), &mut program.output, position, trace_support::ROTATION)?;
            };
        }
        // What is refused is not part of the graph.
        program
            .gpu
            .memset_async(stream.handle(), DevicePtr::new(0x10), Fill::Byte(1), 4)
            .expect_err("nothing is there");
        Ok(())
    })?;
    for _ in 0..3 {
        trace.mark("step");
        // SAFETY: the buffers are there.
        unsafe { graph.launch(&stream)? };
    }
    let replayed = trace.take();
    assert_eq!(replayed.expanded().records.iter().filter(|record| record.error.is_some()).count(), 0);
    let history = ArgumentHistory::of(&replayed.steps("step"));
    let frozen: Vec<_> =
        history.frozen(&eager).map(|frozen| (frozen.occurrence, &*frozen.values[0])).collect();
    assert_eq!(frozen, [(1, "3")]);
    Ok(())
}

#[test]
fn addresses_without_memory_mean_something_within_one_run_alone() -> Result<()> {
    let at = |address: u64| {
        move |program: &mut Program| {
            let refused = program.gpu.memset(DevicePtr::new(address), Fill::Byte(1), 4);
            refused.expect_err("nothing is there");
            Ok(())
        }
    };
    assert!(traced(at(0x10))?.diff(&traced(at(0x20))?).is_empty(), "of two runs");
    let trace = Trace::default();
    let mut program = Program::new(&trace)?;
    trace.take();
    let mut recordings = Vec::new();
    for address in [0x10, 0x20] {
        at(address)(&mut program)?;
        recordings.push(trace.take());
    }
    let diff = recordings[0].diff(&recordings[1]);
    let changes: Vec<_> = diff.changed().flat_map(|pair| &pair.changes).map(ToString::to_string).collect();
    assert_eq!(changes.len(), 1, "{changes:?}");
    assert!(changes[0].starts_with("`dst`: "), "{changes:?}");
    Ok(())
}

#[test]
fn other_memory_within_one_run_is_a_change() -> Result<()> {
    let trace = Trace::default();
    let mut program = Program::new(&trace)?;
    // Of the same length as the one that it stands in for.
    let mut second = program.gpu.zeros::<f32>(64)?;
    trace.take();
    program.rotate(1)?;
    let before = trace.take();
    // SAFETY: the kernel uses the first element.
    unsafe { launch_rotate(&program.stream, config(), &mut second, 1, trace_support::ROTATION)? };
    let diff = before.diff(&trace.take());
    assert_eq!(changes(&diff), ["rotate: `values`: #2+0 became #3+0"]);
    Ok(())
}

#[test]
fn a_value_that_a_graph_keeps_is_found_among_the_steps() -> Result<()> {
    let trace = Trace::default();
    let mut program = Program::new(&trace)?;
    for position in 0..4 {
        trace.mark("step");
        program.norm(1e-5)?;
        program.rotate(position)?;
    }
    let eager = trace.take();
    let stream = program.gpu.create_stream()?;
    let graph = stream.capture(|stream| {
        // SAFETY: the buffers have 64 elements.
        unsafe {
            launch_norm(stream, config(), &mut program.output, &program.input, None, 64, 1e-5)?;
            launch_rotate(stream, config(), &mut program.output, 4, trace_support::ROTATION)
        }
    })?;
    for _ in 0..4 {
        trace.mark("step");
        // SAFETY: the buffers are there.
        unsafe { graph.launch(&stream)? };
    }
    let replayed = trace.take();

    let (eager_steps, replays) = (eager.steps("step"), replayed.steps("step"));
    let eager_history = ArgumentHistory::of(&eager_steps);
    assert_eq!((eager_history.steps, eager_history.not_in_all.len()), (4, 0));
    let changed: Vec<_> =
        eager_history.changed().map(|argument| (&*argument.name, argument.values.join(" "))).collect();
    assert_eq!(changed, [("position", "0 1 2 3".into())]);
    let history = ArgumentHistory::of(&replays);
    assert_eq!(history.unchanged().count(), history.arguments.len());
    let frozen: Vec<_> = history.frozen(&eager_history).collect();
    assert_eq!(frozen.len(), 1, "{frozen:?}");
    let words = format!("rotate: `position` is 4 in all 4 steps, recorded into graph 1, {}:", file!());
    assert!(frozen[0].to_string().starts_with(&words), "{}", frozen[0]);

    // The same between two steps: what was launched one by one, and what the graph gives the device.
    let diff = eager_steps[3].expanded().diff(&replays[0].expanded());
    let found = changes(&diff);
    assert!(found.contains(&"rotate: `position`: 3 became 4".into()), "{diff}");
    let same = replays[0].expanded().diff(&replays[1].expanded());
    let unchanged: Vec<_> = same.unchanged().map(|(_, argument)| &*argument.name).collect();
    assert!(same.is_empty() && unchanged.contains(&"position"), "{unchanged:?}");
    Ok(())
}

#[test]
fn a_launch_that_not_every_step_has_is_told() -> Result<()> {
    let trace = Trace::default();
    let mut program = Program::new(&trace)?;
    for step in 0..3 {
        trace.mark("step");
        program.rotate(step)?;
        if step != 1 {
            program.norm(1.0)?;
        }
    }
    let history = ArgumentHistory::of(&trace.recording().steps("step"));
    assert_eq!(history.not_in_all.iter().map(|launch| &*launch.name).collect::<Vec<_>>(), ["norm"]);
    assert!(history.arguments.iter().all(|argument| argument.launch.name == "rotate"));
    assert_eq!(ArgumentHistory::of(&[]).steps, 0);
    Ok(())
}
