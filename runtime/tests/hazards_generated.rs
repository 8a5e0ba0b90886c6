//! The hazard check on programs that are made up, beside a truth that is worked out another way.

mod hazard_program;

use std::sync::LazyLock;

use hazard_program::run::Machine;
use hazard_program::{Action, Source, truth};
use warpcall::diagnose::Hazards;
use warpcall::{Error, Gpu};

const PROGRAMS: u64 = 250;

/// Programs without a hazard.
static CORRECT: LazyLock<Vec<Vec<Action>>> = LazyLock::new(|| {
    let works = |seed: u64| 20 + usize::try_from(seed % 30).expect("it is small");
    (0..PROGRAMS).map(|seed| Source::new(seed).correct(works(seed))).collect()
});

/// The same, each without one order that it needs.
static RACY: LazyLock<Vec<Vec<Action>>> = LazyLock::new(|| {
    let mut source = Source::new(PROGRAMS);
    CORRECT.iter().filter_map(|program| source.broken(program)).collect()
});

fn count(hazards: &Hazards) -> u64 {
    hazards.reports().iter().map(|hazard| hazard.count).sum()
}

/// For each piece of work, whether the check found that it is a hazard with one before.
fn found(program: &[Action]) -> Vec<bool> {
    let hazards = Hazards::new();
    let gpu = Gpu::builder().host().hazards(&hazards).open().expect("the host opens");
    let mut machine = Machine::new(gpu).expect("it has all that a program uses");
    let (mut found, mut before) = (Vec::new(), 0);
    for action in program {
        let note = &mut || {
            let now = count(&hazards);
            found.push(now > before);
            before = now;
        };
        machine.act(action, note).unwrap_or_else(|error| panic!("{action:?}: {error}"));
    }
    assert_eq!(hazards.possible(), []);
    assert!(hazards.unchecked().is_empty(), "{}", hazards.unchecked());
    found
}

#[test]
fn every_piece_of_work_is_found_that_is_a_hazard_and_no_other() {
    let (mut right, mut missed, mut wrong, mut none) = (0_u64, 0_u64, 0_u64, 0_u64);
    let (mut programs, mut with_hazard, mut noticed) = (0, 0, 0);
    let mut source = Source::new(PROGRAMS + 1);
    let shattered: Vec<_> = CORRECT[..50].iter().map(|program| source.shattered(program)).collect();
    for (number, program) in CORRECT.iter().chain(&*RACY).chain(&shattered).enumerate() {
        let truth: Vec<bool> = truth::of(program).iter().map(|found| !found.is_empty()).collect();
        let found = found(program);
        assert_eq!(found.len(), truth.len(), "program {number}");
        programs += 1;
        with_hazard += u32::from(truth.contains(&true));
        noticed += u32::from(found.contains(&true));
        for (index, (found, truth)) in found.iter().zip(&truth).enumerate() {
            match (found, truth) {
                (true, true) => right += 1,
                (false, false) => none += 1,
                (true, false) => wrong += 1,
                (false, true) => missed += 1,
            }
            if found != truth {
                println!("program {number}, work {index}: found {found}, the truth is {truth}: {program:#?}");
            }
        }
    }
    println!("{programs} programs, {with_hazard} of them with a hazard, {noticed} found to have one");
    println!(
        "pieces of work: {right} hazards found, {missed} missed, {wrong} false alarms, {none} without one"
    );
    #[allow(clippy::cast_precision_loss)]
    let share = |of: u64, other: u64| of as f64 / (of + other) as f64;
    println!("precision {:.3}, recall {:.3}", share(right, wrong), share(right, missed));
    assert!(with_hazard >= 200 && programs - with_hazard >= 200, "{with_hazard} of {programs}");
    assert!(right > 500 && none > 10_000, "too little was tried");
    assert_eq!((missed, wrong), (0, 0));
}

#[test]
fn a_strict_check_refuses_exactly_the_first_work_that_is_a_hazard() {
    for (seed, program) in RACY.iter().enumerate() {
        let truth = truth::of(program);
        let first = truth.iter().position(|found| !found.is_empty()).expect("it has a hazard");
        let hazards = Hazards::strict();
        let gpu = Gpu::builder().host().hazards(&hazards).open().expect("the host opens");
        let mut machine = Machine::new(gpu).expect("it has all that a program uses");
        let mut worked = 0;
        let refused = program.iter().find_map(|action| machine.act(action, &mut || worked += 1).err());
        let Some(Error::Hazard(hazard)) = refused else { panic!("program {seed}: {refused:?}") };
        assert_eq!(worked, first + 1, "program {seed}: {hazard}");
        assert!(machine.settled().is_ok(), "program {seed}: the streams are usable");
    }
}

/// On a backend that is as late as it can be, what is ordered comes out as on one that does each thing at once.
#[test]
fn correct_programs_do_the_same_late_and_at_once() {
    for (seed, program) in CORRECT.iter().enumerate() {
        let [late, at_once] = [Gpu::builder().host_delayed(), Gpu::builder().host()].map(|builder| {
            let hazards = Hazards::strict();
            let gpu = builder.hazards(&hazards).open().expect("the host opens");
            let mut machine = Machine::new(gpu).expect("it has all that a program uses");
            for action in program {
                machine.act(action, &mut || ()).unwrap_or_else(|error| panic!("program {seed}: {error}"));
            }
            assert_eq!(hazards.reports(), [], "program {seed}");
            (machine.settled().expect("all is done"), machine.seen)
        });
        assert_eq!(late, at_once, "program {seed}");
    }
}
