//! The tools of `warpcall::diagnose` on faults that are planted, and on as many correct programs: each finds all of the one, by the
//! right name, and says nothing of the other.
//!
//! The programs are made up from a seed, and run on the host and on the first CUDA device. Without a device that half is one ignored
//! test; with `WARPCALL_REQUIRE_CUDA=1` it is a failing one. A table at the end says what was planted and found.

#[path = "planted_faults/error_paths.rs"]
mod error_paths;
// What the tests of the check itself use too.
#[allow(dead_code)]
#[path = "../../runtime/tests/hazard_program/mod.rs"]
mod hazard_program;
#[path = "planted_faults/hazards.rs"]
mod hazards;
#[path = "planted_faults/kernels.rs"]
mod kernels;
#[path = "planted_faults/ledger.rs"]
mod ledger;
#[path = "planted_faults/lookups.rs"]
mod lookups;
#[path = "planted_faults/red_zones.rs"]
mod red_zones;
#[path = "planted_faults/sync_check.rs"]
mod sync_check;
#[path = "planted_faults/trace.rs"]
mod trace;

use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};

use libtest_mimic::{Arguments, Completion, Failed, Trial};
use warpcall::{CudaBackend, GpuBackend, HostBackend, Result};

/// Where the programs run.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Place {
    Host,
    Cuda,
}

impl Place {
    /// A backend of its own for each program. On the host, every other one is as late as it can be.
    fn open(self, seed: u64) -> Result<Arc<dyn GpuBackend>> {
        match self {
            Self::Host => Ok(Arc::new(HostBackend::builder().delayed(seed % 2 == 1).open()?)),
            Self::Cuda => Ok(CudaBackend::open(0)?),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Host => "host",
            Self::Cuda => "cuda",
        }
    }
}

/// One tool, and how a program for it is made up and run.
struct Tool {
    name: &'static str,
    /// How many seeds there are.
    seeds: fn(Place) -> u64,
    /// Runs a program with faults, and its correct counterpart.
    run: fn(Place, u64, &mut Tally),
}

const TOOLS: &[Tool] = &[
    red_zones::TOOL,
    ledger::TOOL,
    lookups::TOOL,
    trace::DIFF,
    trace::FROZEN,
    error_paths::TOOL,
    hazards::TOOL,
    sync_check::TOOL,
];

fn hundred(_: Place) -> u64 {
    100
}

/// What came of the programs of one tool.
#[derive(Clone, Debug, Default)]
struct Tally {
    planted: u64,
    found: u64,
    correct: u64,
    false_alarms: u64,
    /// What went wrong.
    problems: Vec<String>,
}

impl Tally {
    /// A fault was planted. The outcome is an error where it was not found as what it is.
    fn planted(&mut self, outcome: anyhow::Result<()>) {
        self.planted += 1;
        match outcome {
            Ok(()) => self.found += 1,
            Err(problem) => self.problems.push(format!("not found: {problem:#}")),
        }
    }

    /// A correct program ran. The outcome is an error where the tool found something.
    fn correct(&mut self, outcome: anyhow::Result<()>) {
        self.correct += 1;
        if let Err(problem) = outcome {
            self.false_alarms += 1;
            self.problems.push(format!("a false alarm: {problem:#}"));
        }
    }
}

/// The rows of the table.
static ROWS: Mutex<Vec<(&str, &str, Tally)>> = Mutex::new(Vec::new());

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if let [first, kind] = &words[..]
        && first == sync_check::CHILD
    {
        return sync_check::child(kind);
    }
    let arguments = Arguments::from_args();
    // Kept open, so that the driver does not set its context up anew for every program.
    let device = CudaBackend::open(0);
    let mut trials: Vec<Trial> = TOOLS.iter().map(|tool| trial(tool, Place::Host)).collect();
    match &device {
        Ok(_) => trials.extend(TOOLS.iter().map(|tool| trial(tool, Place::Cuda))),
        Err(error) => {
            let required = std::env::var_os("WARPCALL_REQUIRE_CUDA").is_some_and(|required| required == "1");
            let reason = error.to_string();
            trials.push(Trial::ignorable_test("cuda::a_device_is_there", move || {
                if required { Err(reason.into()) } else { Ok(Completion::ignored_with(reason)) }
            }));
        }
    }
    let conclusion = libtest_mimic::run(&arguments, trials);
    print_table();
    conclusion.exit_code()
}

fn trial(tool: &'static Tool, place: Place) -> Trial {
    let name = format!("{}::{}", place.name(), tool.name.replace(' ', "_"));
    Trial::test(name, move || {
        // What one tool waits for on the device must not be another's work.
        static DEVICE: Mutex<()> = Mutex::new(());
        let _device = (place == Place::Cuda).then(|| DEVICE.lock().unwrap_or_else(PoisonError::into_inner));
        let mut tally = Tally::default();
        for seed in 0..(tool.seeds)(place) {
            let told = tally.problems.len();
            (tool.run)(place, seed, &mut tally);
            tally.problems[told..]
                .iter_mut()
                .for_each(|problem| *problem = format!("seed {seed}: {problem}"));
        }
        ROWS.lock().unwrap_or_else(PoisonError::into_inner).push((tool.name, place.name(), tally.clone()));
        verdict(&tally)
    })
}

fn verdict(tally: &Tally) -> Result<(), Failed> {
    if tally.planted == 0 || tally.correct == 0 {
        return Err("nothing was tried".into());
    }
    if !tally.problems.is_empty() {
        let (count, first) = (tally.problems.len(), &tally.problems[..tally.problems.len().min(5)]);
        return Err(format!("{count} problems, of which the first: {}", first.join("\n")).into());
    }
    Ok(())
}

fn print_table() {
    let mut rows = ROWS.lock().unwrap_or_else(PoisonError::into_inner);
    if rows.is_empty() {
        return;
    }
    rows.sort_by_key(|(tool, place, _)| (TOOLS.iter().position(|one| one.name == *tool), *place != "host"));
    println!(
        "tool             backend    planted   found  correct programs  false alarms  recall  precision"
    );
    for (tool, place, Tally { planted, found, correct, false_alarms, .. }) in &*rows {
        #[allow(clippy::cast_precision_loss)] // The numbers are small.
        let share = |of: u64| *found as f64 / of.max(1) as f64;
        let (recall, precision) = (share(*planted), share(found + false_alarms));
        println!(
            "{tool:<16} {place:<8} {planted:>9} {found:>7} {correct:>17} {false_alarms:>13} {recall:>7.3} {precision:>10.3}"
        );
    }
}
