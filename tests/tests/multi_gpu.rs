//! Two devices in one process: each with its own handles and memory, and what belongs to the other is refused by name.
//!
//! On two CUDA devices where there are two, and on two host backends everywhere.

mod cuda_support;

use cuda_support::{not_run, refusal, say, says};
use warpcall::backend::Fill;
use warpcall::{AsStream as _, CudaBackend, Error, Gpu, KernelLaunch, LaunchConfig, Result, Stream, kernel};

#[kernel(module = "test", image = "tests/cuda_support/kernels.ptx")]
unsafe extern "C" {
    /// `values[i] = value` for every `i < n`.
    #[host(fill_on_the_host)]
    unsafe fn fill(values: *mut u32, n: u32, value: u32);
}

fn fill_on_the_host(values: &mut [u32], n: u32, value: u32) {
    values[..n as usize].fill(value);
}

const CONFIG: fn() -> LaunchConfig = || LaunchConfig::for_elements(100, 128);

/// Two CUDA devices, where there are two.
fn two_devices() -> Option<[Gpu; 2]> {
    let required = std::env::var_os("WARPCALL_REQUIRE_CUDA").is_some_and(|value| value == "1");
    match CudaBackend::device_count() {
        Ok(count) if count >= 2 => {
            Some([0, 1].map(|ordinal| Gpu::cuda(ordinal).expect("the driver counts it")))
        }
        Ok(count) => {
            not_run(format_args!("two CUDA devices are needed, and there is {count}"));
            None
        }
        Err(error @ Error::NoDevice { .. }) => {
            assert!(!required, "WARPCALL_REQUIRE_CUDA is 1, but there is {error}");
            not_run(format_args!("two CUDA devices are needed: {error}"));
            None
        }
        Err(error) => panic!("the devices cannot be counted: {error}"),
    }
}

fn two_hosts() -> [Gpu; 2] {
    [(), ()].map(|()| Gpu::host().expect("the host is always there"))
}

/// Both work at the same time, each on a thread and on this one, and each finds what it wrote itself.
fn both_work_without_mixing([first, second]: &[Gpu; 2]) {
    assert_ne!(first.id(), second.id());
    std::thread::scope(|scope| {
        for (gpu, base) in [(first, 0_u32), (second, 1000), (first, 2000), (second, 3000)] {
            scope.spawn(move || rounds(gpu, base).unwrap_or_else(|error| panic!("{}: {error}", gpu.label())));
        }
    });
    // Alternating on one thread, whose current context changes each time.
    let [mut on_first, mut on_second] = [first, second].map(|gpu| gpu.zeros::<u32>(100).expect("memory"));
    let streams = [first, second].map(|gpu| gpu.create_stream().expect("a stream"));
    for round in 0..100 {
        // SAFETY: a hundred words.
        unsafe { launch_fill(&streams[0], CONFIG(), &mut on_first, 100, round) }
            .expect("a launch on the first");
        // SAFETY: a hundred words.
        unsafe { launch_fill(&streams[1], CONFIG(), &mut on_second, 100, 500 + round) }
            .expect("a launch on the second");
        assert_eq!(on_first.to_vec(&streams[0]).expect("a copy back"), [round; 100]);
        assert_eq!(on_second.to_vec(&streams[1]).expect("a copy back"), [500 + round; 100]);
    }
    say(format_args!("MULTI GPU | {} and {} | 500 launches each, none mixed", first.label(), second.label()));
}

fn rounds(gpu: &Gpu, base: u32) -> Result<()> {
    let stream = gpu.create_stream()?;
    let mut values = gpu.zeros::<u32>(100)?;
    for round in 0..200 {
        // SAFETY: a hundred words.
        unsafe { launch_fill(&stream, CONFIG(), &mut values, 100, base + round)? };
        assert_eq!(values.to_vec(&stream)?, [base + round; 100]);
    }
    Ok(())
}

/// Whatever of `second` is used with something of `first` is refused, with the names of what does not belong.
fn what_belongs_to_the_other_is_refused([first, second]: &[Gpu; 2]) {
    let (stream, other) =
        (first.create_stream().expect("a stream"), second.create_stream().expect("a stream"));
    let mut own = first.upload(&[1_u32; 100]).expect("memory");
    let mut foreign = second.upload(&[2_u32; 100]).expect("memory");
    let event = first.create_event().expect("an event");
    let graph = stream.capture(|stream| own.fill(stream, Fill::Word(3))).expect("a graph");
    let labels = [&*first.label(), &*second.label()];

    // SAFETY: it is refused, as each of the launches below.
    let launched = unsafe { launch_fill(&stream, CONFIG(), &mut foreign, 100, 9) };
    let text = refusal("a launch with a buffer of another device", launched);
    says(&text, &["`fill`", "`values`", labels[0], "the memory belongs to backend"]);
    let mut slice = foreign.slice_mut(10..20).expect("it is long enough");
    // SAFETY: as above.
    let launched = unsafe { launch_fill(&stream, CONFIG(), &mut slice, 10, 9) };
    says(&refusal("a launch with a slice of another device's buffer", launched), &["`fill`", "`values`"]);

    let both = |what: &str, outcome: Result<()>| says(&refusal(what, outcome), &labels);
    both("a stream of another device to read on", own.to_vec(&other).map(drop));
    both("a stream of another device to write on", own.copy_from_host(&other, &[9; 100]));
    both("a stream of another device to fill on", own.fill(&other, Fill::Byte(9)));
    both("a stream of another device to record an event on", other.record(&event));
    both("a stream of another device to wait for an event on", other.wait(&event));
    both("a stream of another device to wait for", stream.wait_for(&other));
    // SAFETY: as above.
    both("a stream of another device to launch a graph on", unsafe { graph.launch(&other) });
    let kernel = FILL.resolve(&**first).expect("the kernel is there");
    let mut launch = KernelLaunch::new(&**first, kernel);
    launch.block(128).arg_ptr(&own).arg_u32(100).arg_u32(9);
    // SAFETY: as above.
    both("a stream of another device in a launch by hand", unsafe { launch.launch(&other) });
    says(
        &refusal("a copy from another device's buffer", own.copy_from_device(&stream, &foreign)),
        &["another backend"],
    );

    // Raw handles and addresses, which nothing but the backend itself can tell apart.
    let handle = other.as_stream().handle();
    says(
        &refusal("a raw stream of another device", first.synchronize_stream(handle)),
        &[&handle.to_string(), "stream", labels[0]],
    );
    says(
        &refusal("raw memory of another device", first.copy_to_host(&mut [0_u8; 4], foreign.device_ptr())),
        &[&foreign.device_ptr().to_string(), "another backend"],
    );
    let kernel = FILL.resolve(&**second).expect("the kernel is there");
    let mut launch = KernelLaunch::new(&**first, kernel);
    launch.block(128).arg_ptr(&own).arg_u32(100).arg_u32(9);
    // SAFETY: as above.
    let text = refusal("a raw kernel of another device", unsafe { launch.launch(&stream) });
    says(&text, &["kernel", labels[0]]);

    untouched(&stream, &own.to_vec(&stream).expect("a copy back"), 1);
    untouched(&other, &foreign.to_vec(&other).expect("a copy back"), 2);
}

fn untouched(stream: &Stream, found: &[u32], expected: u32) {
    assert!(found.iter().all(|word| *word == expected), "on {}: {found:?}", stream.gpu().label());
}

#[test]
fn two_devices_work_without_mixing() {
    let Some(devices) = two_devices() else { return };
    both_work_without_mixing(&devices);
}

#[test]
fn on_two_devices_what_belongs_to_the_other_is_refused() {
    let Some(devices) = two_devices() else { return };
    what_belongs_to_the_other_is_refused(&devices);
}

#[test]
fn two_backends_of_one_device_work_without_mixing() {
    match [Gpu::cuda(0), Gpu::cuda(0)] {
        [Ok(first), Ok(second)] => both_work_without_mixing(&[first, second]),
        [first, second] => match first.and(second) {
            Err(error @ Error::NoDevice { .. }) => {
                let required = std::env::var_os("WARPCALL_REQUIRE_CUDA").is_some_and(|value| value == "1");
                assert!(!required, "WARPCALL_REQUIRE_CUDA is 1, but there is {error}");
                not_run(error);
            }
            other => panic!("the device opens once and not twice: {other:?}"),
        },
    }
}

#[test]
fn two_host_backends_work_without_mixing() {
    both_work_without_mixing(&two_hosts());
}

#[test]
fn on_two_host_backends_what_belongs_to_the_other_is_refused() {
    what_belongs_to_the_other_is_refused(&two_hosts());
}
