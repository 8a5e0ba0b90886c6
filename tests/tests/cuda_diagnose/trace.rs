//! The device's times in a trace.

use std::time::Duration;

use warpcall::diagnose::trace::{Kind, Record, Trace, TraceOptions};
use warpcall::{Buffer, Gpu, KernelLaunch, LaunchConfig, Result, Stream};

use super::cuda_support::{LATE, cuda_alone_or_skip, cuda_or_skip, say};

fn timed() -> Trace {
    Trace::new(TraceOptions::default().device_times(true))
}

/// Launches a kernel that takes this long.
fn late(stream: &Stream, word: &Buffer<u32>, time: Duration) -> Result<()> {
    let gpu = stream.gpu();
    let nanoseconds = u64::try_from(time.as_nanos()).expect("a short time");
    let mut launch = KernelLaunch::new(&**gpu, LATE.resolve(&**gpu)?);
    launch.config(LaunchConfig::new(1, 1)).arg_ptr(word.device_ptr()).arg_u32(7).arg_u64(nanoseconds);
    // SAFETY: the arguments are those that the kernel declares, and the word lives until the stream was synchronised.
    unsafe { launch.launch(stream) }
}

/// What an event is good to, with a margin.
const COARSE_NS: u64 = 2_000;

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).expect("a short time")
}

#[test]
fn a_hundred_launches_have_times_on_the_device_in_their_order() -> Result<()> {
    let Some(cuda) = cuda_alone_or_skip() else { return Ok(()) };
    let trace = timed();
    let gpu = Gpu::builder().backend(cuda).trace(&trace).open()?;
    let (stream, word) = (gpu.create_stream()?, gpu.zeros::<u32>(1)?);
    // Loading the kernel takes its time.
    late(&stream, &word, Duration::ZERO)?;
    stream.synchronize()?;
    trace.take();
    let time = Duration::from_micros(50);
    for _ in 0..100 {
        late(&stream, &word, time)?;
    }
    let recording = trace.recording();
    assert_eq!((recording.untimed, &recording.problems[..]), (0, &[][..]));
    let launches: Vec<&Record> = recording.launches().collect();
    assert_eq!(launches.len(), 100);
    let mut free_from = 0;
    for launch in &launches {
        let device = launch.device.expect("each has a time");
        assert!(device.duration_ns() + COARSE_NS > nanoseconds(time), "{device:?} is shorter than {time:?}");
        assert!(device.start_ns + COARSE_NS > free_from, "{device:?} starts before {free_from}");
        assert!(device.start_ns >= launch.host.start_ns, "{device:?} is before {:?}", launch.host);
        free_from = device.end_ns;
    }
    let [first, last] = [launches[0], launches[99]].map(|launch| launch.device.expect("each has a time"));
    assert!(last.end_ns - first.start_ns >= 99 * nanoseconds(time), "{first:?} to {last:?}");
    let arguments = launches[0].arguments.iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(arguments, ["values=#1+0", "value=7u32", "nanoseconds=50000u64"]);
    let spread = last.end_ns - first.start_ns;
    say(format_args!("TRACE | 100 launches of 50 us took {spread} ns on the device"));
    Ok(())
}

#[test]
fn times_are_right_over_more_than_a_second_and_on_another_stream() -> Result<()> {
    let Some(cuda) = cuda_alone_or_skip() else { return Ok(()) };
    let trace = timed();
    let gpu = Gpu::builder().backend(cuda).trace(&trace).open()?;
    let (first, second) = (gpu.create_stream()?, gpu.create_stream()?);
    let (word, other) = (gpu.zeros::<u32>(1)?, gpu.zeros::<u32>(1)?);
    late(&first, &word, Duration::ZERO)?;
    first.synchronize()?;
    trace.take();
    let long = Duration::from_millis(1200);
    late(&first, &word, long)?;
    late(&first, &word, Duration::from_millis(1))?;
    // Beside the long one, so that it starts before the one that was enqueued before it.
    late(&second, &other, Duration::from_millis(1))?;
    let recording = trace.recording();
    let times: Vec<_> = recording.launches().map(|launch| launch.device.expect("each has a time")).collect();
    assert!(times[0].duration_ns() + COARSE_NS > nanoseconds(long), "{times:?}");
    assert!(times[1].start_ns + COARSE_NS > times[0].end_ns, "{times:?}");
    assert!(times[1].start_ns < times[0].end_ns + 100_000_000, "{times:?}");
    assert!(times[2].end_ns < times[0].end_ns, "{times:?}");
    Ok(())
}

#[test]
fn a_graph_has_a_time_and_what_was_recorded_into_it_has_none() -> Result<()> {
    let Some(cuda) = cuda_or_skip() else { return Ok(()) };
    let trace = timed();
    let gpu = Gpu::builder().backend(cuda).trace(&trace).open()?;
    let (stream, word) = (gpu.create_stream()?, gpu.zeros::<u32>(1)?);
    late(&stream, &word, Duration::ZERO)?;
    let time = Duration::from_millis(1);
    let graph = stream.capture(|stream| {
        late(stream, &word, time)?;
        late(stream, &word, time)
    })?;
    // SAFETY: the word is there.
    unsafe { graph.launch(&stream)? };
    let recording = trace.recording();
    let launch =
        recording.records.iter().find(|record| record.kind == Kind::GraphLaunch).expect("it was launched");
    let device = launch.device.expect("it has a time");
    assert!(device.duration_ns() + COARSE_NS > 2 * nanoseconds(time), "{device:?}");
    let held = &recording.graph_of(launch).expect("it was seen being captured").records;
    assert_eq!(held.len(), 2);
    assert!(held.iter().all(|record| record.device.is_none() && record.name == "late"));
    assert_eq!(recording.problems, [""; 0]);
    Ok(())
}
