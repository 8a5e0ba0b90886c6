//! What is written over the bands around an allocation is found, and nothing else is.

// Small numbers, between the types that offsets have.
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    clippy::float_cmp
)]

use std::sync::Mutex;

use warpcall::diagnose::{CallKind, Faults, Ledger, RedZones, Side, Trace};
use warpcall::{Error, Gpu, LaunchConfig, MemoryProblem, Result, kernel};

const BAND: usize = 256;

fn open() -> (RedZones, Gpu) {
    let zones = RedZones::new(BAND).expect("the length is one");
    let gpu = Gpu::builder().host().red_zones(&zones).open().expect("the host opens");
    (zones, gpu)
}

#[kernel(module = "overrun")]
unsafe extern "C" {
    /// Writes `value` to the byte `offset` bytes from `memory`, wherever that is.
    #[host(poke_on_the_host)]
    unsafe fn poke(memory: *mut u8, offset: i64, value: u8);
}

fn poke_on_the_host(memory: &mut [u8], offset: i64, value: u8) {
    let at = memory.as_mut_ptr().wrapping_offset(offset as isize);
    // SAFETY: each test stays within the bands of the allocation.
    unsafe { at.write(value) };
}

/// Has a kernel write one byte, at `offset` bytes from the start of `memory`.
fn poke(gpu: &Gpu, memory: &mut warpcall::Buffer<u8>, offset: i64, value: u8) {
    // SAFETY: the byte lies in a band.
    unsafe { launch_poke(&gpu.default_stream(), LaunchConfig::new(1, 1), memory, offset, value) }
        .expect("the host launches");
}

#[kernel(module = "overrun")]
unsafe extern "C" {
    /// Asks one of [`ASKED`] on the host.
    #[host(ask_on_the_host)]
    unsafe fn ask(number: u32);

    /// Fails unless the memory has so many bytes.
    #[host(measure_on_the_host)]
    unsafe fn measure(memory: *const u8, bytes: u32);
}

/// What the host function asks, by the number that it is given.
static ASKED: Mutex<Vec<RedZones>> = Mutex::new(Vec::new());

fn ask_on_the_host(number: u32) {
    let zones = ASKED.lock().expect("no test panics with it")[number as usize].clone();
    assert!(zones.allocations() > 0 && zones.take_overruns().is_empty());
}

fn measure_on_the_host(memory: &[u8], bytes: u32) {
    assert_eq!(memory.len(), bytes as usize);
}

type Wait = fn(&RedZones, &Gpu, warpcall::Buffer<u8>) -> Result<()>;

#[test]
fn a_host_function_may_ask_while_the_layer_waits_for_it() -> Result<()> {
    let zones = RedZones::new(BAND)?;
    let gpu = Gpu::builder().host_delayed().red_zones(&zones).open()?;
    let number = {
        let mut asked = ASKED.lock().expect("no test panics with it");
        asked.push(zones.clone());
        asked.len() - 1
    };
    // Each of these does what is enqueued, with the lock that the host function wants if it were held.
    let wait: [Wait; 3] = [
        |_, _, memory| memory.free(),
        |_, gpu, memory| gpu.zeros::<u8>(4).map(|_| drop(memory)),
        |zones, gpu, _| zones.scan(gpu).map(drop),
    ];
    for wait in wait {
        let memory = gpu.zeros::<u8>(4)?;
        // SAFETY: the kernel uses no memory.
        unsafe { launch_ask(&gpu.default_stream(), LaunchConfig::new(1, 1), number as u32)? };
        wait(&zones, &gpu, memory)?;
        gpu.synchronize()?;
    }
    Ok(())
}

#[test]
fn red_zones_that_are_in_the_stack_twice_are_there_once() -> Result<()> {
    let zones = RedZones::new(BAND)?;
    let gpu = Gpu::builder().host().red_zones(&zones).red_zones(&zones).open()?;
    let mut memory = gpu.zeros::<u8>(100)?;
    let pinned = gpu.pinned::<u8>(10)?;
    assert_eq!(zones.allocations(), 2);
    poke(&gpu, &mut memory, 100, 1);
    assert_eq!(zones.scan(&gpu)?.len(), 1);
    zones.poison(&gpu, 1..2, RedZones::POISON)?;
    poke(&gpu, &mut memory, -1, 1);
    drop((memory, pinned));
    assert_eq!(zones.take_overruns().len(), 2);
    Ok(())
}

#[test]
fn each_of_two_red_zones_in_a_stack_is_looked_at() -> Result<()> {
    let (inner, outer) = (RedZones::new(BAND)?, RedZones::new(BAND)?);
    let gpu = Gpu::builder().host().red_zones(&inner).red_zones(&outer).open()?;
    let mut memory = gpu.zeros::<u8>(100)?;
    poke(&gpu, &mut memory, 100, 1);
    poke(&gpu, &mut memory, 100 + BAND as i64, 1);
    assert_eq!((inner.scan(&gpu)?.len(), outer.scan(&gpu)?.len()), (1, 1));
    // A raw pointer ends where the program's memory does, and not where that of the layer between does.
    // SAFETY: the kernel uses no memory.
    unsafe { launch_measure(&gpu.default_stream(), LaunchConfig::new(1, 1), &memory.device_ptr(), 100) }
}

#[test]
fn a_kernel_is_given_no_band_of_pinned_memory() -> Result<()> {
    let (zones, gpu) = open();
    let pinned = gpu.pinned::<u8>(100)?;
    let start = pinned.device_ptr()?;
    let measure = |from: warpcall::DevicePtr, bytes| {
        // SAFETY: the kernel uses no memory.
        unsafe { launch_measure(&gpu.default_stream(), LaunchConfig::new(1, 1), &from, bytes) }
    };
    for (offset, left) in [(0, 100), (40, 60), (100, 0)] {
        measure(start.byte_add(offset), left)?;
    }
    let refused = gpu.memset(start, warpcall::backend::Fill::Byte(0), 101).expect_err("it has 100 bytes");
    assert!(
        matches!(refused, Error::Memory { problem: MemoryProblem::OutOfBounds { length: 100, .. }, .. }),
        "{refused}"
    );
    let refused = gpu.memset(start, warpcall::backend::Fill::Byte(0), 100).expect_err("it is the host's");
    assert!(matches!(refused, Error::Memory { problem: MemoryProblem::Pinned, .. }), "{refused}");
    drop(pinned);
    assert_eq!(zones.take_overruns(), []);
    Ok(())
}

#[test]
fn a_raw_launch_is_given_no_band_either() -> Result<()> {
    let (_, gpu) = open();
    let kernel = MEASURE.resolve(&*gpu)?;
    let (memory, pinned) = (gpu.zeros::<u8>(100)?, gpu.pinned::<u8>(30)?);
    for (ptr, bytes) in [(memory.device_ptr(), 100_u32), (pinned.device_ptr()?, 30)] {
        let (mut address, mut bytes) = (ptr.address(), bytes);
        let params = [(&raw mut address).cast(), (&raw mut bytes).cast()];
        let (config, stream) = (LaunchConfig::new(1, 1), gpu.default_stream());
        // SAFETY: one pointer a parameter, to as many bytes as it has; the kernel uses no memory.
        unsafe { gpu.launch_raw(kernel, &config, stream.handle(), &params)? };
    }
    Ok(())
}

#[test]
fn closing_one_of_two_devices_on_a_backend_keeps_the_bands_of_the_other() -> Result<()> {
    let (zones, host) = (RedZones::new(BAND)?, std::sync::Arc::new(warpcall::HostBackend::new()));
    let open = || Gpu::builder().backend(host.clone()).red_zones(&zones).open();
    let (first, second) = (open()?, open()?);
    let mut memory = first.zeros::<u8>(10)?;
    drop(second);
    poke(&first, &mut memory, 10, 1);
    memory.free()?;
    assert_eq!(zones.take_overruns().len(), 1);
    Ok(())
}

#[test]
fn so_many_overruns_are_kept_and_no_more() -> Result<()> {
    let (zones, gpu) = open();
    for _ in 0..5000 {
        let mut memory = gpu.zeros::<u8>(1)?;
        poke(&gpu, &mut memory, 1, 1);
    }
    assert_eq!((zones.take_overruns().len(), zones.take_overruns().len()), (4096, 0));
    Ok(())
}

#[test]
fn each_byte_of_both_bands_is_watched() {
    let (zones, gpu) = open();
    for bytes in [1_usize, 100, 256, 1000] {
        let mut memory = gpu.zeros::<u8>(bytes).expect("there is memory");
        let end = bytes as i64;
        let offsets = [-(BAND as i64), -255, -2, -1, end, end + 1, end + 100, end + BAND as i64 - 1];
        for offset in offsets {
            poke(&gpu, &mut memory, offset, 0x11);
            let found = zones.scan(&gpu).expect("the host scans");
            let [overrun] = &*found else { panic!("{offset} of {bytes}: {found:?}") };
            let side = if offset < 0 { Side::Before } else { Side::After };
            assert_eq!((overrun.side, overrun.first, overrun.last), (side, offset, offset));
            assert_eq!((overrun.bytes, &*overrun.found), (bytes, &[0x11][..]));
            assert!(zones.scan(&gpu).expect("the host scans").is_empty(), "the band was written anew");
        }
        assert_eq!(zones.take_overruns().len(), offsets.len());
    }
    assert_eq!(zones.take_overruns(), []);
}

#[test]
fn every_byte_inside_may_be_written() {
    let (zones, gpu) = open();
    let mut memory = gpu.zeros::<u8>(300).expect("there is memory");
    for offset in 0..300 {
        poke(&gpu, &mut memory, offset, 0x11);
    }
    drop(memory);
    assert_eq!(zones.take_overruns(), []);
}

#[test]
fn freeing_looks_and_names_the_line_that_allocated() {
    let (zones, gpu) = open();
    let first = gpu.zeros::<u8>(8).expect("there is memory");
    let line = line!() + 1;
    let mut second = gpu.zeros::<u8>(8).expect("there is memory");
    poke(&gpu, &mut second, 9, 0);
    poke(&gpu, &mut second, 12, 0);
    drop((first, second));
    let found = zones.take_overruns();
    let [overrun] = &*found else { panic!("{found:?}") };
    assert_eq!((overrun.allocation, overrun.first, overrun.last), (2, 9, 12));
    assert_eq!((overrun.location.file(), overrun.location.line()), (file!(), line));
    assert_eq!(&*overrun.found, [0, 0xA5, 0xA5, 0], "what lies between is shown as it is");
    let text = overrun.to_string();
    assert!(text.contains("up to 5 bytes after it, bytes 9 to 12, which begin with 00 a5 a5 00"), "{text}");
}

#[test]
fn managed_and_pinned_memory_have_bands_too() {
    let (zones, gpu) = open();
    let mut managed = gpu.managed::<u8>(10).expect("there is memory");
    poke(&gpu, &mut managed, 10, 1);
    let mut pinned = gpu.pinned::<u8>(10).expect("there is memory");
    // SAFETY: the byte lies in the band before.
    unsafe { pinned.as_mut_ptr().sub(1).write(2) };
    let found = zones.scan(&gpu).expect("the host scans");
    assert_eq!(
        found.iter().map(|one| (one.memory.as_str(), one.first)).collect::<Vec<_>>(),
        [("managed", 10), ("pinned", -1)]
    );
    drop((managed, pinned));
    assert_eq!(zones.take_overruns(), found, "each was found once");
}

#[test]
fn memory_that_nobody_frees_is_looked_at_when_the_backend_closes() {
    let (zones, gpu) = open();
    let mut raw = gpu.backend().allocate(10).expect("there is memory");
    // SAFETY: the byte lies in the band.
    unsafe { launch_poke(&gpu.default_stream(), LaunchConfig::new(1, 1), &mut raw, 10, 1) }
        .expect("the host launches");
    drop(gpu);
    let found = zones.take_overruns();
    assert_eq!(found.iter().map(|one| (one.address, one.first)).collect::<Vec<_>>(), [(raw.address(), 10)]);
}

#[test]
fn copies_and_memsets_end_where_the_allocation_does() {
    let (_, gpu) = open();
    let memory = gpu.zeros::<u8>(10).expect("there is memory");
    let start = memory.device_ptr();
    let refused =
        gpu.memset(start, warpcall::backend::Fill::Byte(0), 11).expect_err("it reaches into the band");
    let Error::Memory { problem: MemoryProblem::OutOfBounds { start: named, length }, .. } = refused else {
        panic!("{refused}")
    };
    assert_eq!((named, length), (start, 10));
    for band in [start.byte_add(10), warpcall::DevicePtr::new(start.address() - 1)] {
        let refused = gpu.copy_to_host(&mut [0], band).expect_err("it is a band");
        assert!(matches!(refused, Error::Memory { problem: MemoryProblem::Unknown, .. }), "{refused}");
    }
    for inside in [start.byte_add(1), start.byte_add(10), warpcall::DevicePtr::new(start.address() - 256)] {
        // SAFETY: it is refused.
        let refused = unsafe { gpu.free(inside) }.expect_err("it is no start");
        assert!(matches!(refused, Error::Memory { problem: MemoryProblem::NotAStart, .. }), "{refused}");
    }
}

/// Reads one element past its end, as a stencil does without its border check.
#[kernel(module = "overread")]
unsafe extern "C" {
    #[host(sum_past_the_end)]
    unsafe fn sum(output: *mut f32, input: *const f32, n: u32);
}

fn sum_past_the_end(output: &mut [f32], input: &[f32], n: u32) {
    // SAFETY: the element lies in the band.
    output[0] = (0..=n as usize).map(|index| unsafe { input.as_ptr().add(index).read_unaligned() }).sum();
}

#[test]
fn halving_the_poisoned_range_finds_the_allocation_that_is_read_past() {
    const ALLOCATIONS: u64 = 16;
    const GUILTY: u64 = 11;
    let (mut low, mut high) = (1, 1 + ALLOCATIONS);
    let mut addresses = Vec::new();
    while high - low > 1 {
        let middle = low.midpoint(high);
        let (zones, gpu) = open();
        let inputs: Vec<_> =
            (0..ALLOCATIONS).map(|_| gpu.zeros::<f32>(4).expect("there is memory")).collect();
        let mut output = gpu.zeros::<f32>(1).expect("there is memory");
        zones.poison(&gpu, low..middle, RedZones::POISON).expect("the host writes");
        let guilty = &inputs[GUILTY as usize - 1];
        // SAFETY: what it reads too far is the band.
        unsafe { launch_sum(&gpu.default_stream(), LaunchConfig::new(1, 1), &mut output, guilty, 4) }
            .expect("the host launches");
        let is_poisoned = output.to_vec(&gpu.default_stream()).expect("it is there")[0].is_nan();
        addresses.push(guilty.device_ptr().address() - inputs[0].device_ptr().address());
        (low, high) = if is_poisoned { (low, middle) } else { (middle, high) };
        assert_eq!(zones.take_overruns(), [], "reading is no overrun, and neither is poisoning");
    }
    assert_eq!(low, GUILTY);
    assert!(addresses.windows(2).all(|pair| pair[0] == pair[1]), "nothing moves: {addresses:?}");
}

#[test]
fn a_trace_numbers_allocations_as_the_bands_do() -> Result<()> {
    let (zones, faults, trace) = (RedZones::new(BAND)?, Faults::new(), Trace::default());
    let gpu = Gpu::builder().host().faults(&faults).red_zones(&zones).trace(&trace).open()?;
    let _first = gpu.zeros::<u8>(8)?;
    let _none = gpu.backend().allocate(0);
    faults.fail(CallKind::Memset, 1);
    gpu.backend().allocate(8).expect_err("its bands are not written");
    faults.fail(CallKind::Allocate, 1);
    gpu.backend().allocate(8).expect_err("it was told to fail");
    let _pinned = gpu.pinned::<u8>(8)?;
    let mut last = gpu.managed::<u8>(8)?;
    poke(&gpu, &mut last, 8, 1);
    let [overrun] = &zones.scan(&gpu)?[..] else { panic!("one overrun") };
    let memory = trace.recording().allocations;
    let last = memory.last().expect("there is memory");
    assert_eq!((overrun.allocation, zones.allocations()), (last.number, last.number));
    assert_eq!(format!("{:#x}", overrun.address), last.address);
    assert_eq!(memory[0].number, 1);
    Ok(())
}

#[test]
fn allocations_to_come_can_be_poisoned() {
    let zones = RedZones::new(BAND).expect("the length is one").poison_new(2..3, RedZones::POISON);
    let gpu = Gpu::builder().host().red_zones(&zones).open().expect("the host opens");
    let inputs = [0, 1, 2].map(|_| gpu.zeros::<f32>(4).expect("there is memory"));
    let mut output = gpu.zeros::<f32>(1).expect("there is memory");
    let is_nan = inputs.map(|input| {
        // SAFETY: as above.
        unsafe { launch_sum(&gpu.default_stream(), LaunchConfig::new(1, 1), &mut output, &input, 4) }
            .expect("the host launches");
        output.to_vec(&gpu.default_stream()).expect("it is there")[0].is_nan()
    });
    assert_eq!(is_nan, [false, true, false]);
}

#[test]
fn what_cannot_be_scanned_is_counted_and_freed() {
    let zones = RedZones::new(BAND).expect("the length is one");
    let (ledger, faults) = (Ledger::new(), Faults::new());
    let gpu = Gpu::builder()
        .host()
        .ledger(&ledger)
        .faults(&faults)
        .red_zones(&zones)
        .open()
        .expect("the host opens");
    let memory = gpu.zeros::<u8>(10).expect("there is memory");
    faults.fail(CallKind::Synchronize, 1);
    drop(memory);
    assert_eq!((zones.unscanned(), ledger.report().live.count), (1, 0));
}

#[test]
fn bands_that_cannot_be_written_leave_no_memory_behind() {
    let zones = RedZones::new(BAND).expect("the length is one");
    let (ledger, faults) = (Ledger::new(), Faults::new());
    let gpu = Gpu::builder()
        .host()
        .ledger(&ledger)
        .faults(&faults)
        .red_zones(&zones)
        .open()
        .expect("the host opens");
    faults.fail(CallKind::Memset, 2);
    let error = gpu.backend().allocate(10).expect_err("the second band is not written");
    assert!(matches!(error, Error::Injected { call: "memset", .. }), "{error}");
    assert_eq!(ledger.report().live.count, 0);
}

#[test]
fn a_lack_of_memory_is_told_without_the_bands() -> Result<()> {
    let zones = RedZones::new(BAND)?;
    let host = warpcall::HostBackend::builder().memory(4096).open()?;
    let gpu = Gpu::builder().backend(std::sync::Arc::new(host)).red_zones(&zones).open()?;
    let error = gpu.backend().allocate(4000).expect_err("the bands have no room");
    let Error::OutOfMemory { requested, available, .. } = error else { panic!("{error}") };
    assert_eq!((requested, available), (4000, 4096 - 2 * BAND));
    gpu.backend().allocate(available).map(drop)
}

#[test]
fn memory_that_could_not_be_freed_is_still_watched() -> Result<()> {
    let (zones, faults) = (RedZones::new(BAND)?, Faults::new());
    let gpu = Gpu::builder().host().faults(&faults).red_zones(&zones).open()?;
    let mut memory = gpu.zeros::<u8>(10)?;
    faults.fail(CallKind::Free, 1);
    // SAFETY: it is told to fail, so that the memory is still there.
    unsafe { gpu.backend().free(memory.device_ptr()) }.expect_err("it was told to fail");
    poke(&gpu, &mut memory, 10, 1);
    memory.free()?;
    assert_eq!(zones.take_overruns().len(), 1);
    Ok(())
}

#[test]
fn the_last_poisoning_that_names_an_allocation_counts() -> Result<()> {
    let zones = RedZones::new(BAND)?.poison_new(1..10, 0x11).poison_new(2..3, 0x22);
    let gpu = Gpu::builder().host().red_zones(&zones).open()?;
    let memory = [(); 3].map(|()| gpu.pinned::<u8>(10).expect("there is memory"));
    // SAFETY: the band is there.
    let bands = || memory.each_ref().map(|memory| unsafe { memory.as_ptr().add(10).read() });
    assert_eq!(bands(), [0x11, 0x22, 0x11]);
    zones.poison(&gpu, 1..3, 0x33)?;
    assert_eq!(bands(), [0x33, 0x33, 0x11]);
    drop(memory);
    assert_eq!(zones.take_overruns(), []);
    Ok(())
}

#[test]
fn a_device_without_these_bands_is_refused() -> Result<()> {
    let (zones, _) = open();
    let (_, other) = open();
    for gpu in [Gpu::host()?, other] {
        let error = zones.scan(&gpu).expect_err("it has no such bands").to_string();
        assert!(error.ends_with("expected one that was opened with these red zones"), "{error}");
    }
    for length in [0, usize::MAX] {
        assert!(matches!(RedZones::new(length), Err(Error::InvalidArgument { .. })));
    }
    Ok(())
}
