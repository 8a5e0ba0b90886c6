//! The hazard check: what is a hazard, what is none, and what is said of it.

use std::sync::Arc;

use warpcall::backend::{Copy2d, Fill};
use warpcall::diagnose::{HazardCheck, HazardKind, Hazards, Layered, RedZones};
use warpcall::{
    Buffer, DevicePtr, Error, Gpu, HostBackend, KernelLaunch, LaunchConfig, MockBackend, Result, Stream,
    StreamHandle, kernel,
};

#[kernel(module = "hazards")]
unsafe extern "C" {
    #[host(copy_on_the_host)]
    unsafe fn copy(output: *mut u32, input: *const u32);

    #[host(count_on_the_host)]
    unsafe fn count(bins: *mut u32, #[nullable] values: *const u32);
}

fn copy_on_the_host(output: &mut [u32], input: &[u32]) {
    output.iter_mut().zip(input).for_each(|(output, input)| *output = *input);
}

fn count_on_the_host(bins: &mut [u32], values: Option<&[u32]>) {
    bins[0] += u32::try_from(values.map_or(0, <[u32]>::len)).expect("they are few");
}

/// Two streams, and three buffers of 64 words.
struct Setup {
    hazards: Hazards,
    gpu: Gpu,
    first: Stream,
    second: Stream,
    x: Buffer<u32>,
    y: Buffer<u32>,
    z: Buffer<u32>,
}

const ONE: fn() -> LaunchConfig = || LaunchConfig::new(1, 32);

fn setup() -> Setup {
    with(&Hazards::new())
}

fn with(hazards: &Hazards) -> Setup {
    let gpu = Gpu::builder().host().hazards(hazards).open().expect("the host opens");
    let stream = || gpu.create_stream().expect("the host has streams");
    let buffer = || gpu.zeros(64).expect("there is memory");
    let (first, second, x, y, z) = (stream(), stream(), buffer(), buffer(), buffer());
    Setup { hazards: hazards.clone(), gpu, first, second, x, y, z }
}

impl Setup {
    /// `y` from `x` on the first stream.
    #[track_caller]
    fn produce(&mut self) {
        // SAFETY: the kernel stays within both buffers.
        unsafe { launch_copy(&self.first, ONE(), &mut self.y, &self.x) }.expect("it is launched");
    }

    /// `z` from `y` on the second stream.
    fn consume(&mut self) -> Result<()> {
        // SAFETY: as above.
        unsafe { launch_copy(&self.second, ONE(), &mut self.z, &self.y) }
    }

    fn count(&self) -> u64 {
        self.hazards.reports().iter().map(|hazard| hazard.count).sum()
    }
}

#[test]
fn two_streams_that_nothing_orders_are_a_hazard() {
    let mut setup = setup();
    setup.produce();
    setup.consume().expect("it goes on");
    let reports = setup.hazards.reports();
    let [hazard] = &reports[..] else { panic!("{reports:?}") };
    assert_eq!((hazard.kind, hazard.certain, hazard.count), (HazardKind::Unordered, true, 1));
    let (earlier, later) = (hazard.earlier, hazard.later);
    assert_eq!((earlier.what, earlier.parameter, earlier.writes), ("copy", "output", true));
    assert_eq!((later.what, later.parameter, later.writes), ("copy", "input", false));
    assert_eq!((earlier.stream, later.stream), (Some(setup.first.handle()), Some(setup.second.handle())));
    let [first_place, second_place] =
        [earlier, later].map(|access| access.location.expect("none is dropped"));
    assert_eq!((first_place.file(), second_place.file()), (file!(), file!()));
    assert_eq!((hazard.memory.start, hazard.memory.bytes), (setup.y.device_ptr().address(), 256));
    let allocation = hazard.memory.allocation.expect("it was allocated through the layer");
    assert_eq!((allocation.start, allocation.bytes), (hazard.memory.start, 256));

    let (first, second) = (setup.first.handle().get(), setup.second.handle().get());
    let text = hazard.to_string();
    for part in [
        format!("`copy` writes `output` on stream {first:#x} ({first_place}"),
        format!("`copy` reads `input` on stream {second:#x} ({second_place}"),
        format!("bytes 0..256 of the 256 bytes of device memory at {}, allocated at ", setup.y.device_ptr()),
        format!("Make stream {second:#x} wait for stream {first:#x} after `copy`: record an event"),
    ] {
        assert!(text.contains(&part), "`{part}` is not in: {text}");
    }
}

#[test]
fn what_orders_two_streams_leaves_no_hazard() {
    type Order = fn(&Setup) -> Result<()>;
    let orders: [(&str, Order); 9] = [
        ("a stream that waits for another", |s| s.second.wait_for(&s.first)),
        ("an event", |s| {
            let event = s.gpu.create_event()?;
            s.first.record(&event)?;
            s.second.wait(&event)
        }),
        ("an event, by way of a third stream", |s| {
            let third = s.gpu.create_stream()?;
            third.wait_for(&s.first)?;
            s.second.wait_for(&third)
        }),
        ("synchronising the stream", |s| s.first.synchronize()),
        ("synchronising the device", |s| s.gpu.synchronize()),
        ("synchronising an event", |s| {
            let event = s.gpu.create_event()?;
            s.first.record(&event)?;
            event.synchronize()
        }),
        ("an idle stream", |s| s.first.is_idle().map(|idle| assert!(idle))),
        ("an event that is done", |s| {
            let event = s.gpu.create_event()?;
            s.first.record(&event)?;
            event.is_done().map(|done| assert!(done))
        }),
        ("a blocking copy on the stream", |s| s.x.to_vec(&s.first).map(drop)),
    ];
    for (what, order) in orders {
        let mut setup = setup();
        setup.produce();
        order(&setup).unwrap_or_else(|error| panic!("{what}: {error}"));
        setup.consume().expect("it is launched");
        assert_eq!(setup.hazards.reports(), [], "{what}");
    }
}

#[test]
fn what_looks_like_an_order_and_is_none_is_found() {
    type Order = fn(&Setup) -> Result<()>;
    let orders: [(&str, Order); 6] = [
        ("a wait the other way round", |s| s.first.wait_for(&s.second)),
        ("an event that was never recorded", |s| s.second.wait(&s.gpu.create_event()?)),
        ("an event of another stream", |s| {
            let event = s.gpu.create_event()?;
            s.gpu.default_stream().record(&event)?;
            s.second.wait(&event)
        }),
        ("a mark that another has replaced", |s| {
            let event = s.gpu.create_event()?;
            s.first.record(&event)?;
            s.gpu.default_stream().record(&event)?;
            s.second.wait(&event)
        }),
        ("synchronising another stream", |s| s.second.synchronize()),
        ("the default stream", |s| s.x.to_vec(&s.gpu.default_stream()).map(drop)),
    ];
    for (what, order) in orders {
        let mut setup = setup();
        setup.produce();
        order(&setup).unwrap_or_else(|error| panic!("{what}: {error}"));
        setup.consume().expect("it goes on");
        assert_eq!(setup.count(), 1, "{what}");
    }
}

#[test]
fn a_mark_covers_what_came_before_it_alone() {
    let mut setup = setup();
    let event = setup.gpu.create_event().expect("there are events");
    setup.first.record(&event).expect("it is recorded");
    setup.produce();
    setup.second.wait(&event).expect("it waits");
    setup.consume().expect("it goes on");
    assert_eq!(setup.count(), 1);
}

#[test]
fn an_event_that_was_destroyed_after_the_wait_orders_all_the_same() {
    let mut setup = setup();
    setup.produce();
    let event = setup.gpu.create_event().expect("there are events");
    setup.first.record(&event).expect("it is recorded");
    setup.second.wait(&event).expect("it waits");
    event.destroy().expect("it is live");
    setup.consume().expect("it is launched");
    assert_eq!(setup.hazards.reports(), []);
}

#[test]
fn reading_at_the_same_time_and_writing_elsewhere_is_no_hazard() -> Result<()> {
    let Setup { hazards, gpu, first, second, x, mut y, mut z } = setup();
    // SAFETY: the kernel stays within what it is given.
    unsafe {
        launch_copy(&first, ONE(), &mut y, &x)?;
        launch_copy(&second, ONE(), &mut z, &x)?;
        let (mut low, mut high) = y.split_at_mut(32)?;
        gpu.synchronize()?;
        launch_copy(&first, ONE(), &mut low, &x)?;
        launch_copy(&second, ONE(), &mut high, &x)?;
    }
    assert_eq!(hazards.reports(), []);
    // SAFETY: as above.
    unsafe { launch_copy(&second, ONE(), &mut y.slice_mut(31..40)?, &x)? };
    let reports = hazards.reports();
    let [hazard] = &reports[..] else { panic!("{reports:?}") };
    assert_eq!((hazard.memory.start, hazard.memory.bytes), (y.device_ptr().address() + 124, 4));
    Ok(())
}

#[test]
fn a_slice_of_nothing_uses_nothing() -> Result<()> {
    let Setup { hazards, first, second, x, mut y, mut z, .. } = setup();
    // SAFETY: the kernel stays within what it is given.
    unsafe {
        launch_copy(&first, ONE(), &mut y, &x)?;
        launch_copy(&second, ONE(), &mut y.slice_mut(10..10)?, &x)?;
        // Past the last of all, where nothing is.
        launch_copy(&second, ONE(), &mut z.slice_mut(64..)?, &x.slice(64..)?)?;
    }
    assert_eq!(hazards.reports(), []);
    assert!(hazards.unchecked().is_empty(), "{}", hazards.unchecked());
    Ok(())
}

#[test]
fn a_write_is_compared_with_reads_and_writes_alike() -> Result<()> {
    let Setup { hazards, first, second, mut x, y, mut z, .. } = setup();
    // SAFETY: the kernel stays within what it is given.
    unsafe { launch_copy(&first, ONE(), &mut z, &x)? };
    x.fill(&second, Fill::Byte(1))?;
    z.copy_from_device(&second, &y)?;
    let found: Vec<_> = hazards
        .reports()
        .iter()
        .map(|hazard| (hazard.earlier.parameter, hazard.later.what, hazard.later.parameter))
        .collect();
    assert_eq!(
        found,
        [("input", "memset_async", "destination"), ("output", "copy_within_device_async", "destination")]
    );
    Ok(())
}

#[test]
fn a_created_stream_and_the_default_stream_do_not_wait_for_each_other() -> Result<()> {
    let mut setup = setup();
    setup.produce();
    let mut found = vec![0_u8; 256];
    // In the order of the default stream.
    setup.gpu.copy_to_host(&mut found, setup.y.device_ptr())?;
    let reports = setup.hazards.reports();
    let [hazard] = &reports[..] else { panic!("{reports:?}") };
    assert_eq!((hazard.later.what, hazard.later.stream), ("copy_to_host", Some(StreamHandle::DEFAULT)));
    let text = hazard.to_string();
    assert!(text.contains("on the default stream") && text.contains("with `copy_to_host_on`"), "{text}");
    Ok(())
}

#[test]
fn work_that_the_host_has_waited_for_is_over_for_streams_that_come_later() -> Result<()> {
    let mut setup = setup();
    setup.produce();
    setup.first.synchronize()?;
    setup.second = setup.gpu.create_stream()?;
    setup.consume()?;
    assert_eq!(setup.hazards.reports(), []);
    Ok(())
}

#[test]
fn the_work_of_a_stream_that_is_gone_still_runs() -> Result<()> {
    let mut setup = setup();
    setup.produce();
    let gone = std::mem::replace(&mut setup.first, setup.gpu.create_stream()?);
    gone.destroy()?;
    setup.first.synchronize()?;
    setup.consume()?;
    assert_eq!(setup.count(), 1);
    setup.gpu.synchronize()?;
    setup.consume()?;
    assert_eq!(setup.count(), 1, "the device was synchronised");
    Ok(())
}

#[test]
fn the_host_may_not_read_what_a_stream_still_writes() -> Result<()> {
    let Setup { hazards, gpu, first, second, x, mut y, mut z } = setup();
    let mut host = vec![0_u32; 64];
    // SAFETY: that the slice is used before the stream is synchronised is what is tested; the host backend has copied by now.
    unsafe { x.copy_to_host_async(&first, &mut host)? };
    y.copy_from_host(&first, &host)?; // In the order of the stream, but read at once.
    let reports = hazards.reports();
    let [hazard] = &reports[..] else { panic!("{reports:?}") };
    assert_eq!((hazard.kind, hazard.later.stream), (HazardKind::NotWaitedFor, None));
    assert!(hazard.to_string().contains("and on the host `copy_to_device_async` reads"), "{hazard}");
    // What is retained is read when the stream comes to it.
    // SAFETY: the slice lives until the end.
    unsafe { z.copy_from_retained(&first, &host)? };
    assert_eq!(hazards.reports().len(), 1);
    // SAFETY: as above.
    unsafe { z.copy_from_retained(&second, &host)? };
    let unordered: Vec<_> = hazards.reports()[1..].iter().map(|hazard| hazard.kind).collect();
    assert_eq!(unordered, [HazardKind::Unordered, HazardKind::Unordered], "the host's side and the device's");
    gpu.synchronize()?;
    y.copy_from_host(&second, &host)?;
    assert_eq!(hazards.reports().len(), 3);
    Ok(())
}

#[test]
fn pinned_memory_is_one_memory_for_copies_and_kernels() -> Result<()> {
    let Setup { hazards, gpu, first, second, x, mut y, .. } = setup();
    let pinned = gpu.pinned::<u32>(64)?;
    let mut alias = pinned.device_ptr()?;
    // SAFETY: the kernel writes at most 64 words, and the host looks at them only when the device is idle.
    unsafe { launch_copy(&first, ONE(), &mut alias, &x.slice(..64)?)? };
    // SAFETY: the memory lives until the end.
    unsafe { y.copy_from_retained(&second, &pinned)? };
    let reports = hazards.reports();
    let [hazard] = &reports[..] else { panic!("{reports:?}") };
    assert_eq!((hazard.earlier.what, hazard.later.what), ("copy", "copy_to_device_retained"));
    assert!(hazard.to_string().contains("bytes of pinned memory"), "{hazard}");
    Ok(())
}

#[test]
fn a_pair_is_reported_once_and_counted() -> Result<()> {
    let mut setup = setup();
    for _ in 0..5 {
        setup.produce();
        setup.consume()?;
        setup.gpu.synchronize()?;
    }
    let reports = setup.hazards.reports();
    assert_eq!(reports.iter().map(|hazard| hazard.count).collect::<Vec<_>>(), [5]);
    Ok(())
}

#[test]
fn a_strict_check_refuses_the_later_call_and_goes_on() -> Result<()> {
    let mut setup = with(&Hazards::strict());
    setup.x.copy_from_host(&setup.first, &[7; 64])?;
    setup.produce();
    let error = setup.consume().expect_err("nothing orders the two");
    let Error::Hazard(hazard) = &error else { panic!("{error:?}") };
    assert_eq!((hazard.later.parameter, setup.count()), ("input", 1));
    assert_eq!(error.to_string(), hazard.to_string(), "it names the kernel by itself");
    assert_eq!(setup.z.to_vec(&setup.second)?, [0; 64], "the call was not passed on");
    setup.second.wait_for(&setup.first)?;
    setup.consume()?;
    assert_eq!(setup.z.to_vec(&setup.second)?, [7; 64]);
    assert_eq!(setup.count(), 1);
    Ok(())
}

#[test]
fn a_call_that_failed_used_nothing() -> Result<()> {
    let mock = MockBackend::new()?;
    let hazards = Hazards::strict();
    let gpu = Gpu::builder().backend(mock.clone()).hazards(&hazards).open()?;
    let (first, second) = (gpu.create_stream()?, gpu.create_stream()?);
    let mut buffer = gpu.zeros::<u32>(64)?;
    mock.fail(warpcall::backend::mock::CallKind::MemsetAsync, 1);
    buffer.fill(&first, Fill::Byte(1)).expect_err("it was told to fail");
    buffer.fill(&second, Fill::Byte(1))?;
    assert_eq!(hazards.reports(), []);
    buffer.fill(&first, Fill::Byte(1)).expect_err("the second one was enqueued");
    Ok(())
}

#[test]
fn a_launch_with_freed_memory_is_refused() -> Result<()> {
    let Setup { hazards, gpu, first, mut y, x, .. } = with(&Hazards::strict());
    let mut stale = y.device_ptr();
    // SAFETY: it is refused.
    let launch = |stale: &mut DevicePtr| unsafe { launch_copy(&first, ONE(), stale, &x) };
    launch(&mut stale)?;
    y.fill(&first, Fill::Byte(0))?;
    y.free()?;
    let error = launch(&mut stale).expect_err("the memory was freed");
    let Error::Hazard(hazard) = error else { panic!("{error:?}") };
    assert_eq!((hazard.kind, hazard.later.parameter), (HazardKind::Freed, "output"));
    assert_eq!(hazard.earlier.location.map(std::panic::Location::file), Some(file!()));
    assert!(hazard.to_string().contains("that memory was freed before ("), "{hazard}");
    assert_eq!(hazards.reports().len(), 1);
    assert!(gpu.synchronize().is_ok(), "the device never saw it");
    Ok(())
}

#[test]
fn memory_that_was_freed_by_dropping_it_has_no_place_where() {
    let Setup { hazards, first, y, x, .. } = with(&Hazards::strict());
    let mut stale = y.device_ptr();
    drop(y);
    // SAFETY: it is refused.
    unsafe { launch_copy(&first, ONE(), &mut stale, &x) }.expect_err("the memory was freed");
    let [hazard] = &hazards.reports()[..] else { panic!("one hazard") };
    assert_eq!((hazard.kind, hazard.earlier.location), (HazardKind::Freed, None));
    assert!(hazard.to_string().contains(", but that memory was freed before (dropped): "), "{hazard}");
}

#[test]
fn freeing_memory_ends_what_used_it() -> Result<()> {
    let mut setup = setup();
    for _ in 0..3 {
        setup.produce();
        setup.y = setup.gpu.zeros(64)?;
        setup.consume()?;
        setup.second.synchronize()?;
    }
    assert_eq!(setup.hazards.reports(), []);
    Ok(())
}

#[test]
fn uses_that_commute_may_happen_at_the_same_time() -> Result<()> {
    for allow in [false, true] {
        let Setup { hazards, first, second, x, mut y, .. } = setup();
        if allow {
            hazards.allow(&COUNT, "bins", "the bins are counted up with atomicAdd")?;
        }
        // SAFETY: the kernel stays within what it is given; the host backend does one after the other.
        unsafe {
            launch_count(&first, ONE(), &mut y, &x)?;
            launch_count(&second, ONE(), &mut y, None)?;
        }
        assert_eq!(hazards.reports().len(), usize::from(!allow));
        y.to_vec(&first)?;
        let reports = hazards.reports();
        assert_eq!(reports.len(), 1 + usize::from(!allow), "who reads must still wait for both");
        assert_eq!(reports[reports.len() - 1].later.what, "copy_to_host_on");
    }
    let hazards = Hazards::new();
    let error = hazards.allow(&COUNT, "bin", "").expect_err("it has no such parameter").to_string();
    assert!(error.contains("`bin`") && error.contains("`bins`, `values`"), "{error}");
    assert_eq!(hazards.allowed(), []);
    Ok(())
}

#[test]
fn a_raw_pointer_reaches_its_first_element_and_perhaps_more() -> Result<()> {
    let Setup { hazards, first, second, x, y, .. } = with(&Hazards::strict());
    let (mut low, mut high) = (y.device_ptr(), y.device_ptr().byte_add(128));
    // SAFETY: the host's function is given what is left of the allocation, which the host backend alone touches, one launch after the
    // other.
    unsafe {
        launch_copy(&first, ONE(), &mut low, &x)?;
        launch_copy(&second, ONE(), &mut high, &x)?;
    }
    assert_eq!(hazards.reports(), []);
    let possible = hazards.possible();
    let [hazard] = &possible[..] else { panic!("{possible:?}") };
    assert_eq!((hazard.certain, hazard.memory.start, hazard.memory.bytes), (false, high.address(), 128));
    assert!(hazard.to_string().contains("both may reach bytes 128..256"), "{hazard}");
    // SAFETY: as above.
    unsafe { launch_copy(&second, ONE(), &mut low, &x) }.expect_err("both reach the first element");
    let found = hazards.reports();
    assert!(found.len() == 1 && found[0].memory.bytes == 4, "{found:?}");
    Ok(())
}

#[test]
fn a_rectangle_is_compared_row_by_row() -> Result<()> {
    let Setup { hazards, gpu, first, second, x, mut y, .. } = setup();
    let copy = |stream: &Stream, offset| {
        let (dst, src) = (y.device_ptr().byte_add(offset), x.device_ptr());
        let copy = Copy2d { dst, dst_pitch: 64, src, src_pitch: 64, width: 32, height: 4 };
        gpu.copy_2d_async(stream.handle(), &copy)
    };
    copy(&first, 0)?;
    copy(&second, 32)?;
    assert_eq!(hazards.reports(), [], "the columns lie side by side");
    copy(&second, 16)?;
    let reports = hazards.reports();
    let [hazard] = &reports[..] else { panic!("{reports:?}") };
    assert_eq!(
        (hazard.memory.start, hazard.memory.bytes),
        (y.device_ptr().address() + 16, 16),
        "in the first row"
    );
    gpu.synchronize()?;
    copy(&first, 0)?;
    y.slice_mut(8..16)?.fill(&second, Fill::Byte(0))?;
    assert_eq!(hazards.reports().len(), 1, "between two rows");
    Ok(())
}

#[test]
fn what_cannot_be_compared_is_counted() -> Result<()> {
    let Setup { hazards, gpu, first, second, x, mut y, .. } = with(&Hazards::strict());
    // A stream that was created beneath the layer.
    let beneath = warpcall::backend::Streams::create_stream(gpu.as_host().expect("it is the host"), None)?;
    y.fill(&first, Fill::Byte(1))?;
    gpu.memset_async(beneath, y.device_ptr(), Fill::Byte(2), 256)?;
    assert_eq!(hazards.unchecked().foreign_streams, 1);
    // The order through it is seen.
    gpu.stream_wait_stream(beneath, first.handle())?;
    gpu.stream_wait_stream(second.handle(), beneath)?;
    y.fill(&second, Fill::Byte(3))?;
    let kernel = COPY.resolve(&*gpu)?;
    let mut launch = KernelLaunch::new(&*gpu, kernel);
    launch.config(ONE()).arg_ptr(y.device_ptr()).arg_ptr(x.device_ptr());
    // SAFETY: as declared.
    unsafe { launch.launch(&first) }.expect_err("it is compared by the declaration that the backend knows");
    assert_eq!((hazards.unchecked().launches, hazards.unchecked().arguments), (0, 0));
    assert!(!hazards.unchecked().is_empty());
    // Memory that was allocated beneath the layer, by an owner that may order its uses.
    let host = gpu.as_host().expect("it is the host");
    let theirs = warpcall::backend::DeviceMemory::allocate(host, 256)?;
    for stream in [&first, &second] {
        gpu.memset_async(stream.handle(), theirs, Fill::Byte(1), 256)?;
    }
    assert_eq!(hazards.unchecked().arguments, 2);
    // A stream that others use too.
    gpu.layer::<HazardCheck>().expect("it is there").share_stream(second.handle());
    y.fill(&second, Fill::Byte(1))?;
    assert_eq!((hazards.unchecked().foreign_streams, hazards.reports().len()), (2, 1));
    Ok(())
}

#[test]
fn what_others_may_have_waited_for_is_no_hazard() -> Result<()> {
    // They share a stream, and wait for it, or have another of theirs wait for it.
    let Setup { hazards, gpu, first, second, x, mut y, .. } = setup();
    y.fill(&first, Fill::Byte(1))?;
    gpu.layer::<HazardCheck>().expect("it is there").share_stream(first.handle());
    y.fill(&second, Fill::Byte(2))?;
    assert_eq!(hazards.reports(), [], "the host may have waited for the stream that is shared");
    first.wait_for(&second)?;
    let third = gpu.create_stream()?;
    y.copy_from_device(&third, &x)?;
    assert_eq!(hazards.reports(), [], "it may have waited for what that stream waits for");
    y.fill(&second, Fill::Byte(3))?;
    assert_eq!(hazards.reports().len(), 1, "all else is compared as before");
    Ok(())
}

#[test]
fn a_raw_pointer_may_reach_further_and_no_more_with_red_zones_around_the_check() -> Result<()> {
    let (hazards, zones) = (Hazards::strict(), RedZones::new(256)?);
    // By hand, as the builder puts the check outermost.
    let check = Layered::new(Arc::new(HostBackend::new()), hazards.layer());
    let gpu = Gpu::from_backend(Arc::new(Layered::new(Arc::new(check), zones)));
    let (first, second) = (gpu.create_stream()?, gpu.create_stream()?);
    let (words, bins) = (gpu.zeros::<u32>(64)?, gpu.zeros::<u32>(64)?);
    // SAFETY: the kernel stays within the memory of both pointers.
    unsafe {
        launch_copy(&first, ONE(), &mut words.device_ptr(), &bins)?;
        launch_copy(&second, ONE(), &mut words.slice(32..)?.device_ptr(), &bins)?;
    }
    assert_eq!((hazards.reports(), hazards.possible().len()), (vec![], 1));
    Ok(())
}

#[test]
fn one_list_serves_several_backends() -> Result<()> {
    let hazards = Hazards::new();
    let mut setups = [with(&hazards), with(&hazards)];
    for setup in &mut setups {
        assert!(setup.gpu.layer::<HazardCheck>().is_some_and(|check| check.hazards().reports().is_empty()));
    }
    for setup in &mut setups {
        setup.produce();
    }
    assert_eq!(hazards.reports(), [], "their memory and their streams are apart");
    for setup in &mut setups {
        setup.consume()?;
    }
    assert_eq!(hazards.reports().iter().map(|hazard| hazard.count).sum::<u64>(), 2);
    Ok(())
}

#[test]
fn a_thread_comes_after_what_other_threads_have_waited_for() -> Result<()> {
    let mut setup = setup();
    setup.produce();
    std::thread::scope(|scope| scope.spawn(|| setup.first.synchronize()).join().expect("it does not panic"))?;
    setup.consume()?;
    assert_eq!(setup.hazards.reports(), []);
    Ok(())
}

#[test]
fn a_layer_that_waits_hides_nothing_whatever_is_asked_for_first() -> Result<()> {
    for hazards_first in [true, false] {
        let hazards = Hazards::new();
        let builder = Gpu::builder().host_delayed();
        let builder = if hazards_first {
            builder.hazards(&hazards).sync_check()
        } else {
            builder.sync_check().hazards(&hazards)
        };
        let gpu = builder.open()?;
        let (first, second) = (gpu.create_stream()?, gpu.create_stream()?);
        let mut buffer = gpu.zeros::<u32>(64)?;
        // SAFETY: the function writes the first word.
        unsafe {
            launch_count(&first, ONE(), &mut buffer, None)?;
            launch_count(&second, ONE(), &mut buffer, None)?;
        }
        assert_eq!(hazards.reports().len(), 1, "asked for first: {hazards_first}");
    }
    Ok(())
}
