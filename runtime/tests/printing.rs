//! What the tools print on the standard error stream, in a program of its own.

use std::fs::File;
use std::process::{Command, Output, Stdio};
use std::sync::Arc;

use warpcall::backend::Fill;
use warpcall::diagnose::{CallKind, Faults};
use warpcall::{Gpu, HostBackend, Result};

const CHILD: &str = "PRINTING_CHILD";

/// A program in which each tool finds something: an overrun, a hazard, and memory that nobody frees. The tests below run it, and
/// tell it so by a variable.
#[test]
fn child() -> Result<()> {
    if std::env::var_os(CHILD).is_none() {
        return Ok(());
    }
    let gpu = Gpu::builder().host().open()?;
    if let Some(folder) = std::env::var_os("GO_TO") {
        std::env::set_current_dir(folder).expect("it is there");
    }
    let (first, second) = (gpu.create_stream()?, gpu.create_stream()?);
    let mut memory = gpu.zeros::<u8>(16)?;
    memory.fill(&first, Fill::Byte(1))?;
    memory.fill(&second, Fill::Byte(2))?;
    let mut pinned = gpu.pinned::<u8>(100)?;
    // SAFETY: the band is there.
    unsafe { pinned.as_mut_ptr().add(100).write(7) };
    gpu.backend().allocate(1000)?;
    Ok(())
}

/// A program that has one plan of faults around two backends, one of them twice.
#[test]
fn child_with_a_plan() -> Result<()> {
    if std::env::var_os(CHILD).is_none() {
        return Ok(());
    }
    let faults = Faults::new().print();
    faults.fail(CallKind::Memset, 2);
    faults.fail(CallKind::Launch, 3);
    let host = Arc::new(HostBackend::new());
    let open = || Gpu::builder().backend(host.clone()).faults(&faults).open();
    let (first, second) = (open()?, open()?);
    let third = Gpu::builder().host().faults(&faults).open()?;
    drop(first);
    second.zeros::<u8>(4)?;
    drop(second);
    third.zeros::<u8>(4).expect_err("it is told to fail");
    Ok(())
}

fn child_alone() -> Command {
    program("child")
}

fn program(name: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("it runs"));
    command.args([name, "--exact", "--nocapture"]).env(CHILD, "1");
    command
}

#[test]
fn a_fault_that_never_came_is_told_once_no_backend_is_left_for_it() {
    let output = program("child_with_a_plan").output().expect("it starts");
    let text = String::from_utf8_lossy(&output.stderr);
    let told: Vec<&str> = text.lines().filter(|line| line.contains("never came")).collect();
    assert!(output.status.success(), "{text}");
    assert_eq!(
        told,
        ["fault injection: launch:3 never came; the calls: allocate 2, free 2, memset 2"],
        "{text}"
    );
}

/// Runs it with all tools that print.
fn run(stderr: Stdio) -> Output {
    let mut command = child_alone();
    command.stderr(stderr);
    for name in ["WARPCALL_LEDGER", "WARPCALL_HAZARDS"] {
        command.env(name, "1");
    }
    command.env("WARPCALL_RED_ZONES", "256").output().expect("it starts")
}

#[test]
fn each_tool_says_what_it_found_and_the_ledger_what_it_freed() {
    let output = run(Stdio::piped());
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}");
    for part in [
        "red zones: allocation 2 at ",
        "warpcall: hazard: `memset_async` writes `destination` on stream ",
        "warpcall: hazards: 1 found, met once in all",
        "live: 1000 bytes in 1 allocation; at most 1116 bytes at once\n  1000 bytes in 1 allocation of device memory, allocated at ",
        ": freed 1000 bytes in 1 allocation, as nobody had\n",
    ] {
        assert!(text.contains(part), "`{part}` is not in: {text}");
    }
}

#[test]
fn a_variable_that_is_not_known_is_told_once() {
    let mut command = child_alone();
    let output =
        command.envs([("WARPCALL_SNYC", "1"), ("WARPCALL_LEDGER", "1")]).output().expect("it starts");
    let text = String::from_utf8_lossy(&output.stderr);
    let told = "warpcall: the variable WARPCALL_SNYC is not known; is WARPCALL_SYNC meant?\n";
    assert!(output.status.success() && text.matches(told).count() == 1, "{text}");
    assert_eq!(text.matches(" is not known").count(), 1, "{text}");
}

#[test]
fn a_trace_is_written_where_the_program_was_when_it_began() {
    let (begin, later) =
        (tempfile::tempdir().expect("there is room"), tempfile::tempdir().expect("there is room"));
    let mut command = child_alone();
    command.current_dir(&begin).env("WARPCALL_TRACE", "trace.txt").env("GO_TO", later.path());
    let output = command.output().expect("it starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = std::fs::read_to_string(begin.path().join("trace.txt")).expect("it was written");
    assert!(text.contains("memset_async("), "{text}");
    assert!(!later.path().join("trace.txt").exists());
}

#[test]
#[cfg(target_os = "linux")]
fn a_program_whose_standard_error_stream_is_full_goes_on() {
    let full = File::options().write(true).open("/dev/full").expect("Linux has it");
    let output = run(full.into());
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("child ... ok"), "{text}");
}
