//! Two runs of a program that differ in one thing, and values that a graph keeps.

use std::mem::replace;

use anyhow::{Context as _, Result, bail, ensure};
use fastrand::Rng;
use warpcall::diagnose::Trace;
use warpcall::diagnose::trace::{ArgumentHistory, Diff, Record, Recording};
use warpcall::{Buffer, DevicePtr, Dim3, Gpu, LaunchConfig, Stream};

use super::kernels::{Tile, launch_project, launch_step};
use super::{Place, Tally, Tool, hundred};

pub(crate) const DIFF: Tool = Tool { name: "trace diff", seeds: hundred, run: run_diff };
pub(crate) const FROZEN: Tool = Tool { name: "frozen values", seeds: hundred, run: run_frozen };

const STREAMS: usize = 3;
const BUFFERS: usize = 4;
const LENGTH: usize = 64;

/// One launch.
#[derive(Clone, Debug)]
struct Call {
    projects: bool,
    config: LaunchConfig,
    /// The stream and the buffers by number, and an offset in elements.
    stream: usize,
    output: (usize, usize),
    input: usize,
    bias: Option<usize>,
    n: u32,
    eps: f32,
    causal: bool,
    /// No two calls have the same.
    seed: u64,
    position: i32,
    tile: Tile,
}

impl Call {
    fn random(random: &mut Rng) -> Self {
        let output = random.usize(..BUFFERS);
        Self {
            projects: random.bool(),
            config: LaunchConfig::new(random.u32(1..9), 32 * random.u32(1..9))
                .shared_mem(16 * random.u32(..9)),
            stream: random.usize(..STREAMS),
            output: (output, random.usize(..LENGTH)),
            input: another(random, output, BUFFERS),
            bias: random.bool().then(|| another(random, output, BUFFERS)),
            n: random.u32(..),
            eps: random.f32(),
            causal: random.bool(),
            seed: random.u64(..),
            position: random.i32(..),
            tile: Tile { scale: random.f32(), interleaved: random.bool(), dims: [random.u32(..), 1] },
        }
    }

    fn launch(&self, stream: &Stream, buffers: &mut [Buffer<f32>]) -> warpcall::Result<()> {
        let pointers: Vec<_> = buffers.iter().map(Buffer::device_ptr).collect();
        let (buffer, offset) = self.output;
        let mut output = pointers[buffer].byte_add(4 * offset);
        let (input, bias) =
            (&pointers[self.input], &self.bias.map_or(DevicePtr::NULL, |bias| pointers[bias]));
        let Self { config, n, eps, causal, seed, position, tile, .. } = *self;
        // SAFETY: the kernels do nothing.
        unsafe {
            if self.projects {
                launch_project(stream, config, &mut output, input, bias, n, eps, causal, seed, position, tile)
            } else {
                launch_step(stream, config, &mut output, input, bias, n, eps, causal, seed, position, tile)
            }
        }
    }
}

/// A number below `count` that is not this one.
fn another(random: &mut Rng, number: usize, count: usize) -> usize {
    (number + random.usize(1..count)) % count
}

/// What the calls use, and the trace of it.
struct Machine {
    trace: Trace,
    gpu: Gpu,
    streams: Vec<Stream>,
    buffers: Vec<Buffer<f32>>,
}

impl Machine {
    fn new(place: Place, seed: u64) -> Result<Self> {
        let trace = Trace::default();
        let gpu = Gpu::builder().backend(place.open(seed)?).trace(&trace).open()?;
        let streams = (0..STREAMS).map(|_| gpu.create_stream()).collect::<warpcall::Result<_>>()?;
        let buffers = (0..BUFFERS).map(|_| gpu.zeros(LENGTH)).collect::<warpcall::Result<_>>()?;
        let mut machine = Self { trace, gpu, streams, buffers };
        // Each kernel is looked up before what is compared.
        for projects in [false, true] {
            machine.launch(&Call { projects, ..Call::random(&mut Rng::with_seed(seed)) })?;
        }
        Ok(machine)
    }

    fn launch(&mut self, call: &Call) -> Result<()> {
        Ok(call.launch(&self.streams[call.stream], &mut self.buffers)?)
    }
}

/// The trace of a run, and what keeps its addresses from the next.
fn traced(place: Place, seed: u64, calls: &[Call]) -> Result<(Recording, Machine)> {
    let mut machine = Machine::new(place, seed)?;
    calls.iter().try_for_each(|call| machine.launch(call))?;
    machine.gpu.synchronize()?;
    Ok((machine.trace.recording(), machine))
}

fn run_diff(place: Place, seed: u64, tally: &mut Tally) {
    let mut random = Rng::with_seed(seed);
    let count = random.usize(4..30);
    let before: Vec<Call> = (0..count).map(|_| Call::random(&mut random)).collect();
    let (after, difference) = changed(&mut random, &before);
    let compare = |after: &[Call]| -> Result<Diff> {
        let (first, _keeps_its_addresses) = traced(place, seed, &before)?;
        let (second, _) = traced(place, seed, after)?;
        Ok(first.diff(&second))
    };
    tally.planted(compare(&after).and_then(|diff| difference.is_told(&diff)));
    tally.correct(compare(&before).and_then(|diff| {
        ensure!(diff.is_empty(), "{diff}");
        Ok(())
    }));
}

/// The one thing that differs, with the seed of its call.
#[derive(Debug)]
enum Difference {
    Changed { call: u64, what: &'static str, before: String, after: String },
    Missing(u64),
    Added(u64),
    Moved(u64),
}

/// The calls with one difference.
fn changed(random: &mut Rng, calls: &[Call]) -> (Vec<Call>, Difference) {
    let mut calls = calls.to_vec();
    let at = random.usize(..calls.len());
    let call = &mut calls[at];
    let other = Call::random(random);
    let memory = |(buffer, offset): (usize, usize)| format!("#{}+{}", buffer + 1, 4 * offset);
    let (what, before, after) = match random.u8(..16) {
        0 => {
            let removed = calls.remove(at);
            return (calls, Difference::Missing(removed.seed));
        }
        1 => {
            let added = other.seed;
            calls.insert(at, other);
            return (calls, Difference::Added(added));
        }
        2 => {
            // Past two others at least, so that it is this one that has moved and not its neighbour.
            let moved = calls.remove(0);
            let seed = moved.seed;
            calls.insert(random.usize(2..=calls.len()), moved);
            return (calls, Difference::Moved(seed));
        }
        3 => ("`n`", take(&mut call.n, other.n), other.n.to_string()),
        4 => ("`eps`", format!("{:?}", replace(&mut call.eps, other.eps)), format!("{:?}", other.eps)),
        5 => {
            call.causal = !call.causal;
            ("`causal`", (!call.causal).to_string(), call.causal.to_string())
        }
        6 => ("`position`", take(&mut call.position, other.position), other.position.to_string()),
        7 => {
            let (tile, scale) = (&mut call.tile, other.tile.scale);
            ("`tile.scale`", format!("{:?}", replace(&mut tile.scale, scale)), format!("{scale:?}"))
        }
        8 => {
            let grid = Dim3::from(call.config.grid.x + 1);
            ("grid", replace(&mut call.config.grid, grid).to_string(), grid.to_string())
        }
        9 => {
            let block = Dim3::from(call.config.block.x + 32);
            ("block", replace(&mut call.config.block, block).to_string(), block.to_string())
        }
        10 => {
            let bytes = call.config.shared_mem + 16;
            ("shared memory", take(&mut call.config.shared_mem, bytes), bytes.to_string())
        }
        11 => {
            let stream = another(random, call.stream, STREAMS);
            ("stream", (replace(&mut call.stream, stream) + 1).to_string(), (stream + 1).to_string())
        }
        12 => {
            let output = (another(random, call.output.0, BUFFERS), call.output.1);
            ("`output`", memory(replace(&mut call.output, output)), memory(output))
        }
        13 => {
            let output = (call.output.0, another(random, call.output.1, LENGTH));
            ("`output`", memory(replace(&mut call.output, output)), memory(output))
        }
        14 => {
            let input = another(random, call.input, BUFFERS);
            ("`input`", memory((replace(&mut call.input, input), 0)), memory((input, 0)))
        }
        _ => {
            let of = |bias: Option<usize>| bias.map_or_else(|| "null".into(), |bias| memory((bias, 0)));
            let bias = if call.bias.is_some() { None } else { Some(call.input) };
            ("`bias`", of(replace(&mut call.bias, bias)), of(bias))
        }
    };
    let call = calls[at].seed;
    (calls, Difference::Changed { call, what, before, after })
}

fn take<T: std::fmt::Display>(place: &mut T, value: T) -> String {
    replace(place, value).to_string()
}

impl Difference {
    /// It is told, by name and with both values, and nothing else is.
    fn is_told(&self, diff: &Diff) -> Result<()> {
        let changes: Vec<_> = diff.changed().map(|pair| (seed_of(&pair.after), &pair.changes[..])).collect();
        let told = match (self, &changes[..], &diff.missing[..], &diff.added[..]) {
            (Self::Changed { call, what, before, after }, [(seed, [change])], [], []) => {
                (seed, &*change.what, &change.before, &change.after) == (call, *what, before, after)
                    && diff.moved().next().is_none()
            }
            (Self::Missing(call), [], [missing], []) => {
                seed_of(missing) == *call && diff.moved().next().is_none()
            }
            (Self::Added(call), [], [], [added]) => seed_of(added) == *call && diff.moved().next().is_none(),
            (Self::Moved(call), [], [], []) => diff.moved().map(|pair| seed_of(&pair.after)).eq([*call]),
            _ => false,
        };
        ensure!(told, "{self:?}; but {diff}");
        Ok(())
    }
}

fn seed_of(record: &Record) -> u64 {
    record.argument("seed").and_then(|seed| seed.value.to_string().parse().ok()).unwrap_or(0)
}

/// An argument that changes from step to step: which call of a step, and its name.
type Changing = (usize, &'static str);

fn run_frozen(place: Place, seed: u64, tally: &mut Tally) {
    let mut random = Rng::with_seed(seed);
    let step: Vec<Call> = (0..random.usize(1..8)).map(|_| Call::random(&mut random)).collect();
    let names = ["n", "eps", "causal", "position", "tile.scale"];
    let mut changing: Vec<Changing> = (0..step.len())
        .flat_map(|call| names.map(|name| (call, name)))
        .filter(|_| random.u8(..4) == 0)
        .collect();
    if changing.is_empty() {
        changing.push((0, names[random.usize(..names.len())]));
    }
    tally.planted(frozen(place, seed, &step, &changing, false).and_then(|found| {
        let name = |call: &Call| if call.projects { "project" } else { "step" };
        let mut expected: Vec<_> = changing
            .iter()
            .map(|(call, argument)| {
                let same = |one: &&Call| one.projects == step[*call].projects;
                (
                    name(&step[*call]).to_owned(),
                    step[..*call].iter().filter(same).count(),
                    (*argument).to_owned(),
                )
            })
            .collect();
        expected.sort();
        ensure!(found == expected, "{expected:?}; but {found:?}");
        Ok(())
    }));
    // Nothing changes by value; or each step is captured anew, with what changes.
    let correct = match seed % 2 {
        0 => frozen(place, seed, &step, &[], false),
        _ => frozen(place, seed, &step, &changing, true),
    };
    tally.correct(correct.and_then(|found| {
        ensure!(found.is_empty(), "{found:?}");
        Ok(())
    }));
}

/// Runs some steps launch by launch, and some from a graph. What the tool calls frozen: kernel, occurrence and argument.
fn frozen(
    place: Place,
    seed: u64,
    step: &[Call],
    changing: &[Changing],
    anew: bool,
) -> Result<Vec<(String, usize, String)>> {
    const STEPS: u8 = 3;
    let mut machine = Machine::new(place, seed)?;
    machine.trace.take();
    for number in 0..STEPS {
        machine.trace.mark("step");
        at_step(step, changing, number)?.iter().try_for_each(|call| machine.launch(call))?;
    }
    let eager = ArgumentHistory::of(&machine.trace.take().steps("step"));
    let stream = machine.gpu.create_stream()?;
    let mut graph = None;
    for number in 0..STEPS {
        machine.trace.mark("step");
        if graph.is_none() || anew {
            let calls = at_step(step, changing, number)?;
            let buffers = &mut machine.buffers;
            graph = Some(
                stream.capture(|stream| calls.iter().try_for_each(|call| call.launch(stream, buffers)))?,
            );
        }
        // SAFETY: the kernels do nothing.
        unsafe { graph.as_ref().context("it was captured")?.launch(&stream)? };
        stream.synchronize()?;
    }
    let replayed = ArgumentHistory::of(&machine.trace.take().steps("step"));
    let mut found: Vec<_> = replayed
        .frozen(&eager)
        .map(|argument| (argument.launch.name.to_string(), argument.occurrence, argument.name.clone()))
        .collect();
    found.sort();
    Ok(found)
}

/// The calls of a step, with what changes.
fn at_step(step: &[Call], changing: &[Changing], number: u8) -> Result<Vec<Call>> {
    let mut calls = step.to_vec();
    for &(call, name) in changing {
        let call = &mut calls[call];
        match name {
            "n" => call.n = number.into(),
            "eps" => call.eps = number.into(),
            "causal" => call.causal = number % 2 == 1,
            "position" => call.position = number.into(),
            "tile.scale" => call.tile.scale = number.into(),
            other => bail!("no argument is called {other}"),
        }
    }
    Ok(calls)
}
