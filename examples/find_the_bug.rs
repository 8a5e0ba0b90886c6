//! Eight bugs of programs that launch kernels, each found by the tool for its kind.
//!
//! `cargo run --example find_the_bug` plants all of them, on the first CUDA device, or on the host where there is none, and prints
//! what each tool says. `cargo run --example find_the_bug leak` plants one. The page `warpcall::diagnose::guide` goes through
//! them from symptom to tool.

use std::process::Command;

use anyhow::{Context as _, Result, bail, ensure};
use warpcall::diagnose::trace::{ArgumentHistory, Trace};
use warpcall::diagnose::{CallKind, Faults, Hazards, Ledger, RedZones};
use warpcall::{Buffer, Gpu, LaunchConfig, kernel};

#[kernel(module = "find_the_bug", source = "cuda/find_the_bug.cu", image = "ptx/find_the_bug.ptx")]
unsafe extern "C" {
    #[host(host::scale)]
    unsafe fn scale(output: *mut f32, input: *const f32, factor: f32, n: u32);

    /// Writes one element too many.
    #[host(host::scale_too_far)]
    unsafe fn scale_too_far(output: *mut f32, input: *const f32, factor: f32, n: u32);

    /// Reads one element too many.
    #[host(host::smooth)]
    unsafe fn smooth(output: *mut f32, input: *const f32, n: u32);

    /// Stops where a token is not below `vocabulary`.
    #[host(host::look_up)]
    unsafe fn look_up(output: *mut f32, table: *const f32, tokens: *const u32, vocabulary: u32, n: u32);
}

/// What the host backend runs in the kernels' place, with the same bugs.
mod host {
    pub(super) fn scale(output: &mut [f32], input: &[f32], factor: f32, n: u32) {
        for (output, input) in output.iter_mut().zip(input).take(n as usize) {
            *output = factor * input;
        }
    }

    pub(super) fn scale_too_far(output: &mut [f32], input: &[f32], factor: f32, n: u32) {
        scale(output, input, factor, n);
        // SAFETY: the program that calls this has a band there.
        unsafe { output.as_mut_ptr().add(n as usize).write_unaligned(factor) };
    }

    pub(super) fn smooth(output: &mut [f32], input: &[f32], n: u32) {
        for index in 0..n as usize {
            // SAFETY: the program that calls this has a band after the last.
            let next = unsafe { input.as_ptr().add(index + 1).read_unaligned() };
            output[index] = 0.5 * (input[index] + next);
        }
    }

    pub(super) fn look_up(output: &mut [f32], table: &[f32], tokens: &[u32], vocabulary: u32, n: u32) {
        for (output, token) in output.iter_mut().zip(tokens).take(n as usize) {
            assert!(*token < vocabulary, "token {token} is none of {vocabulary}");
            *output = table[*token as usize];
        }
    }
}

const N: u32 = 1000;
const ELEMENTS: usize = N as usize;

fn threads() -> LaunchConfig {
    LaunchConfig::for_elements(N, 256)
}

/// A bug: its name, its symptom, and the program that has it and returns what the tool says.
type Bug = (&'static str, &'static str, fn() -> Result<String>);

const BUGS: &[Bug] = &[
    ("overrun", "another tensor changes for no reason", overrun),
    ("overread", "a result is wrong now and then, and never under a debugger", overread),
    ("race", "results differ from run to run", race),
    ("frozen", "a model repeats itself once it runs from a graph", frozen),
    ("leak", "memory runs out after hours", leak),
    ("lookup", "a target runs the slow path and nobody knows", lookup),
    ("error-path", "an error is followed by a crash", error_path),
    // Last, since on a device it ends the context of its process.
    ("fault", "an illegal address, reported by a call that has nothing to do with it", fault_in_a_child),
];

fn main() -> Result<()> {
    let wanted = std::env::args().nth(1);
    if wanted.as_deref() == Some("fault-itself") {
        println!("{}", fault()?);
        return Ok(());
    }
    let mut found = 0;
    for (name, symptom, plant) in
        BUGS.iter().filter(|bug| wanted.as_deref().is_none_or(|wanted| wanted == bug.0))
    {
        let said = plant().with_context(|| format!("the bug `{name}`"))?;
        println!("{name}: {symptom}\n    {}\n", said.replace('\n', "\n    "));
        found += 1;
    }
    ensure!(
        found > 0,
        "there is no such bug; there are {}",
        BUGS.iter().map(|bug| bug.0).collect::<Vec<_>>().join(", ")
    );
    println!("{found} bugs planted, {found} found");
    Ok(())
}

/// A kernel writes past the end of its output. Red zones name the allocation and the bytes.
fn overrun() -> Result<String> {
    let zones = RedZones::new(256)?;
    let gpu = Gpu::builder().available().red_zones(&zones).open()?;
    let stream = gpu.create_stream()?;
    let input = gpu.upload(&[1.0_f32; ELEMENTS])?;
    let mut output = gpu.zeros::<f32>(ELEMENTS)?;
    // SAFETY: what it writes too much is a band.
    unsafe { launch_scale_too_far(&stream, threads(), &mut output, &input, 2.0, N)? };
    let found = zones.scan(&gpu)?;
    let [overrun] = &found[..] else { bail!("one overrun was planted, and {} were found", found.len()) };
    ensure!((overrun.first, overrun.bytes) == (4 * i64::from(N), 4 * ELEMENTS), "{overrun}");
    Ok(overrun.to_string())
}

/// A kernel reads past the end of its input. No byte changes; but the result changes with the bands of one allocation.
fn overread() -> Result<String> {
    // Which of eight inputs? Three runs tell.
    let (mut low, mut high) = (1, 9);
    while high - low > 1 {
        let middle = u64::midpoint(low, high);
        let zones = RedZones::new(256)?.poison_new(low..middle, RedZones::POISON);
        let gpu = Gpu::builder().available().red_zones(&zones).open()?;
        if smoothed(&gpu)?.iter().any(|value| value.is_nan()) { high = middle } else { low = middle }
    }
    ensure!(low == 6, "the sixth input is read past its end, and {low} was found");
    Ok(format!("the result is not a number when the bands of allocation {low} are poisoned, and of no other"))
}

/// Smooths the sixth of eight inputs; the others are scaled.
fn smoothed(gpu: &Gpu) -> Result<Vec<f32>> {
    let stream = gpu.create_stream()?;
    let inputs: Vec<Buffer<f32>> = (0..8).map(|_| gpu.zeros(ELEMENTS)).collect::<warpcall::Result<_>>()?;
    let mut output = gpu.zeros::<f32>(ELEMENTS)?;
    let mut result = vec![0.0; ELEMENTS];
    for (index, input) in inputs.iter().enumerate() {
        // SAFETY: what is read too much is a band.
        unsafe {
            match index {
                5 => launch_smooth(&stream, threads(), &mut output, input, N)?,
                _ => launch_scale(&stream, threads(), &mut output, input, 2.0, N)?,
            }
        }
        result.iter_mut().zip(output.to_vec(&stream)?).for_each(|(sum, value)| *sum += value);
    }
    Ok(result)
}

/// A consumer on another stream does not wait for its producer. The hazard check names both, and what is missing.
fn race() -> Result<String> {
    let hazards = Hazards::new();
    let gpu = Gpu::builder().available().hazards(&hazards).open()?;
    let (producer, consumer) = (gpu.create_stream()?, gpu.create_stream()?);
    let input = gpu.upload(&[1.0_f32; ELEMENTS])?;
    let (mut middle, mut output) = (gpu.zeros::<f32>(ELEMENTS)?, gpu.zeros::<f32>(ELEMENTS)?);
    // SAFETY: each kernel stays within its buffers, which live until both streams are done.
    unsafe {
        launch_scale(&producer, threads(), &mut middle, &input, 2.0, N)?;
        // `consumer.wait_for(&producer)?` is missing.
        launch_scale(&consumer, threads(), &mut output, &middle, 3.0, N)?;
    }
    gpu.synchronize()?;
    let found = hazards.reports();
    let [hazard] = &found[..] else { bail!("one race was planted, and {} were found", found.len()) };
    ensure!((hazard.earlier.parameter, hazard.later.parameter) == ("output", "input"), "{hazard}");
    Ok(hazard.to_string())
}

/// A step counter is passed by value, so that the graph keeps the one it was captured with.
fn frozen() -> Result<String> {
    let trace = Trace::default();
    let gpu = Gpu::builder().available().trace(&trace).open()?;
    let stream = gpu.create_stream()?;
    let input = gpu.upload(&[1.0_f32; ELEMENTS])?;
    let mut output = gpu.zeros::<f32>(ELEMENTS)?;
    let step = |stream: &_, output: &mut Buffer<f32>, step: u8| {
        // SAFETY: the kernel stays within its buffers, which outlive the graph.
        unsafe { launch_scale(stream, threads(), output, &input, f32::from(step), N) }
    };
    for number in 0..3 {
        trace.mark("step");
        step(&stream, &mut output, number)?;
    }
    let eager = ArgumentHistory::of(&trace.take().steps("step"));
    let graph = stream.capture(|stream| step(stream, &mut output, 0))?;
    for _ in 0..3 {
        trace.mark("step");
        // SAFETY: as above.
        unsafe { graph.launch(&stream)? };
    }
    stream.synchronize()?;
    let replayed = ArgumentHistory::of(&trace.take().steps("step"));
    let found: Vec<String> = replayed.frozen(&eager).map(ToString::to_string).collect();
    ensure!(found.len() == 1 && found[0].contains("factor"), "`factor` is frozen, and {found:?} was found");
    Ok(found.concat())
}

/// Memory is allocated by hand and forgotten. The ledger names the line.
fn leak() -> Result<String> {
    let ledger = Ledger::new();
    let gpu = Gpu::builder().available().ledger(&ledger).open()?;
    for _ in 0..10 {
        gpu.zeros::<f32>(ELEMENTS)?;
        gpu.backend().allocate(4096)?;
    }
    let report = ledger.report();
    ensure!((report.sites.len(), report.live.bytes) == (1, 40960), "{report}");
    drop(gpu);
    Ok(ledger.report().to_string().replace("live: 0 bytes", &format!("{report}\nthen: 0 bytes")))
}

/// A kernel's name has a mistake, and the program falls back to another. The audit knows what was asked for and where.
fn lookup() -> Result<String> {
    let gpu = Gpu::builder().available().open()?;
    gpu.register_kernels(&[&SCALE])?;
    let _fast =
        gpu.find_kernel("find_the_bug", "scael").or_else(|_| gpu.find_kernel("find_the_bug", "scale"))?;
    let Err(error) = gpu.lookup_audit().check() else { bail!("a look-up failed") };
    Ok(error.to_string())
}

/// A cache that keeps what it could not fill. Each call that fails in turn shows which error the program does not survive.
fn error_path() -> Result<String> {
    struct Cache(Option<Buffer<f32>>);

    fn fill(gpu: &Gpu, cache: &mut Cache) -> warpcall::Result<()> {
        let stream = gpu.default_stream();
        // Wrong: what was put here stays when the copy fails.
        let values = cache.0.insert(gpu.zeros(ELEMENTS)?);
        values.copy_from_host(&stream, &[1.0; ELEMENTS])
    }

    let runs = Faults::each_in_turn(
        |faults| Gpu::builder().available().faults(faults).open(),
        |gpu| {
            let mut cache = Cache(None);
            let filled = fill(&gpu, &mut cache);
            let sum = match &cache.0 {
                Some(values) => values.to_vec(&gpu.default_stream())?.iter().sum(),
                None => 0.0,
            };
            match filled {
                Err(_) if cache.0.is_some() => {
                    Err(anyhow::anyhow!("the cache counts as filled, with the sum {sum}").into())
                }
                _ => Ok(()),
            }
        },
    )?;
    let wrong: Vec<String> = runs
        .iter()
        .filter_map(|run| Some((run.call, run.result.as_ref().err()?.to_string())))
        .filter(|(_, error)| error.starts_with("the cache"))
        .map(|(call, error)| format!("when {call} fails, {error}"))
        .collect();
    ensure!(wrong.len() == 1 && wrong[0].contains(CallKind::CopyToDeviceAsync.name()), "{wrong:?}");
    Ok(wrong.concat())
}

/// A token is none of the vocabulary, and the kernel stops.
fn fault() -> Result<String> {
    // The host finds it at the launch by itself, unless it runs late as a device does.
    let is_host = Gpu::builder().available().open()?.kind() == "host";
    let builder = if is_host { Gpu::builder().host_delayed() } else { Gpu::builder().available() };
    let gpu = builder.sync_check().open()?;
    let stream = gpu.create_stream()?;
    let table = gpu.upload(&[0.5_f32; 100])?;
    let tokens = gpu.upload(&[7_u32, 99, 100])?;
    let mut output = gpu.zeros::<f32>(3)?;
    // SAFETY: the kernel stops before it reads outside the table.
    let launched =
        unsafe { launch_look_up(&stream, LaunchConfig::new(1, 32), &mut output, &table, &tokens, 100, 3) };
    let Err(error) = launched else { bail!("the kernel stops") };
    ensure!(error.to_string().contains("look_up") && error.to_string().contains("vocabulary=100"), "{error}");
    Ok(error.to_string())
}

/// On a device, a fault ends the context, so it has a process of its own.
fn fault_in_a_child() -> Result<String> {
    let child = Command::new(std::env::current_exe()?).arg("fault-itself").output()?;
    ensure!(child.status.success(), "{}", String::from_utf8_lossy(&child.stderr));
    Ok(String::from_utf8(child.stdout)?.trim_end().into())
}
