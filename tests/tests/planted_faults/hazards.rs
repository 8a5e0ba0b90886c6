//! Programs on several streams, half of them without an order that they need.

use anyhow::{Context as _, Result, bail, ensure};
use warpcall::diagnose::Hazards;
use warpcall::{Error, Gpu};

use super::hazard_program::run::Machine;
use super::hazard_program::{Action, Source, truth};
use super::kernels::STOP;
use super::{Place, Tally, Tool, hundred};

pub(crate) const TOOL: Tool = Tool { name: "hazard check", seeds: hundred, run };

/// Seeds that no other test of the check begins with.
const FIRST_SEED: u64 = 1 << 32;

fn run(place: Place, seed: u64, tally: &mut Tally) {
    let mut source = Source::new(FIRST_SEED + seed);
    let (correct, racy) = loop {
        let program = source.correct(25);
        if let Some(racy) = source.broken(&program) {
            break (program, racy);
        }
    };
    tally.planted(refused(place, seed, &racy));
    tally.correct(accepted(place, seed, &correct));
}

fn machine(place: Place, seed: u64, hazards: &Hazards) -> Result<Machine> {
    let gpu = Gpu::builder().backend(place.open(seed)?).hazards(hazards).open()?;
    if let Some(cuda) = gpu.as_cuda() {
        let image = STOP.module().image().context("the kernels' PTX is embedded")?;
        cuda.load_module("programs", image.bytes)?;
    }
    Ok(Machine::new(gpu)?)
}

/// The check is strict, so that no device runs a race: it refuses the first work that is a hazard.
fn refused(place: Place, seed: u64, program: &[Action]) -> Result<()> {
    let mut machine = machine(place, seed, &Hazards::strict())?;
    let mut works = 0;
    let refused = program.iter().find_map(|action| machine.act(action, &mut || works += 1).err());
    let first = truth::of(program).iter().position(|found| !found.is_empty());
    match refused {
        Some(Error::Hazard(hazard)) => {
            ensure!(
                Some(works) == first.map(|first| first + 1),
                "work {first:?} is one, and {works} is refused: {hazard}"
            );
        }
        Some(other) => bail!("{other}"),
        None => bail!("work {first:?} is one: {program:#?}"),
    }
    machine.settled()?;
    Ok(())
}

fn accepted(place: Place, seed: u64, program: &[Action]) -> Result<()> {
    let hazards = Hazards::strict();
    let mut machine = machine(place, seed, &hazards)?;
    program.iter().try_for_each(|action| machine.act(action, &mut || ()))?;
    machine.settled()?;
    let found = [hazards.reports(), hazards.possible()].concat();
    ensure!(found.is_empty() && hazards.unchecked().is_empty(), "{found:?}, {}", hazards.unchecked());
    Ok(())
}
