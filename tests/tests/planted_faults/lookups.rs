//! Kernels that are asked for and are not there.

use anyhow::{Result, ensure};
use fastrand::Rng;
use warpcall::backend::FailedLookup;
use warpcall::{Error, Gpu, Kernel, Module};

use super::kernels::{PROJECT, SCRIBBLE, STEP, STOP};
use super::{Place, Tally, Tool, hundred};

pub(crate) const TOOL: Tool = Tool { name: "look-up audit", seeds: hundred, run };

fn run(place: Place, seed: u64, tally: &mut Tally) {
    tally.planted(program(place, seed, true));
    tally.correct(program(place, seed, false));
}

const MODULE: &str = "planted_faults";

/// Declared, of a module that is not there.
static NOWHERE: Kernel = Kernel::new(Module::new("nowhere"), "nowhere_to_be_found", &[]);

fn kernels() -> [&'static Kernel; 4] {
    [&SCRIBBLE, &STEP, &PROJECT, &STOP]
}

/// A look-up at one of three places; whether it failed, and the line.
fn find(gpu: &Gpu, module: &str, kernel: &str, place: u8) -> (bool, u32) {
    match place {
        0 => (gpu.find_kernel(module, kernel).is_err(), line!()),
        1 => (gpu.find_kernel(module, kernel).is_err(), line!()),
        _ => (gpu.backend().find_kernel(module, kernel).is_err(), line!()),
    }
}

/// A name with a mistake in it.
fn mistaken(random: &mut Rng, name: &str) -> String {
    let mut letters: Vec<char> = name.chars().collect();
    let at = random.usize(..letters.len());
    match random.u8(..3) {
        0 => letters.insert(at, 'q'),
        1 => drop(letters.remove(at)),
        _ => letters[at] = 'q',
    }
    letters.into_iter().collect()
}

/// Looks kernels up that are there, and where it `fails` some that are not.
fn program(place: Place, seed: u64, fails: bool) -> Result<()> {
    let mut random = Rng::with_seed(seed);
    let gpu = Gpu::builder().backend(place.open(seed)?).open()?;
    gpu.register_kernels(&kernels())?;
    let mut expected: Vec<(String, String, u32, u64)> = Vec::new();
    for step in 0..random.usize(5..20) {
        let kernel = kernels()[random.usize(..4)];
        ensure!(!find(&gpu, MODULE, kernel.name(), random.u8(..3)).0, "{} is there", kernel.name());
        kernel.resolve(&*gpu)?;
        if !fails || (step > 0 && random.bool()) {
            continue;
        }
        let (module, name) = match random.u8(..4) {
            0 => (mistaken(&mut random, MODULE), kernel.name().to_owned()),
            1 => ("nowhere".into(), NOWHERE.name().to_owned()),
            _ => (MODULE.into(), mistaken(&mut random, kernel.name())),
        };
        let asked = random.u8(..4);
        let (failed, line) = match asked {
            // The host has no images, and notices at the launch.
            3 if module == "nowhere" && place == Place::Cuda => (NOWHERE.resolve(&*gpu).is_err(), line!()),
            _ => find(&gpu, &module, &name, asked.min(2)),
        };
        ensure!(failed, "`{name}` of `{module}` was found");
        let same =
            expected.iter_mut().find(|(of, kernel, at, _)| (of, kernel, *at) == (&module, &name, line));
        match same {
            Some((.., count)) => *count += 1,
            None => expected.push((module, name, line, 1)),
        }
    }
    let audit = gpu.lookup_audit();
    let found: Vec<_> = audit.failed().into_iter().map(entry).collect();
    ensure!(found == expected, "asked for in vain: {expected:?}; but {found:?}");
    match audit.check() {
        Ok(()) => ensure!(!fails, "the audit finds nothing"),
        Err(Error::FailedLookups { failed }) => ensure!(failed.len() == expected.len(), "{failed:?}"),
        Err(other) => return Err(other.into()),
    }
    Ok(())
}

fn entry(failed: FailedLookup) -> (String, String, u32, u64) {
    let FailedLookup { module, kernel, location, count } = failed;
    let line = if location.file() == file!() { location.line() } else { 0 };
    (module, kernel.unwrap_or_default(), line, count)
}
