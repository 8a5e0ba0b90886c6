//! A thousand times: open, work, close. What was taken is given back, on the device and on the host backend.

mod cuda_support;

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use cuda_support::{cuda_or_skip, say};
use warpcall::backend::DeviceMemory as _;
use warpcall::{Gpu, LaunchConfig, Result, kernel};

const CYCLES: usize = 1000;
/// Cycles before memory is looked at: what is allocated once for a process is there by then.
const WARM_UP: usize = 10;
const ELEMENTS: u32 = 1 << 18;

/// What the driver may keep of a thousand cycles, in bytes: one of the pieces of 2 MiB in which it takes memory from the
/// device. A cycle allocates 1 MiB, so what leaks even in one of hundred cycles shows.
const KEPT_BY_THE_DRIVER: usize = 2 << 20;
/// What the driver may keep when the device's context itself is made and destroyed, which takes hundreds of megabytes.
const KEPT_BY_CONTEXTS: usize = 16 << 20;
/// What the host's allocator may keep of a thousand cycles, of more than 2 GiB that they take and give back.
const KEPT_BY_THE_HOST: usize = 64 << 20;

/// Held by each test, so that none sees another's memory.
static ALONE: Mutex<()> = Mutex::new(());

#[kernel(module = "test", image = "tests/cuda_support/kernels.ptx")]
unsafe extern "C" {
    /// `values[i] = value` for every `i < n`.
    #[host(fill_on_the_host)]
    unsafe fn fill(values: *mut u32, n: u32, value: u32);
}

fn fill_on_the_host(values: &mut [u32], n: u32, value: u32) {
    values[..n as usize].fill(value);
}

/// Works with one of everything that a device gives, and gives it back.
fn work(gpu: &Gpu, value: u32) -> Result<()> {
    let (stream, side) = (gpu.create_stream()?, gpu.create_stream_with_priority(0)?);
    let (start, end) = (gpu.create_timing_event()?, gpu.create_timing_event()?);
    let marked = gpu.create_event()?;
    let mut values = gpu.zeros::<u32>(ELEMENTS as usize)?;
    let copy = gpu.upload(&[value; 1000])?;
    let mut pinned = gpu.pinned::<u32>(ELEMENTS as usize)?;
    pinned.fill(value + 1);

    let config = LaunchConfig::for_elements(ELEMENTS, 256);
    // SAFETY: as many values as there are.
    let graph =
        stream.capture(|stream| unsafe { launch_fill(stream, config, &mut values, ELEMENTS, value + 2) })?;
    stream.record(&start)?;
    // SAFETY: the values are there until the end of this function, which waits for the stream.
    unsafe { graph.launch(&stream)? };
    values.slice_mut(..1000)?.copy_from_device(&stream, &copy)?;
    values.slice_mut(1000..2000)?.copy_from_host(&stream, &pinned[1000..2000])?;
    // SAFETY: as many values as the slice has.
    unsafe {
        launch_fill(
            &stream,
            LaunchConfig::for_elements(1000, 128),
            &mut values.slice_mut(2000..3000)?,
            1000,
            value + 3,
        )?;
    }
    stream.record(&end)?;
    stream.record(&marked)?;
    side.wait(&marked)?;
    let found = values.to_vec(&side)?;
    for (range, expected) in
        [(0..1000, value), (1000..2000, value + 1), (2000..3000, value + 3), (3000..found.len(), value + 2)]
    {
        assert!(found[range.clone()].iter().all(|found| *found == expected), "{range:?}, cycle {value}");
    }
    end.synchronize()?;
    assert!(end.elapsed_since(&start)? < Duration::from_secs(10));
    Ok(())
}

/// Opens a device, works, and closes it.
fn cycle(open: fn() -> Result<Gpu>, number: usize) {
    let gpu = open().expect("it opens");
    let value = u32::try_from(number).expect("a small number");
    work(&gpu, value).unwrap_or_else(|error| panic!("cycle {number}: {error}"));
    assert_eq!(gpu.failed_drop_count(), 0, "cycle {number}: {:?}", gpu.take_failed_drops());
    if gpu.kind() == "host" {
        let memory = gpu.memory_info().expect("the host answers");
        assert_eq!(memory.free, memory.total, "cycle {number}: all that was taken is given back");
    }
}

fn open_cuda() -> Result<Gpu> {
    Gpu::cuda(0)
}

fn open_host() -> Result<Gpu> {
    Gpu::host()
}

fn mebibytes(bytes: usize) -> f64 {
    f64::from(u32::try_from(bytes >> 10).unwrap_or(u32::MAX)) / 1024.0
}

#[test]
fn a_thousand_cycles_give_the_devices_memory_back() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    if cuda_or_skip().is_none() {
        return;
    }

    // With the context itself: nothing else holds it, so each cycle makes it and destroys it.
    let free_at_opening = |number| {
        let free = open_cuda().and_then(|gpu| gpu.memory_info()).expect("the device answers").baseline_free;
        cycle(open_cuda, number);
        free
    };
    let at_openings: Vec<usize> = (0..WARM_UP).map(free_at_opening).collect();
    let (before, after) = (at_openings[1], at_openings[WARM_UP - 1]);
    say(format_args!(
        "LIFETIME | cuda, context and all | {WARM_UP} cycles | free before {before}, after {after} bytes ({:.1} MiB, {:.1} MiB)",
        mebibytes(before),
        mebibytes(after)
    ));
    assert!(after + KEPT_BY_CONTEXTS >= before, "of {before} bytes that were free, {after} are left");

    // With a context that stays: what the backend itself takes.
    let outer = cuda_or_skip().expect("it was there before");
    for number in 0..WARM_UP {
        cycle(open_cuda, number);
    }
    let before = outer.memory_info().expect("the device answers").driver_free;
    for number in 0..CYCLES {
        cycle(open_cuda, number);
    }
    let after = outer.memory_info().expect("the device answers").driver_free;
    say(format_args!(
        "LIFETIME | cuda | {CYCLES} cycles | free before {before}, after {after} bytes ({:.1} MiB, {:.1} MiB)",
        mebibytes(before),
        mebibytes(after)
    ));
    assert!(after + KEPT_BY_THE_DRIVER >= before, "of {before} bytes that were free, {after} are left");
}

#[test]
fn a_thousand_cycles_give_the_hosts_memory_back() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    for number in 0..WARM_UP {
        cycle(open_host, number);
    }
    let before = resident();
    for number in 0..CYCLES {
        cycle(open_host, number);
    }
    let after = resident();
    match (before, after) {
        (Some(before), Some(after)) => {
            say(format_args!(
                "LIFETIME | host | {CYCLES} cycles | all memory given back in each; the process holds {before} bytes before, {after} after"
            ));
            assert!(after <= before + KEPT_BY_THE_HOST, "the process held {before} bytes, and {after} now");
        }
        _ => say(format_args!("LIFETIME | host | {CYCLES} cycles | all memory given back in each")),
    }
}

/// The memory of this process that is resident, in bytes; `None` where the system does not tell it in `/proc`.
fn resident() -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<usize>().ok().map(|kibibytes| kibibytes << 10)
}
