//! Every example with each of its calls failing, and with each tool that an environment variable switches on.
//!
//! They run as processes, on the host, and where there is a CUDA device, there too. Of each kind of call the first and the last fail in
//! turn; with `WARPCALL_FAULT_SWEEP=all` every one does.

#[path = "diagnosed/process.rs"]
mod process;

use std::collections::BTreeMap;
use std::io::Write as _;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context as _, Result, bail, ensure};
use process::{Ended, Place, run};
use warpcall::CudaBackend;

/// Those that a variable reaches.
const EXAMPLES: &[&str] =
    &["find_the_bug", "graph_decode", "mlp_step", "multi_gpu", "rms_norm", "saxpy", "tma_tile"];

/// The others.
const UNREACHED: &[(&str, &str)] = &[
    ("by_hand", "its backend is one that records, which it makes itself"),
    ("cudarc_interop", "its device is cudarc's"),
    ("trace_diff", "it reads files, and opens no device; the traces here are compared with it"),
];

/// It has bugs on purpose, a leak among them, and tools of its own that find them.
const HAS_BUGS: &str = "find_the_bug";

/// The calls whose error nobody is given, and why. The example ends as if nothing had happened then.
const WITHOUT_ERROR: &[(&str, &str)] = &[
    ("destroy_graph", "what is dropped has nobody to tell; `Gpu::take_failed_drops` does"),
    ("destroy_stream", "as above"),
    ("free", "as above"),
];

/// Where an example goes on after the failure and finds what it left: the example, the call, and why that is right.
const GOES_ON: &[(&str, &str, &str)] = &[
    (HAS_BUGS, "copy_to_device_async", "the bug `error-path` is that this error is lost"),
    (HAS_BUGS, "find_kernel", "the bug `lookup` is that it goes on with another kernel"),
    (HAS_BUGS, "free", "the bug `leak` has another size then"),
];

/// A call that never comes.
const NEVER: &str = "any:1000000000";

#[test]
fn every_call_of_every_example_may_fail_on_the_host() {
    sweep(Place::Host);
}

#[test]
fn every_call_of_every_example_may_fail_on_a_device() {
    if device_is_there() {
        sweep(Place::Device);
    }
}

#[test]
fn no_tool_finds_anything_in_an_example_on_the_host() {
    diagnose(Place::Host);
}

#[test]
fn no_tool_finds_anything_in_an_example_on_a_device() {
    if device_is_there() {
        diagnose(Place::Device);
    }
}

/// Whether there is a CUDA device. Without one the test says so and is over; with `WARPCALL_REQUIRE_CUDA=1` it fails.
fn device_is_there() -> bool {
    let Err(error) = CudaBackend::open(0) else { return true };
    let required = std::env::var_os("WARPCALL_REQUIRE_CUDA").is_some_and(|required| required == "1");
    assert!(!required, "WARPCALL_REQUIRE_CUDA is 1, but there is {error}");
    let thread = std::thread::current();
    // Past the harness, which swallows what a test prints that passes.
    let line = format!("NOT RUN | {} | {error}\n", thread.name().unwrap_or("a test"));
    let _ = std::io::stdout().write_all(line.as_bytes());
    false
}

/// Does all of it, as many at once as there are processors, and fails with what went wrong.
fn each<T: Sync>(all: &[T], check: impl Fn(&T) -> Result<()> + Sync) {
    let (next, problems) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(one) = all.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Err(problem) = check(one) {
                        problems.lock().expect("nothing panics").push(format!("{problem:#}"));
                    }
                }
            });
        }
    });
    let problems = problems.into_inner().expect("nothing panicked");
    assert!(problems.is_empty(), "{} problems:\n{}", problems.len(), problems.join("\n"));
}

fn sweep(place: Place) {
    let all = std::env::var_os("WARPCALL_FAULT_SWEEP").is_some_and(|sweep| sweep == "all");
    let mut failures = Vec::new();
    for example in EXAMPLES {
        let whole = unharmed(example, place).unwrap_or_else(|error| panic!("{example}: {error:#}"));
        let (example, calls) = (*example, calls(&whole));
        assert!(calls.values().sum::<u64>() > 5, "{example}: {calls:?}");
        let whole = std::sync::Arc::new(whole);
        for (call, count) in calls {
            let numbers = (1..=count).filter(|number| all || [1, count].contains(number));
            failures.extend(numbers.map(|number| (example, whole.clone(), call.clone(), number)));
        }
    }
    let count = failures.len();
    each(&failures, |(example, whole, call, number)| {
        fails(example, place, whole, call, *number).with_context(|| format!("{example}, {call}:{number}"))
    });
    println!("{count} calls failed");
}

/// A run in which nothing fails, and the ledger and the plan of failures say what they saw.
fn unharmed(example: &str, place: Place) -> Result<Ended> {
    let ended = run(example, place, &[("WARPCALL_FAULT", NEVER), ("WARPCALL_LEDGER", "1")], &[])?;
    ensure!(ended.code == Some(0) && !ended.out.is_empty(), "{ended:?}");
    Ok(ended)
}

/// How many calls of each kind an example makes; of several backends, the one with most.
fn calls(whole: &Ended) -> BTreeMap<String, u64> {
    let mut calls = BTreeMap::new();
    let lists = whole.err.lines().filter_map(|line| line.split_once(" never came; the calls: "));
    for entry in lists.flat_map(|(_, list)| list.split(", ")) {
        if let Some((name, count)) = entry.split_once(' ') {
            let most: &mut u64 = calls.entry(name.to_owned()).or_default();
            *most = count.parse().map_or(*most, |count: u64| count.max(*most));
        }
    }
    calls
}

fn fails(example: &str, place: Place, whole: &Ended, call: &str, number: u64) -> Result<()> {
    let fault = format!("{call}:{number}");
    let ended = run(example, place, &[("WARPCALL_FAULT", &fault), ("WARPCALL_LEDGER", "1")], &[])?;
    let named = format!("{call} number {number} failed, as it was told to");
    let (plan, rest): (Vec<&str>, Vec<&str>) =
        ended.err.lines().partition(|line| line.starts_with("fault injection: "));
    ensure!(plan.iter().any(|line| line.contains(&named)), "the call never came: {}", ended.err);
    ensure!(!ended.err.contains("panicked at"), "it panics: {}", ended.err);
    match ended.code {
        None => bail!("a signal ended it: {}", ended.err),
        Some(0) => {
            ensure!(WITHOUT_ERROR.iter().any(|(quiet, _)| *quiet == call), "nobody noticed");
            ensure!(ended.out == whole.out, "it ends well with another result: {}", ended.out);
        }
        Some(_) if GOES_ON.iter().any(|(goes_on, at, _)| (*goes_on, *at) == (example, call)) => {}
        Some(_) => {
            ensure!(rest.iter().any(|line| line.contains(&named)), "the error is another: {}", ended.err);
        }
    }
    if example != HAS_BUGS && call != "free" {
        ledger_is_empty(&ended)?;
    }
    Ok(())
}

fn ledger_is_empty(ended: &Ended) -> Result<()> {
    let lines: Vec<&str> =
        ended.err.lines().filter(|line| line.starts_with("allocation ledger of ")).collect();
    ensure!(!lines.is_empty(), "no ledger: {}", ended.err);
    let empty = |line: &&str| line.contains(": live: 0 bytes in 0 allocations; ");
    ensure!(lines.iter().all(empty), "memory is left: {}", ended.err);
    Ok(())
}

/// Each example without a tool, with each of them, and with all at once.
fn diagnose(place: Place) {
    let folder = tempfile::tempdir().expect("there is room");
    let examples: Vec<&str> = EXAMPLES.iter().copied().filter(|example| *example != HAS_BUGS).collect();
    let by_hand = run("by_hand", place, &[], &[]).expect("it runs");
    assert!(by_hand.code == Some(0) && by_hand.err.is_empty(), "{by_hand:?}");
    each(&examples, |example| {
        let file =
            |name: &str| folder.path().join(format!("{example}.{name}.jsonl")).to_string_lossy().into_owned();
        let (alone, among_all) = (file("alone"), file("all"));
        let tools: [&[(&str, &str)]; 6] = [
            // What lies around memory must not matter.
            &[("WARPCALL_RED_ZONES", "256"), ("WARPCALL_POISON", "1..=1000")],
            &[("WARPCALL_LEDGER", "1")],
            &[("WARPCALL_FAULT", NEVER)],
            &[("WARPCALL_SYNC", "1")],
            &[("WARPCALL_HAZARDS", "strict")],
            &[("WARPCALL_TRACE", &alone), ("WARPCALL_TRACE_DEVICE", "1")],
        ];
        let mut all: Vec<_> = tools.concat();
        all.push(("WARPCALL_TRACE", &among_all));
        let plain = run(example, place, &[], &[])?;
        ensure!(
            plain.code == Some(0) && !plain.out.is_empty() && plain.err.is_empty(),
            "{example}: {plain:?}"
        );
        for variables in tools.into_iter().chain([&all[..]]) {
            let ended = run(example, place, variables, &[])?;
            let is_on = |name: &str| variables.iter().any(|(variable, _)| *variable == name);
            says_nothing(&ended, is_on("WARPCALL_LEDGER"), is_on("WARPCALL_FAULT"))
                .with_context(|| format!("{example} with {variables:?}"))?;
            ensure!(
                ended.out == plain.out,
                "{example} with {variables:?} prints {}, not {}",
                ended.out,
                plain.out
            );
        }
        // The threads of `multi_gpu` call in any order.
        if *example != "multi_gpu" {
            let diff = run("trace_diff", Place::Host, &[], &[&alone, &among_all])?;
            ensure!(diff.code == Some(0) && diff.out.starts_with("the same: "), "{example}: {diff:?}");
        }
        Ok(())
    });
}

/// It ended well, and no tool found anything.
fn says_nothing(ended: &Ended, has_ledger: bool, has_faults: bool) -> Result<()> {
    ensure!(ended.code == Some(0), "{ended:?}");
    if has_ledger {
        ledger_is_empty(ended)?;
    }
    let expected = |line: &&str| {
        (has_ledger && line.starts_with("allocation ledger of "))
            || (has_faults && line.starts_with("fault injection: any:"))
    };
    let reports: Vec<&str> = ended.err.lines().filter(|line| !expected(line)).collect();
    ensure!(reports.is_empty(), "{reports:?}");
    Ok(())
}

#[test]
fn every_example_is_tried() {
    // A bundle has the examples alone.
    let folder = std::fs::read_dir(env!("CARGO_MANIFEST_DIR"))
        .or_else(|_| std::fs::read_dir(process::folder()))
        .expect("the folder of the examples");
    let mut found: Vec<_> = folder
        .map(|entry| entry.expect("it can be read").path())
        .filter(|path| path.extension().is_none_or(|extension| extension == "rs") && path.is_file())
        .filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned()))
        .filter(|name| name != "lib")
        .collect();
    found.sort();
    let mut tried: Vec<_> = EXAMPLES.iter().chain(UNREACHED.iter().map(|(name, _)| name)).copied().collect();
    tried.sort_unstable();
    assert_eq!(found, tried);
}
