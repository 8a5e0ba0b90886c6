//! Every call of a program, failing in its turn.

use anyhow::{Context as _, Result, bail, ensure};
use fastrand::Rng;
use warpcall::backend::Fill;
use warpcall::diagnose::{FaultRun, Faults};
use warpcall::{Error, Gpu, LaunchConfig};

use super::kernels::{STOP, launch_stop};
use super::{Place, Tally, Tool, hundred};

pub(crate) const TOOL: Tool = Tool { name: "faults", seeds: hundred, run };

fn run(place: Place, seed: u64, tally: &mut Tally) {
    match in_turn(place, seed) {
        Ok((runs, unharmed)) => {
            for (index, run) in runs.iter().enumerate() {
                let of_its_name = runs[..=index].iter().filter(|before| before.call == run.call).count();
                tally.planted(named(run, of_its_name as u64));
            }
            tally.correct(unharmed);
        }
        Err(error) => tally.correct(Err(error)),
    }
}

/// A run for each call of a program, and what came of one in which none fails.
fn in_turn(place: Place, seed: u64) -> Result<(Vec<FaultRun>, Result<()>)> {
    let backend = place.open(seed)?;
    // All runs are on one backend, which looks its kernel up once; a program looks it up by name itself.
    STOP.resolve(&*backend)?;
    let open = |faults: &Faults| Gpu::builder().backend(backend.clone()).faults(faults).open();
    let runs = Faults::each_in_turn(open, |gpu| program(&gpu, seed))?;
    let faults = Faults::new();
    let unharmed = unharmed(&open(&faults)?, &faults, seed, runs.len());
    Ok((runs, unharmed))
}

/// The program returns the error of the call that failed, and no other. Which of its name it is, counts from 1.
fn named(run: &FaultRun, of_its_name: u64) -> Result<()> {
    let error =
        run.result.as_ref().err().with_context(|| format!("{} failed, and nobody noticed", run.call))?;
    match error.failure() {
        Error::Injected { call, number, .. } if (*call, *number) == (run.call, of_its_name) => Ok(()),
        _ => bail!("{} number {of_its_name} failed, and the error is: {error}", run.call),
    }
}

/// A call that never comes does not fail, and no other does.
fn unharmed(gpu: &Gpu, faults: &Faults, seed: u64, calls: usize) -> Result<()> {
    faults.fail_call(calls as u64 + 1);
    program(gpu, seed)?;
    ensure!(faults.made().len() == calls && faults.failed().is_none(), "{:?}", faults.failed());
    Ok(())
}

/// Uses any of what there is to use, and frees all itself, since what is dropped has nobody to tell.
fn program(gpu: &Gpu, seed: u64) -> warpcall::Result<()> {
    let mut random = Rng::with_seed(seed);
    let config = LaunchConfig::new(1, 32);
    let (stream, other) = (gpu.create_stream()?, gpu.create_stream()?);
    let event = gpu.create_timing_event()?;
    let mut values = gpu.upload(&[seed; 16])?;
    let mut pinned = gpu.pinned::<u64>(16)?;
    for _ in 0..random.usize(3..9) {
        match random.u8(..11) {
            0 => values.fill(&stream, Fill::Byte(1))?,
            1 => values.copy_from_host(&stream, &[seed; 16])?,
            2 => drop(values.to_vec(&other)?),
            3 => {
                // SAFETY: the pinned memory lives until the stream was synchronised.
                unsafe { values.copy_to_host_async(&stream, &mut pinned)? };
                stream.synchronize()?;
            }
            4 => {
                let mut copy = gpu.zeros::<u64>(16)?;
                copy.copy_from_device(&stream, &values)?;
                copy.free()?;
            }
            // SAFETY: the kernel uses no memory.
            5 => unsafe { launch_stop(&stream, config, 1, 2)? },
            6 => {
                stream.record(&event)?;
                other.wait(&event)?;
                event.synchronize()?;
            }
            7 => other.wait_for(&stream)?,
            8 => {
                // SAFETY: as above.
                let graph = stream.capture(|stream| unsafe { launch_stop(stream, config, 0, 2) })?;
                // SAFETY: as above.
                unsafe { graph.launch(&stream)? };
                graph.destroy()?;
            }
            9 => drop(gpu.find_kernel(STOP.module().name(), STOP.name())?),
            _ => gpu.synchronize()?,
        }
    }
    stream.synchronize()?;
    values.free()?;
    pinned.free()?;
    event.destroy()?;
    other.destroy()?;
    stream.destroy()
}
