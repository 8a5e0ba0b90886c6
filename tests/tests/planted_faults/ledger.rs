//! Memory that nobody frees.

use std::collections::BTreeMap;
use std::ptr::NonNull;

use anyhow::{Result, ensure};
use fastrand::Rng;
use warpcall::diagnose::{Amount, Ledger};
use warpcall::{Buffer, DevicePtr, Gpu, PinnedBuffer};

use super::{Place, Tally, Tool, hundred};

pub(crate) const TOOL: Tool = Tool { name: "ledger", seeds: hundred, run };

fn run(place: Place, seed: u64, tally: &mut Tally) {
    tally.planted(program(place, seed, true));
    tally.correct(program(place, seed, false));
}

/// Memory, owned or not.
enum Memory {
    Buffer(Buffer<u8>),
    Pinned(PinnedBuffer<u8>),
    Raw(DevicePtr),
    RawPinned(NonNull<u8>),
}

/// Memory of one of seven places, with its line and its kind. The raw ones are those that can be forgotten.
fn allocate(gpu: &Gpu, bytes: usize, place: u8) -> Result<(Memory, u32, &'static str)> {
    Ok(match place {
        0 => (Memory::Raw(gpu.backend().allocate(bytes)?), line!(), "device"),
        1 => (Memory::Raw(gpu.backend().allocate(bytes)?), line!(), "device"),
        2 => (Memory::Raw(gpu.backend().allocate_managed(bytes)?), line!(), "managed"),
        3 => (Memory::RawPinned(gpu.backend().allocate_pinned(bytes)?), line!(), "pinned"),
        4 => (Memory::Buffer(gpu.zeros(bytes)?), line!(), "device"),
        5 => (Memory::Buffer(gpu.managed(bytes)?), line!(), "managed"),
        _ => (Memory::Pinned(gpu.pinned(bytes)?), line!(), "pinned"),
    })
}

fn free(gpu: &Gpu, memory: Memory) -> Result<()> {
    match memory {
        Memory::Buffer(buffer) => buffer.free()?,
        Memory::Pinned(pinned) => pinned.free()?,
        // SAFETY: nothing uses it.
        Memory::Raw(ptr) => unsafe { gpu.backend().free(ptr)? },
        // SAFETY: as above.
        Memory::RawPinned(ptr) => unsafe { gpu.backend().free_pinned(ptr)? },
    }
    Ok(())
}

/// Allocates and frees in any order, and forgets some of it where it `leaks`.
fn program(place: Place, seed: u64, leaks: bool) -> Result<()> {
    let mut random = Rng::with_seed(seed);
    let ledger = Ledger::new();
    let gpu = Gpu::builder().backend(place.open(seed)?).ledger(&ledger).open()?;
    let mut held = Vec::new();
    let mut forgotten: BTreeMap<(u32, &str), Amount> = BTreeMap::new();
    let (mut live, mut peak) = (0, 0);
    for step in 0..random.usize(10..40) {
        let bytes = random.usize(1..5000);
        let leaks_here = leaks && (step == 0 || random.u8(..8) == 0);
        let (memory, line, kind) = allocate(&gpu, bytes, random.u8(..if leaks_here { 4 } else { 7 }))?;
        live += bytes;
        peak = peak.max(live);
        if leaks_here {
            let amount = forgotten.entry((line, kind)).or_default();
            (amount.count, amount.bytes) = (amount.count + 1, amount.bytes + bytes);
        } else {
            held.push((memory, bytes));
        }
        if random.bool() && !held.is_empty() {
            let (memory, bytes) = held.swap_remove(random.usize(..held.len()));
            free(&gpu, memory)?;
            live -= bytes;
        }
    }
    held.into_iter().try_for_each(|(memory, _)| free(&gpu, memory))?;
    let report = ledger.report();
    let here = report.sites.iter().all(|site| site.location.file() == file!());
    let sites: BTreeMap<_, _> =
        report.sites.iter().map(|site| ((site.location.line(), site.memory.as_str()), site.live)).collect();
    ensure!(
        here && sites == forgotten && report.sites.len() == sites.len() && report.peak_bytes == peak,
        "forgotten: {forgotten:?}, at most {peak} bytes at once; but {report}"
    );
    ensure!(
        report.sites.is_sorted_by(|a, b| a.live.bytes >= b.live.bytes),
        "not the largest first: {report}"
    );
    drop(gpu);
    let swept = ledger.report().swept;
    let count = forgotten.values().map(|amount| amount.count).sum();
    let bytes = forgotten.values().map(|amount| amount.bytes).sum();
    ensure!(swept == Amount { count, bytes }, "{bytes} bytes of {count} were forgotten; freed: {swept}");
    Ok(())
}
