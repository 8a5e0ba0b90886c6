//! A hazard that a device makes true, and memory that goes from hand to hand.

use std::time::Duration;

use warpcall::backend::{DeviceMemory as _, Fill};
use warpcall::diagnose::{HazardKind, Hazards};
use warpcall::{CudaBackend, DevicePtr, Error, Gpu, KernelLaunch, LaunchConfig, Result, Stream};

use super::cuda_support::{FILL, LATE, cuda_alone_or_skip, cuda_or_skip};

const BYTES: usize = 32 << 20;

/// Long enough that a copy which does not wait is done before.
const LATE_BY: u64 = 50_000_000;

/// Writes 7 to a word, after some time.
fn produce(gpu: &Gpu, stream: &Stream, word: DevicePtr, nanoseconds: u64) -> Result<()> {
    let mut launch = KernelLaunch::new(&**gpu, LATE.resolve(&**gpu)?);
    launch.config(LaunchConfig::new(1, 1)).arg_ptr(word).arg_u32(7).arg_u64(nanoseconds);
    // SAFETY: the arguments are those that the kernel declares, and the word lives until the device was synchronised.
    unsafe { launch.launch(stream) }
}

/// What a copy on the second stream finds of what a kernel writes on the first.
fn consumed(gpu: &Gpu, waits: bool) -> Result<u32> {
    let (producer, consumer) = (gpu.create_stream()?, gpu.create_stream()?);
    let (word, mut copy) = (gpu.zeros::<u32>(1)?, gpu.zeros::<u32>(1)?);
    // Loading the kernel may wait.
    produce(gpu, &producer, copy.device_ptr(), 0)?;
    gpu.synchronize()?;
    produce(gpu, &producer, word.device_ptr(), LATE_BY)?;
    if waits {
        consumer.wait_for(&producer)?;
    }
    let copied = copy.copy_from_device(&consumer, &word);
    consumer.synchronize()?;
    let found = copy.to_vec(&consumer)?[0];
    gpu.synchronize()?;
    copied.map(|()| found)
}

#[test]
fn a_race_between_two_streams_is_found_and_its_repair_is_not() {
    let Some(cuda) = cuda_alone_or_skip() else { return };
    let open = |hazards: &Hazards| {
        Gpu::builder().backend(cuda.clone()).hazards(hazards).open().expect("it is open already")
    };
    let hazards = Hazards::new();
    let gpu = open(&hazards);
    assert_eq!(consumed(&gpu, false).expect("it goes on"), 0, "the copy came after what it did not wait for");
    let reports = hazards.reports();
    let [hazard] = &reports[..] else { panic!("{reports:?}") };
    assert_eq!((hazard.kind, hazard.count), (HazardKind::Unordered, 1));
    assert_eq!((hazard.earlier.what, hazard.earlier.parameter), ("late", "values"));
    assert_eq!((hazard.later.what, hazard.later.parameter), ("copy_within_device_async", "source"));
    assert_eq!(consumed(&gpu, true).expect("it is in order"), 7);
    assert_eq!(hazards.reports().len(), 1);

    let strict = Hazards::strict();
    let gpu = open(&strict);
    assert_eq!(consumed(&gpu, true).expect("it is in order"), 7);
    let error = consumed(&gpu, false).expect_err("it is not");
    assert!(matches!(error, Error::Hazard(_)), "{error:?}");
}

#[test]
fn freed_memory_that_somebody_else_was_given_is_theirs() {
    let Some(cuda) = cuda_alone_or_skip() else { return };
    let hazards = Hazards::strict();
    let gpu = Gpu::builder().backend(cuda).hazards(&hazards).open().expect("it is open already");
    let other = CudaBackend::open(0).expect("the device is there");
    let fill = |at: DevicePtr| -> Result<()> {
        let mut launch = KernelLaunch::new(&*gpu, FILL.resolve(&*gpu)?);
        launch.config(LaunchConfig::new(1, 32)).arg_ptr(at).arg_u32(32).arg_u32(1);
        // SAFETY: the arguments are those that the kernel declares. The memory is live, or the launch is refused.
        unsafe { launch.launch(&gpu.default_stream()) }
    };
    let stale = gpu.allocate(BYTES).expect("memory");
    fill(stale).expect("it is there");
    // SAFETY: what uses it from now on is refused, or uses what somebody else has there.
    unsafe { gpu.free(stale) }.expect("it is live");
    assert!(matches!(fill(stale), Err(Error::Hazard(_))), "the memory was freed");
    // The driver gives the same addresses again, most often.
    let theirs = other.allocate(BYTES).expect("memory");
    if theirs == stale {
        fill(stale).expect("it is the other backend's");
    } else {
        super::cuda_support::not_run(format_args!("{theirs} was allocated, and not {stale}"));
    }
    gpu.synchronize().expect("nothing went wrong");
    // SAFETY: nothing uses it.
    unsafe { other.free(theirs) }.expect("it is live");
}

#[test]
fn a_graph_whose_memory_was_freed_is_refused_whoever_has_its_addresses() {
    let Some(cuda) = cuda_alone_or_skip() else { return };
    let hazards = Hazards::strict();
    let gpu = Gpu::builder().backend(cuda).hazards(&hazards).open().expect("it is open already");
    let stream = gpu.create_stream().expect("a stream");
    let mut words = gpu.zeros::<u8>(BYTES).expect("memory");
    let graph = stream.capture(|stream| words.fill(stream, Fill::Byte(1))).expect("a graph");
    // SAFETY: the buffer is there.
    unsafe { graph.launch(&stream) }.expect("it is launched");
    words.free().expect("it is live");
    let _next = gpu.zeros::<u8>(BYTES).expect("memory");
    // SAFETY: it is refused.
    let refused = unsafe { graph.launch(&stream) };
    assert!(
        matches!(&refused, Err(Error::Hazard(hazard)) if hazard.kind == HazardKind::Freed),
        "{refused:?}"
    );
    gpu.synchronize().expect("nothing went wrong");
}

#[test]
fn a_stream_that_is_not_idle_yet_orders_nothing() {
    let Some(cuda) = cuda_or_skip() else { return };
    let hazards = Hazards::new();
    let gpu = Gpu::builder().backend(cuda).hazards(&hazards).open().expect("it is open already");
    let (producer, consumer) =
        (gpu.create_stream().expect("a stream"), gpu.create_stream().expect("a stream"));
    let (word, mut copy) = (gpu.zeros::<u32>(1).expect("memory"), gpu.zeros::<u32>(1).expect("memory"));
    produce(&gpu, &producer, word.device_ptr(), LATE_BY).expect("it is launched");
    // Not idle yet: that orders nothing.
    assert!(!producer.is_idle().expect("it can be asked"), "it is done before its time");
    copy.copy_from_device(&consumer, &word).expect("it goes on");
    assert_eq!(hazards.reports().len(), 1);
    while !producer.is_idle().expect("it can be asked") {
        std::thread::sleep(Duration::from_millis(1));
    }
    copy.copy_from_device(&consumer, &word).expect("it goes on");
    assert_eq!(hazards.reports().iter().map(|hazard| hazard.count).sum::<u64>(), 1);
}
