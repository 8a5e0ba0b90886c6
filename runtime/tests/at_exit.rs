//! What tools say when a process ends and its backend is still open. The test is its own program, told by a variable.

use std::process::{Command, Output};

use warpcall::{Gpu, Result};

const CHILD: &str = "AT_EXIT_CHILD";

#[test]
fn child() -> Result<()> {
    let Some(what) = std::env::var_os(CHILD) else { return Ok(()) };
    let gpu = Gpu::host()?;
    let buffer = gpu.zeros::<u32>(100)?;
    match what.to_str() {
        Some("leaks") => std::mem::forget((gpu, buffer)),
        _ => drop((buffer, gpu)),
    }
    std::process::exit(0);
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
