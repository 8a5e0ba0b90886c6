//! A program on cudarc that launches through this crate: its context, its streams and its memory; and streams and memory of
//! this crate in calls of cudarc.

mod cuda_support;

use std::sync::{Arc, mpsc};
use std::time::Duration;

use cuda_support::{COUNT, SHARED_SIZE, cuda_alone_or_skip, cuda_or_skip, refusal, says};
use cudarc::driver::sys::{CUgraphInstantiate_flags, CUstreamCaptureMode};
use cudarc::driver::{CudaContext, CudaSlice, sys};
use warpcall::backend::cuda::interop::CudarcStream;
use warpcall::backend::{CopyMemory as _, DeviceInfo as _, DeviceMemory as _, Streams as _};
use warpcall::{
    AsStream, CudaBackend, DeviceMut, DeviceRef, Error, Gpu, KernelLaunch, LaunchConfig, NullableRef,
    StreamHandle, StreamRef, TrackedRead as _, TrackedWrite as _, kernel,
};

#[kernel(module = "test", image = "tests/cuda_support/kernels.ptx")]
unsafe extern "C" {
    /// `values[i] = value` for every `i < n`.
    unsafe fn fill(values: *mut u32, n: u32, value: u32);

    /// The same, where nothing may be there to fill, which `n` says.
    #[link_name = "fill"]
    unsafe fn fill_optional(#[nullable] values: *mut u32, n: u32, value: u32);

    /// The same, of memory without a type.
    #[link_name = "fill"]
    unsafe fn fill_untyped(values: *mut std::ffi::c_void, n: u32, value: u32);

    /// Waits, then writes a word.
    unsafe fn late(values: *mut u32, value: u32, nanoseconds: u64);

    /// Waits, then copies a word.
    unsafe fn late_copy(to: *mut u32, #[nullable] from: *const u32, nanoseconds: u64);
}

/// Long enough for whatever is not made to wait to be done long before.
const TIME: u64 = 200_000_000;

const ONE: fn() -> LaunchConfig = || LaunchConfig::new(1, 1);

/// cudarc's primary context of the first device, and a backend in it.
fn adopted() -> Option<(Arc<CudaContext>, Gpu)> {
    cuda_alone_or_skip()?;
    let context = CudaContext::new(0).expect("cudarc finds the device too");
    let gpu = Gpu::from_cudarc(&context).expect("a backend in cudarc's context");
    Some((context, gpu))
}

#[test]
fn a_generated_launch_takes_cudarcs_stream_and_memory() {
    let Some((context, gpu)) = adopted() else { return };
    let cudarc_stream = context.new_stream().expect("a stream");
    let mut values = cudarc_stream.alloc_zeros::<u32>(1000).expect("memory");
    let stream = CudarcStream::new(&gpu, &cudarc_stream).expect("its own stream");
    // SAFETY: a thousand words.
    unsafe { launch_fill(&stream, LaunchConfig::for_elements(1000, 256), &mut values, 1000, 7) }
        .expect("a launch into a slice");
    let mut view = values.slice_mut(100..200);
    // SAFETY: a hundred words.
    unsafe { launch_fill(&stream, LaunchConfig::for_elements(100, 256), &mut view, 100, 8) }
        .expect("a launch into a view");
    // SAFETY: fifty words.
    unsafe { launch_fill_untyped(&stream, LaunchConfig::new(1, 64), &mut values.slice_mut(..50), 50, 9) }
        .expect("a launch into untyped memory");

    let other = context.new_stream().expect("a stream");
    let found = other.clone_dtoh(&values).expect("cudarc reads on another stream what was written here");
    other.synchronize().expect("nothing went wrong");
    for (index, found) in found.iter().enumerate() {
        let expected = match index {
            0..50 => 9,
            100..200 => 8,
            _ => 7,
        };
        assert_eq!(*found, expected, "element {index}");
    }
    gpu.synchronize_stream(stream.as_stream().handle()).expect("a lent stream can be waited for");
}

#[test]
fn nullable_parameters_take_cudarcs_memory_or_none() {
    let Some((context, gpu)) = adopted() else { return };
    let cudarc_stream = context.new_stream().expect("a stream");
    let stream = CudarcStream::new(&gpu, &cudarc_stream).expect("its own stream");
    let mut values = cudarc_stream.alloc_zeros::<u32>(10).expect("memory");
    let source = cudarc_stream.clone_htod(&[5_u32]).expect("memory");
    let option = Some(&source);
    // SAFETY: ten words; none; one word to one word.
    unsafe {
        launch_fill_optional(&stream, LaunchConfig::new(1, 32), &mut values, 10, 7).expect("a slice");
        launch_fill_optional(&stream, LaunchConfig::new(1, 32), None, 0, 7).expect("none");
        launch_late_copy(&stream, ONE(), &mut values, NullableRef::from_option(option), 0)
            .expect("an option");
        launch_late_copy(&stream, ONE(), &mut values.slice_mut(1..), &source.slice(..), 0).expect("a view");
    }
    let found = cudarc_stream.clone_dtoh(&values).expect("a copy back");
    cudarc_stream.synchronize().expect("nothing went wrong");
    assert_eq!(found, [5, 5, 7, 7, 7, 7, 7, 7, 7, 7]);
}

/// Whether launches on one stream and cudarc's own work on another wait for each other, where they use the same memory.
fn each_waits_for_the_other(context: &Arc<CudaContext>, cudarc: &CudarcStream, other: &impl AsStream) {
    let own = cudarc.cudarc();
    let (mut values, mut busy) =
        (own.clone_htod(&[9_u32]).expect("memory"), own.alloc_zeros::<u32>(1).expect("memory"));
    let mut copied = own.alloc_zeros::<u32>(1).expect("memory");
    let read = |values: &CudaSlice<u32>| {
        context.synchronize().expect("nothing went wrong");
        let found = own.clone_dtoh(values).expect("a copy back")[0];
        own.synchronize().expect("nothing went wrong");
        found
    };

    // Once before, so that the kernels are loaded, for which the driver may wait for the device.
    // SAFETY: one word each, here and below.
    unsafe {
        launch_fill(other, ONE(), &mut values, 1, 9).expect("a launch");
        launch_late(other, ONE(), &mut busy, 1, 0).expect("a launch");
        launch_late_copy(other, ONE(), &mut copied, &values, 0).expect("a launch");
    }
    assert_eq!(read(&copied), 9);

    // SAFETY: as above.
    unsafe { launch_late(cudarc, ONE(), &mut busy, 1, TIME) }.expect("a launch");
    own.memset_zeros(&mut values).expect("cudarc writes, once its stream gets there");
    // SAFETY: as above.
    unsafe { launch_fill(other, ONE(), &mut values, 1, 7) }.expect("a launch");
    assert_eq!(read(&values), 7, "a launch that writes did not wait for what cudarc wrote");

    // SAFETY: as above.
    unsafe { launch_late(cudarc, ONE(), &mut busy, 1, TIME) }.expect("a launch");
    own.memset_zeros(&mut values).expect("cudarc writes, once its stream gets there");
    // SAFETY: as above.
    unsafe { launch_late_copy(other, ONE(), &mut copied, &values, 0) }.expect("a launch");
    assert_eq!(read(&copied), 0, "a launch that reads did not wait for what cudarc wrote");

    // SAFETY: as above.
    unsafe { launch_late(other, ONE(), &mut values, 5, TIME) }.expect("a launch");
    own.memset_zeros(&mut values).expect("cudarc writes");
    assert_eq!(read(&values), 0, "cudarc did not wait for a launch that writes");

    // SAFETY: as above.
    unsafe { launch_fill(cudarc, ONE(), &mut values, 1, 6) }.expect("a launch");
    // SAFETY: as above.
    unsafe { launch_late_copy(other, ONE(), &mut copied, &values, TIME) }.expect("a launch");
    own.memset_zeros(&mut values).expect("cudarc writes");
    assert_eq!(read(&copied), 6, "cudarc did not wait for a launch that reads");

    // The same with the builder, whose caller begins and ends the use.
    let count = COUNT.resolve(other.as_stream().backend()).expect("the kernel is there");
    // SAFETY: as above.
    unsafe { launch_late(cudarc, ONE(), &mut busy, 1, TIME) }.expect("a launch");
    own.memset_zeros(&mut values).expect("cudarc writes, once its stream gets there");
    let in_use = values.begin_write(other.as_stream()).expect("it may be used there");
    let mut launch = KernelLaunch::new(other.as_stream().backend(), count);
    // SAFETY: as above.
    unsafe { launch.block(32).arg_ptr(&in_use).launch(other) }.expect("a launch");
    in_use.end().expect("cudarc is told");
    assert_eq!(read(&values), 32, "a launch of the builder did not wait for what cudarc wrote");
}

#[test]
fn launches_are_ordered_by_cudarcs_events_between_its_streams() {
    let Some((context, gpu)) = adopted() else { return };
    let streams = [(); 2].map(|()| context.new_stream().expect("a stream"));
    let [first, second] =
        [0, 1].map(|index| CudarcStream::new(&gpu, &streams[index]).expect("its own stream"));
    assert!(context.is_managing_stream_synchronization());
    each_waits_for_the_other(&context, &first, &second);
    let own = gpu.create_stream().expect("a stream");
    each_waits_for_the_other(&context, &first, &own);
}

#[test]
fn launches_on_a_stream_that_cudarc_knows_nothing_of_are_ordered_with_its_default_one() {
    let Some((context, gpu)) = adopted() else { return };
    let default = CudarcStream::new(&gpu, &context.default_stream()).expect("its own stream");
    let own = gpu.create_stream().expect("a stream");
    assert!(!context.is_in_multi_stream_mode());
    each_waits_for_the_other(&context, &default, &own);
}

#[test]
fn the_builder_takes_cudarcs_memory_while_it_is_in_use() {
    let Some((context, gpu)) = adopted() else { return };
    let cudarc_stream = context.default_stream();
    let mut total = cudarc_stream.alloc_zeros::<u32>(1).expect("memory");
    let stream = CudarcStream::new(&gpu, &cudarc_stream).expect("its own stream");
    let mut launch = KernelLaunch::new(&*gpu, COUNT.resolve(&*gpu).expect("the kernel is there"));
    let in_use = total.begin_write(stream.as_stream()).expect("it may be used there");
    launch.grid(4).block(64).arg_ptr(&in_use);
    // SAFETY: one word.
    unsafe { launch.launch(&stream) }.expect("a launch");
    in_use.end().expect("cudarc is told");
    assert_eq!(cudarc_stream.clone_dtoh(&total).expect("a copy back"), [256]);
}

#[test]
fn a_use_that_is_forgotten_or_too_long_holds_no_stream_up() {
    let Some((context, gpu)) = adopted() else { return };
    let own = context.new_stream().expect("a stream");
    let values = own.alloc_zeros::<u32>(1).expect("memory");
    let released_in_time = |stream: CudarcStream| {
        let (done, is_done) = mpsc::channel();
        std::thread::spawn(move || {
            drop(stream);
            done.send(()).expect("the test waits");
        });
        is_done.recv_timeout(Duration::from_secs(20)).expect("the stream is not released");
    };
    let stream = CudarcStream::new(&gpu, &own).expect("its own stream");
    std::mem::forget(values.begin_read(stream.as_stream()).expect("it may be used there"));
    released_in_time(stream);

    let stream = CudarcStream::new(&gpu, &own).expect("its own stream");
    let by_number = StreamRef::new(&*gpu, stream.as_stream().handle());
    let in_use = values.begin_read(by_number).expect("it may be used there");
    released_in_time(stream);
    says(&refusal("the end of a use on a stream that is gone", in_use.end()), &["no live stream"]);
}

#[test]
fn cudarcs_memory_says_where_it_is() {
    let Some((context, gpu)) = adopted() else { return };
    let mut values = context.default_stream().alloc_zeros::<u32>(100).expect("memory");
    let whole = DeviceRef::<u32>::span(&values);
    assert_eq!(whole.bytes, Some(400));
    assert_eq!(values.begin_read(StreamRef::default_of(&*gpu)).expect("it may be read").span(), whole);
    let part = DeviceMut::<u32>::span_mut(&mut values.slice_mut(10..20));
    assert_eq!((part.ptr, part.bytes), (whole.ptr.byte_add(40), Some(40)));
}

#[test]
fn both_see_one_context() {
    let Some(backend) = cuda_alone_or_skip() else { return };
    let context = backend.to_cudarc().expect("cudarc's view");
    assert_eq!(context.ordinal(), backend.ordinal());
    assert!(Arc::ptr_eq(&context, &backend.to_cudarc().expect("the same one")));
    let again = CudaBackend::from_cudarc(&context).expect("and back");
    assert!(Arc::ptr_eq(&context, &again.to_cudarc().expect("cudarc's view")));
    assert_ne!(backend.id(), again.id());
    let refused = CudaBackend::builder(1).open_in(&context);
    says(&refusal("a context of another device", refused), &["CUDA device 0", "CUDA device 1"]);
}

/// A context of device 0 that is not its primary one.
fn own_context() -> Arc<CudaContext> {
    type Create = unsafe extern "C" fn(*mut sys::CUcontext, u32, sys::CUdevice) -> u32;
    let mut raw = std::ptr::null_mut();
    // SAFETY: the symbol has this type in every driver, the handle outlives the call, and the device is there. cudarc
    // destroys the context.
    unsafe {
        let driver = libloading::Library::new("libcuda.so.1").expect("the driver is loaded already");
        let create = driver.get::<Create>("cuCtxCreate_v2").expect("every driver has it");
        assert_eq!(create(&raw mut raw, 0, 0), 0, "the driver makes a context");
        CudaContext::from_raw_context(0, 0, raw).expect("cudarc takes it")
    }
}

#[test]
fn a_stream_of_another_context_is_refused() {
    let Some((_, gpu)) = adopted() else { return };
    let other = own_context();
    let stream = other.new_stream().expect("a stream");
    let refused = CudarcStream::new(&gpu, &stream);
    says(
        &refusal("another context's stream", refused),
        &["not the primary one", "CUDA device 0", "cuda backend"],
    );
    let refused = CudarcStream::new(&Gpu::host().expect("it is always there"), &stream);
    says(&refusal("a stream on the host", refused), &["CUDA device 0", "host backend"]);
}

#[test]
fn memory_of_another_context_is_refused_by_parameter() {
    let Some((context, gpu)) = adopted() else { return };
    let other = own_context();
    let mut values = other.default_stream().alloc_zeros::<u32>(1).expect("memory");
    let mut own = context.default_stream().alloc_zeros::<u32>(1).expect("memory");
    let stream = gpu.create_stream().expect("a stream");
    let words = ["`values`", "cudarc's", "not the primary one", "CUDA device 0", "cuda backend", "DevicePtr"];
    // SAFETY: refused.
    let refused = unsafe { launch_fill(&stream, ONE(), &mut values, 1, 7) };
    says(&refusal("another context's memory", refused), &words);
    // SAFETY: refused.
    let refused = unsafe { launch_late_copy(&stream, ONE(), &mut own, &values, 0) };
    says(&refusal("another context's memory, to read", refused), &["`late_copy`", "`from`"]);
    let host = Gpu::host().expect("it is always there");
    // SAFETY: refused.
    let refused = unsafe { launch_fill(&host.default_stream(), ONE(), &mut own, 1, 7) };
    says(&refusal("cudarc's memory on the host", refused), &["`values`", "CUDA device 0", "host backend"]);
}

#[test]
fn the_drivers_numbers_for_default_streams_are_refused_by_name() {
    let Some((context, gpu)) = adopted() else { return };
    let refused = CudarcStream::new(&gpu, &context.per_thread_stream());
    says(&refusal("cudarc's per-thread stream", refused), &["CudarcStream::new", "CU_STREAM_PER_THREAD"]);
    let mut values = gpu.zeros::<u32>(1).expect("memory");
    let source = gpu.zeros::<u32>(1).expect("memory");
    for (number, name) in [(1, "CU_STREAM_LEGACY"), (2, "CU_STREAM_PER_THREAD")] {
        let stream = StreamHandle::new(number);
        // SAFETY: refused.
        let refused = unsafe { launch_fill(&StreamRef::new(&*gpu, stream), ONE(), &mut values, 1, 7) };
        says(&refusal("a launch on a reserved number", refused), &["`fill`", name, "StreamHandle::DEFAULT"]);
        says(&refusal("a reserved number is waited for", gpu.synchronize_stream(stream)), &[name]);
        // SAFETY: refused.
        let refused = unsafe { gpu.as_cuda().expect("it is").adopt_stream(stream) };
        says(&refusal("a reserved number is lent", refused), &["adopt_stream", name]);
        let refused = values.copy_from_device(&StreamRef::new(&*gpu, stream), &source);
        says(&refusal("a copy on a reserved number", refused), &[name]);
    }
}

#[test]
fn cudarc_uses_streams_and_memory_of_this_crate() {
    let Some(backend) = cuda_alone_or_skip() else { return };
    let gpu = Gpu::from_backend(backend);
    let stream = gpu.create_stream().expect("a stream");
    // SAFETY: the stream outlives all that uses it here.
    let lent_stream = unsafe { stream.to_cudarc() }.expect("cudarc's view");
    assert_eq!(lent_stream.cu_stream() as u64, stream.handle().get());
    // SAFETY: the default stream is always there.
    let default = unsafe { gpu.default_stream().to_cudarc() }.expect("cudarc's view");
    assert!(default.cu_stream().is_null());

    let mut values = gpu.zeros::<u32>(100).expect("memory");
    // SAFETY: one word.
    unsafe { launch_late(&stream, ONE(), &mut values, 5, TIME) }.expect("a launch");
    let lent = values.lend_to_cudarc(&lent_stream).expect("lent");
    let copy =
        lent_stream.clone_dtod(&lent.as_view().slice(..10)).expect("cudarc reads in the stream's order");
    drop(lent);
    let mut lent = values.lend_mut_to_cudarc(&lent_stream).expect("lent");
    assert_eq!(lent.as_view().len(), 100);
    lent_stream.memcpy_htod(&[6_u32; 50], &mut lent.as_view_mut().slice_mut(50..)).expect("cudarc writes");
    drop(lent);
    let found = values.to_vec(&stream).expect("the memory is still there");
    assert_eq!((found[0], &found[1..50], &found[50..]), (5, &[0; 49][..], &[6; 50][..]));
    assert_eq!(lent_stream.clone_dtoh(&copy).expect("a copy back")[..2], [5, 0]);
    lent_stream.synchronize().expect("nothing went wrong");

    let mut on_host = Gpu::host().and_then(|host| host.zeros::<u32>(1)).expect("memory");
    says(&refusal("host memory in cudarc", on_host.lend_mut_to_cudarc(&lent_stream)), &["host backend"]);
}

#[test]
fn what_is_lent_on_one_stream_is_ordered_on_cudarcs_others() {
    let Some((context, gpu)) = adopted() else { return };
    let streams = [(); 2].map(|()| context.new_stream().expect("a stream"));
    let first = CudarcStream::new(&gpu, &streams[0]).expect("its own stream");
    let mut values = gpu.upload(&[9_u32]).expect("memory");
    // SAFETY: one word.
    unsafe { launch_late(&first, ONE(), &mut values, 5, TIME) }.expect("a launch");
    let lent = values.lend_to_cudarc(&streams[0]).expect("lent");
    let copy = streams[1].clone_dtod(&lent.as_view()).expect("cudarc waits for the launch");
    drop(lent);
    let found = streams[1].clone_dtoh(&copy).expect("a copy back");
    streams[1].synchronize().expect("nothing went wrong");
    assert_eq!(found, [5]);

    let mut lent = values.lend_mut_to_cudarc(&streams[0]).expect("lent");
    let mut busy = streams[1].alloc_zeros::<u32>(1).expect("memory");
    let second = CudarcStream::new(&gpu, &streams[1]).expect("its own stream");
    // SAFETY: one word.
    unsafe { launch_late(&second, ONE(), &mut busy, 1, TIME) }.expect("a launch");
    streams[1].memset_zeros(&mut lent.as_view_mut()).expect("cudarc writes, once its stream gets there");
    drop(lent);
    assert_eq!(values.to_vec(&first).expect("the stream waits for cudarc"), [0]);
}

#[test]
fn a_capture_that_cudarc_began_records_launches_and_is_ended_by_cudarc() {
    let Some((context, gpu)) = adopted() else { return };
    let cudarc_stream = context.new_stream().expect("a stream");
    let stream = CudarcStream::new(&gpu, &cudarc_stream).expect("its own stream");
    let mut values = cudarc_stream.alloc_zeros::<u32>(10).expect("memory");
    // Once before, so that the kernel is loaded.
    // SAFETY: ten words, here and below.
    unsafe { launch_fill(&stream, LaunchConfig::new(1, 32), &mut values, 10, 1) }.expect("a launch");
    context.synchronize().expect("nothing went wrong");

    // SAFETY: all is on one stream.
    unsafe { context.disable_event_tracking() };
    cudarc_stream
        .begin_capture(CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL)
        .expect("a capture begins");
    // SAFETY: as above.
    unsafe { launch_fill(&stream, LaunchConfig::new(1, 32), &mut values, 10, 7) }.expect("it is recorded");
    assert!(gpu.is_capturing(stream.as_stream().handle()).expect("it can be asked"));
    let refused = gpu.end_capture(stream.as_stream().handle());
    says(&refusal("ending a capture of cudarc's", refused), &["end_capture", "capture"]);
    let graph = cudarc_stream.end_capture(CUgraphInstantiate_flags(0)).expect("it goes on and ends");
    let found = |values: &CudaSlice<u32>| {
        let found = cudarc_stream.clone_dtoh(values).expect("a copy back");
        cudarc_stream.synchronize().expect("nothing went wrong");
        found
    };
    assert_eq!(found(&values), [1; 10], "nothing ran while it was recorded");
    graph.expect("something was recorded").launch().expect("a replay");
    assert_eq!(found(&values), [7; 10]);
}

#[test]
fn memory_that_cudarc_tracks_is_refused_in_a_capture_which_goes_on() {
    let Some((context, gpu)) = adopted() else { return };
    let cudarc_stream = context.new_stream().expect("a stream");
    let mut values = cudarc_stream.alloc_zeros::<u32>(10).expect("memory");
    let mut own = gpu.zeros::<u32>(10).expect("memory");
    let stream = gpu.create_stream().expect("a stream");
    // SAFETY: ten words, here and below.
    unsafe { launch_fill(&stream, LaunchConfig::new(1, 32), &mut own, 10, 1) }.expect("a launch");
    let graph = stream
        .capture(|stream| {
            // SAFETY: refused.
            let refused = unsafe { launch_fill(stream, LaunchConfig::new(1, 32), &mut values, 10, 2) };
            assert!(
                matches!(refused.as_ref().map_err(Error::failure), Err(Error::Capture { .. })),
                "{refused:?}"
            );
            says(&refusal("tracked memory in a capture", refused), &["`values`", "disable_event_tracking"]);
            // SAFETY: as above.
            unsafe { launch_fill(stream, LaunchConfig::new(1, 32), &mut own, 10, 3) }
        })
        .expect("the capture is not spoiled");
    // SAFETY: the memory is still there.
    unsafe { graph.launch(&stream) }.expect("a replay");
    assert_eq!(own.to_vec(&stream).expect("a copy back"), [3; 10]);
}

#[test]
fn a_launch_finds_its_context_after_another_library_took_the_thread() {
    let Some(backend) = cuda_or_skip() else { return };
    let values = backend.allocate(400).expect("memory");
    let stream = backend.create_stream(None).expect("a stream");
    for stream in [stream, warpcall::StreamHandle::DEFAULT] {
        cuda_support::fill(&backend, stream, values, 100, 1).expect("a launch");
        let other = own_context();
        other.bind_to_thread().expect("it is current now");
        cuda_support::fill(&backend, stream, values, 100, 2).expect("a launch after the context was taken");
        backend.synchronize_stream(stream).expect("nothing went wrong");
        let mut found = [0_u32; 100];
        backend.copy_to_host(bytemuck::cast_slice_mut(&mut found), values).expect("a copy back");
        assert_eq!(found, [2; 100]);
    }
}

#[test]
fn a_launch_with_much_shared_memory_finds_its_context_too() {
    let Some(backend) = cuda_or_skip() else { return };
    let size = cuda_support::word(&backend);
    // More than a kernel has without asking for it; this is what is raised, in the context of the backend.
    let bytes = 64 << 10;
    if backend.properties().limits.max_shared_mem_per_block < bytes + 1024 {
        cuda_support::not_run("the device has no more shared memory than every kernel may use");
        return;
    }
    SHARED_SIZE.resolve(&*backend).expect("the kernel is there");
    let other = own_context();
    other.bind_to_thread().expect("it is current now");
    cuda_support::launch(
        &backend,
        &SHARED_SIZE,
        LaunchConfig::new(1, 32).shared_mem(bytes),
        cuda_support::DEFAULT,
        |launch| {
            launch.arg_ptr(size);
        },
    )
    .expect("a launch after the context was taken");
    assert_eq!(cuda_support::read(&backend, size), bytes);
}
