//! Kernels that go wrong while the device executes them.

use std::process::{Command, ExitCode};

use anyhow::{Context as _, Result, bail, ensure};
use fastrand::Rng;
use warpcall::{Buffer, CudaBackend, DevicePtr, Error, Gpu, LaunchConfig, Stream};

use super::kernels::{
    launch_check, launch_descend, launch_load, launch_stop, launch_store, launch_store_four,
    launch_store_shared,
};
use super::{Place, Tally, Tool};

pub(crate) const TOOL: Tool = Tool { name: "sync check", seeds, run };

/// The word after which the name of a fault makes this program run that alone: a fault ends the context of its process.
pub(crate) const CHILD: &str = "--fault";

fn seeds(place: Place) -> u64 {
    match place {
        Place::Host => 100,
        Place::Cuda => FAULTS.len() as u64,
    }
}

fn run(place: Place, seed: u64, tally: &mut Tally) {
    match place {
        Place::Host => {
            tally.planted(program_on_the_host(seed, true));
            tally.correct(program_on_the_host(seed, false));
        }
        Place::Cuda => {
            let kind = FAULTS.iter().map(|(kind, _)| *kind).nth(usize::try_from(seed).unwrap_or(usize::MAX));
            let said = kind.context("there are so many").and_then(in_a_child);
            let line = |number: usize| match &said {
                Ok(lines) if lines.get(number).is_some_and(|line| line == "ok") => Ok(()),
                Ok(lines) => {
                    bail!("{kind:?}: {}", lines.get(number).map_or("the child says nothing", String::as_str))
                }
                Err(error) => bail!("{kind:?}: {error:#}"),
            };
            tally.correct(line(0));
            tally.planted(line(1));
        }
    }
}

/// A launch that fails must be told as `text`, launched at this line.
fn told(outcome: warpcall::Result<()>, text: &str, line: u32) -> Result<()> {
    match outcome.err().with_context(|| format!("{text} succeeded"))? {
        Error::Fault { launch, location, .. }
            if (&*launch, location.file(), location.line()) == (text, file!(), line) =>
        {
            Ok(())
        }
        other => bail!("{text} in line {line}; but {other}"),
    }
}

/// Launches on several streams, one by one or from graphs, of kernels of which one may stop. The host is late as a device is, so that
/// without the tool the error would be that of another call.
fn program_on_the_host(seed: u64, stops: bool) -> Result<()> {
    let mut random = Rng::with_seed(seed);
    let gpu = Gpu::builder().host_delayed().sync_check().open()?;
    let streams = [gpu.create_stream()?, gpu.create_stream()?, gpu.default_stream()];
    let count = random.usize(1..20);
    let guilty = stops.then(|| random.usize(..count));
    for number in 0..count {
        let vocabulary = random.u32(1..1000);
        let too_far = if guilty == Some(number) { vocabulary } else { 0 };
        let token = too_far + random.u32(..vocabulary);
        let config = LaunchConfig::new(random.u32(1..9), random.u32(1..9));
        let stream = &streams[random.usize(..3)];
        let named = |kernel: &str| format!("{kernel}{config}(token={token}, vocabulary={vocabulary})");
        // SAFETY: the kernels use no memory.
        let (launched, text, line) = unsafe {
            match random.u8(..3) {
                0 => (launch_stop(stream, config, token, vocabulary), named("stop"), line!()),
                1 => (launch_check(stream, config, token, vocabulary), named("check"), line!()),
                _ => {
                    let recorder = gpu.create_stream()?;
                    let graph = recorder.capture(|stream| launch_stop(stream, config, token, vocabulary))?;
                    (graph.launch(stream), format!("graph {}", graph.handle()), line!())
                }
            }
        };
        if guilty == Some(number) {
            return told(launched, &text, line);
        }
        launched?;
    }
    Ok(())
}

/// What a fault on a device has at hand.
struct Bench {
    gpu: Gpu,
    stream: Stream,
    words: Buffer<u32>,
}

/// A launch: what came of it, its text but for the configuration, and its line.
type Launched = (warpcall::Result<()>, String, u32);

/// A kernel that does wrong when it is told to, and else does right.
type Fault = fn(&mut Bench, bool) -> Result<Launched>;

const FAULTS: &[(&str, Fault)] = &[
    ("a write through the null pointer", |bench, wrong| Ok(bench.store(wrong.then_some(DevicePtr::NULL)))),
    ("a read through the null pointer", |bench, wrong| Ok(bench.load(wrong.then_some(DevicePtr::NULL)))),
    ("memory that was freed", |bench, wrong| {
        // Large, so that the driver takes it from the address space.
        let memory = bench.gpu.zeros::<u32>(64 << 20)?;
        let at = memory.device_ptr();
        let kept = if wrong { memory.free().map(|()| None)? } else { Some(memory) };
        let launched = bench.store(Some(at));
        drop(kept);
        Ok(launched)
    }),
    ("a read of an address where nothing is", |bench, wrong| {
        Ok(bench.load(wrong.then_some(DevicePtr::new(1 << 46))))
    }),
    ("a terabyte behind the end", |bench, wrong| {
        let far = bench.words.device_ptr().byte_add(1 << 40);
        Ok(bench.store(wrong.then_some(far)))
    }),
    ("a misaligned word", |bench, wrong| {
        let between = bench.words.device_ptr().byte_add(2);
        Ok(bench.store(wrong.then_some(between)))
    }),
    ("a misaligned vector", |bench, wrong| {
        let mut at = bench.words.device_ptr().byte_add(if wrong { 8 } else { 16 });
        let text = format!("store_four{}(at={at}, value=7)", one());
        // SAFETY: where it is right, the memory is there. Else the fault is what the process is for.
        Ok((unsafe { launch_store_four(&bench.stream, one(), &mut at, 7) }, text, line!()))
    }),
    ("a trap", |bench, wrong| {
        let token = if wrong { 100 } else { 99 };
        let text = format!("stop{}(token={token}, vocabulary=100)", one());
        // SAFETY: the kernel uses no memory.
        Ok((unsafe { launch_stop(&bench.stream, one(), token, 100) }, text, line!()))
    }),
    ("an assertion", |bench, wrong| {
        let token = if wrong { 100 } else { 99 };
        let text = format!("check{}(token={token}, vocabulary=100)", one());
        // SAFETY: as above.
        Ok((unsafe { launch_check(&bench.stream, one(), token, 100) }, text, line!()))
    }),
    ("too much stack", |bench, wrong| {
        let depth = if wrong { 1 << 24 } else { 2 };
        let text = format!("descend{}(reached={}, depth={depth})", one(), bench.words.device_ptr());
        // SAFETY: as for the vector.
        Ok((unsafe { launch_descend(&bench.stream, one(), &mut bench.words, depth) }, text, line!()))
    }),
    ("shared memory that is not there", |bench, wrong| {
        let index = if wrong { 1 << 22 } else { 31 };
        let text = format!("store_shared{}(seen={}, index={index})", one(), bench.words.device_ptr());
        // SAFETY: as for the vector.
        Ok((unsafe { launch_store_shared(&bench.stream, one(), &mut bench.words, index) }, text, line!()))
    }),
    ("a trap in a graph", |bench, wrong| {
        let token = if wrong { 100 } else { 99 };
        // SAFETY: the kernel uses no memory.
        let graph = bench.stream.capture(|stream| unsafe { launch_stop(stream, one(), token, 100) })?;
        // SAFETY: as above.
        Ok((unsafe { graph.launch(&bench.stream) }, format!("graph {}", graph.handle()), line!()))
    }),
];

fn one() -> LaunchConfig {
    LaunchConfig::new(1, 1)
}

impl Bench {
    fn new() -> Result<Self> {
        let gpu = Gpu::builder().backend(CudaBackend::open(0)?).sync_check().open()?;
        let (stream, words) = (gpu.create_stream()?, gpu.zeros(16)?);
        Ok(Self { gpu, stream, words })
    }

    fn store(&mut self, at: Option<DevicePtr>) -> Launched {
        let mut at = at.unwrap_or(self.words.device_ptr());
        let text = format!("store{}(at={at}, value=7)", one());
        // SAFETY: where it is right, the memory is there. Else the fault is what the process is for.
        (unsafe { launch_store(&self.stream, one(), &mut at, 7) }, text, line!())
    }

    fn load(&mut self, from: Option<DevicePtr>) -> Launched {
        let from = from.unwrap_or(self.words.device_ptr().byte_add(4));
        let text = format!("load{}(to={}, from={from})", one(), self.words.device_ptr());
        // SAFETY: as above.
        (unsafe { launch_load(&self.stream, one(), &mut self.words, &from) }, text, line!())
    }
}

/// Runs one fault, as a process of its own: two lines, of the kernel that does right and of the one that does wrong, each `ok` or why it
/// is not.
pub(crate) fn child(kind: &str) -> ExitCode {
    let run = |wrong: bool| -> Result<()> {
        let (_, fault) = FAULTS.iter().find(|(name, _)| *name == kind).context("there is no such fault")?;
        let mut bench = Bench::new()?;
        // Others on the way, so that it is not the only launch.
        bench.store(None).0?;
        let (launched, text, line) = fault(&mut bench, wrong)?;
        if wrong { told(launched, &text, line) } else { Ok(launched?) }
    };
    for wrong in [false, true] {
        match run(wrong) {
            Ok(()) => println!("ok"),
            Err(error) => println!("{}", format!("{error:#}").replace('\n', " ")),
        }
    }
    ExitCode::SUCCESS
}

fn in_a_child(kind: &str) -> Result<Vec<String>> {
    let output = Command::new(std::env::current_exe()?).args([CHILD, kind]).output()?;
    ensure!(output.status.success(), "{}: {}", output.status, String::from_utf8_lossy(&output.stderr));
    Ok(String::from_utf8(output.stdout)?.lines().map(str::to_owned).collect())
}
