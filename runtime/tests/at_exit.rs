//! What tools say when a process ends and its backend is still open. The test is its own program, told by a variable.

use std::process::{Command, Output};

use warpcall::{Gpu, LaunchConfig, Result, kernel};

#[kernel(module = "at_exit")]
unsafe extern "C" {
    #[host(say)]
    unsafe fn says();
}

fn say() {
    eprintln!("the device works");
}

const CHILD: &str = "AT_EXIT_CHILD";

#[test]
fn child() -> Result<()> {
    let Some(what) = std::env::var_os(CHILD) else { return Ok(()) };
    let gpu = Gpu::builder().host_delayed().open()?;
    let buffer = gpu.zeros::<u32>(100)?;
    match what.to_str() {
        Some("leaks") => std::mem::forget((gpu, buffer)),
        Some("leaves work") => {
            // SAFETY: the kernel uses no memory.
            unsafe { launch_says(&gpu.default_stream(), LaunchConfig::new(1, 1))? };
            std::mem::forget((gpu, buffer));
        }
        #[cfg(unix)]
        Some("forks") => {
            fork_and_wait();
            let file = std::env::var_os("WARPCALL_TRACE").expect("the test sets it");
            let written = std::fs::metadata(file).expect("it is there").len();
            assert_eq!(written, 0, "it is this process that writes the trace");
            std::mem::forget((gpu, buffer));
        }
        _ => drop((buffer, gpu)),
    }
    std::process::exit(0);
}

/// Has another process exit that is a copy of this one.
#[cfg(unix)]
fn fork_and_wait() {
    // SAFETY: the copy does nothing but exit.
    let copy = unsafe { libc::fork() };
    if copy == 0 {
        std::process::exit(0);
    }
    let mut status = -1;
    // SAFETY: the number is written to a place that is there.
    assert_eq!((unsafe { libc::waitpid(copy, &raw mut status, 0) }, status), (copy, 0));
}

fn run(what: &str, variables: &[(&str, &str)]) -> Output {
    let this = std::env::current_exe().expect("this test is a file");
    let mut command = Command::new(this);
    command.args(["child", "--exact", "--nocapture"]).env(CHILD, what).envs(variables.iter().copied());
    command.output().expect("it runs")
}

fn count(output: &Output, words: &str) -> usize {
    String::from_utf8_lossy(&output.stderr).matches(words).count()
}

#[test]
fn a_backend_that_never_closes_is_reported_when_the_process_ends() {
    let folder = tempfile::tempdir().expect("there is room");
    let file = folder.path().join("run.txt");
    let file_name = file.to_string_lossy();
    let variables = [
        ("WARPCALL_LEDGER", "1"),
        ("WARPCALL_RED_ZONES", "256"),
        ("WARPCALL_FAULT", "launch:900"),
        ("WARPCALL_TRACE", &*file_name),
    ];
    for (what, live) in
        [("leaks", "live: 400 bytes in 1 allocation;"), ("closes", "live: 0 bytes in 0 allocations;")]
    {
        let output = run(what, &variables);
        assert!(output.status.success(), "{output:?}");
        assert_eq!(count(&output, "allocation ledger of "), 1, "{output:?}");
        assert_eq!(count(&output, live), 1, "{output:?}");
        assert_eq!(count(&output, "launch:900 never came"), 1, "{output:?}");
        assert_eq!(count(&output, "not looked at"), usize::from(what == "leaks"), "{output:?}");
        let trace = std::fs::read_to_string(&file).expect("it is written");
        assert!(trace.contains("memset"), "{trace}");
        std::fs::remove_file(&file).expect("it is there");
    }
}

#[test]
#[cfg(unix)]
fn a_process_that_was_forked_leaves_the_reports_to_the_first() {
    let folder = tempfile::tempdir().expect("there is room");
    let file = folder.path().join("run.txt");
    let output = run("forks", &[("WARPCALL_LEDGER", "1"), ("WARPCALL_TRACE", &file.to_string_lossy())]);
    assert!(output.status.success(), "{output:?}");
    assert_eq!(count(&output, "allocation ledger of "), 1, "{output:?}");
    let trace = std::fs::read_to_string(&file).expect("it is written");
    assert!(trace.contains("memset"), "{trace}");
}

#[test]
fn the_end_of_a_process_waits_for_no_work() {
    let folder = tempfile::tempdir().expect("there is room");
    let file = folder.path().join("run.txt");
    let variables = [("WARPCALL_TRACE", &*file.to_string_lossy()), ("WARPCALL_TRACE_DEVICE", "1")];
    let output = run("leaves work", &variables);
    assert!(output.status.success(), "{output:?}");
    assert_eq!(count(&output, "the device works"), 0, "{output:?}");
    let trace = std::fs::read_to_string(&file).expect("it is written");
    let reason = "while taking device times: work is not waited for when the process ends";
    assert!(trace.contains("says<<<") && trace.contains(reason), "{trace}");
}
