//! Launches on a device: attributes, shared memory, copies and captures around them, and handles that are none.

mod cuda_support;

use std::time::Duration;

use cuda_support::{
    DEFAULT, FILL, LATE, SHARED_SIZE, counted, cuda_alone_or_skip, cuda_or_skip, fill, find, late, launch,
    refusal, says, shared_size, word,
};

use warpcall::backend::{
    CopyMemory as _, DeviceInfo as _, DeviceMemory as _, Events as _, Graphs as _, KernelLookup as _,
    PinnedMemory as _, Streams as _,
};
use warpcall::{DevicePtr, Gpu, KernelLaunch, LaunchConfig, StreamHandle, StreamRef};

#[test]
fn each_attribute_is_honoured() {
    let Some(backend) = cuda_or_skip() else { return };
    let config = LaunchConfig::new(8, 32);
    let (major, _) = backend.properties().compute_capability.expect("a CUDA device");
    let mut configs = vec![config, config.cooperative(), config.priority(0)];
    if major >= 9 {
        configs.extend([
            config.cluster(2),
            config.cluster([8, 1, 1]),
            config.programmatic(),
            config.cluster(4).cooperative().programmatic().priority(-1),
        ]);
    }
    for config in configs {
        assert_eq!(counted(&backend, config).unwrap_or_else(|error| panic!("{config}: {error}")), 256);
    }
}

#[test]
fn a_stream_of_each_priority_works_and_others_are_refused() {
    let Some(backend) = cuda_or_skip() else { return };
    for priority in [None, Some(0), Some(-1)] {
        let stream = backend.create_stream(priority).expect("a priority of every device");
        let values = backend.allocate(400).expect("memory");
        fill(&backend, stream, values, 100, 1).expect("a launch");
        backend.synchronize_stream(stream).expect("nothing went wrong");
    }
    says(&refusal("a priority too far", backend.create_stream(Some(-1000))), &["-1000", "priority"]);
    says(&refusal("a launch's priority", counted(&backend, LaunchConfig::new(1, 1).priority(77))), &["77"]);
}

#[test]
fn dynamic_shared_memory_goes_up_to_the_devices_limit() {
    let Some(backend) = cuda_or_skip() else { return };
    let limit = backend.properties().limits.max_shared_mem_per_block;
    let run = |bytes: u32| shared_size(&backend, bytes);
    // Up and down again: what was raised stays.
    for bytes in [0, 1024, 47 << 10, 48 << 10, limit - 1024, 64 << 10, 16, limit - 1024] {
        if bytes <= limit - 1024 {
            assert_eq!(run(bytes).unwrap_or_else(|error| panic!("{bytes} bytes: {error}")), bytes);
        }
    }
    let text = refusal("a kilobyte too many, with the static one", run(limit - 1023));
    says(&text, &["shared_size", "1024 static", &limit.to_string(), &(limit + 1).to_string(), "size="]);
    let attributes = SHARED_SIZE.attributes(&*backend).expect("the kernel is there");
    assert_eq!(attributes.static_shared_mem, 1024);
    assert_eq!(attributes.max_dynamic_shared_mem, limit - 1024);
}

#[test]
fn raising_from_many_threads_never_lowers() {
    let Some(backend) = cuda_or_skip() else { return };
    std::thread::scope(|scope| {
        for thread in 0..8_u32 {
            let backend = &backend;
            scope.spawn(move || {
                let stream = backend.create_stream(None).expect("a stream");
                let size = word(backend);
                for round in 0..50 {
                    let bytes = (40 << 10) + ((thread * 7 + round * 5) % 8) * (5 << 10);
                    launch(backend, &SHARED_SIZE, LaunchConfig::new(1, 32).shared_mem(bytes), stream, |l| {
                        l.arg_ptr(size);
                    })
                    .unwrap_or_else(|error| panic!("{bytes} bytes: {error}"));
                }
                backend.synchronize_stream(stream).expect("nothing went wrong");
            });
        }
    });
}

#[test]
fn an_undeclared_launch_is_compared_with_the_kernel() {
    let Some(backend) = cuda_or_skip() else { return };
    backend.register_module(*FILL.module()).expect("a module");
    let kernel = find(&backend, "test", "fill").expect("the kernel is there");
    let values = backend.allocate(400).expect("memory");
    let launch = |build: &dyn Fn(&mut KernelLaunch<'_>)| {
        let mut launch = KernelLaunch::new(&*backend, kernel);
        launch.block(128);
        build(&mut launch);
        // SAFETY: the parameters of `fill`, or it is refused.
        unsafe { launch.launch(&StreamRef::new(&*backend, DEFAULT)) }
    };
    launch(&|l| {
        l.arg_ptr(values).arg_u32(100).arg_u32(9);
    })
    .expect("the three parameters");
    let text = refusal(
        "an argument too few",
        launch(&|l| {
            l.arg_ptr(values).arg_u32(100);
        }),
    );
    says(&text, &["fill", "3", "2"]);
    let text = refusal(
        "a usize for an unsigned int",
        launch(&|l| {
            l.arg_ptr(values).arg_u64(100).arg_u32(9);
        }),
    );
    says(&text, &["fill", "#1", "4 bytes", "8 bytes"]);
    let mut found = [0_u32; 100];
    backend.copy_to_host(bytemuck::cast_slice_mut(&mut found), values).expect("a copy back");
    assert_eq!(found, [9; 100]);
}

#[test]
fn a_declared_kernel_that_is_found_by_name_is_compared_with_its_declaration() {
    let Some(backend) = cuda_or_skip() else { return };
    let gpu = Gpu::from_backend(backend.clone());
    gpu.register_kernels(&[&FILL]).expect("the kernel is there");
    let kernel = find(&backend, "test", "fill").expect("the kernel is there");
    assert_eq!(kernel, FILL.resolve(&*backend).expect("the kernel is there"));
    let values = backend.allocate(400).expect("memory");
    let mut launch = KernelLaunch::new(&*backend, kernel);
    launch.arg_ptr(values).arg_f32(100.0).arg_u32(9);
    // SAFETY: it is refused.
    let refused = unsafe { launch.launch(&StreamRef::new(&*backend, DEFAULT)) };
    says(&refusal("a float for an unsigned int", refused), &["`fill`", "`n`", "`u32`", "a float of 4 bytes"]);
}

#[test]
fn a_plain_copy_has_read_its_source_when_it_returns() {
    let Some(backend) = cuda_or_skip() else { return };
    let stream = backend.create_stream(None).expect("a stream");
    let blocker = word(&backend);
    // On both sides of the longest that is staged, and more of them than there are blocks to stage in.
    for bytes in [1_usize, 1000, 256 << 10, (256 << 10) + 1, 4 << 20] {
        let pinned = backend.allocate_pinned(bytes).expect("pinned memory");
        // SAFETY: as many bytes, which nothing else uses.
        let pinned = unsafe { std::slice::from_raw_parts_mut(pinned.as_ptr(), bytes) };
        let mut pageable = vec![0_u8; bytes];
        for source in [pinned, pageable.as_mut_slice()] {
            let copies: Vec<_> = (0..24).map(|_| backend.allocate(bytes).expect("memory")).collect();
            late(&backend, stream, blocker, 1, Duration::from_millis(2)).expect("a launch");
            for (number, copy) in (1_u8..).zip(&copies) {
                source.fill(number);
                backend.copy_to_device_async(stream, *copy, source).expect("a copy");
                source.fill(0xEE);
            }
            backend.synchronize_stream(stream).expect("nothing went wrong");
            for (number, copy) in (1_u8..).zip(copies) {
                let mut found = vec![0_u8; bytes];
                backend.copy_to_host(&mut found, copy).expect("a copy back");
                assert!(found.iter().all(|byte| *byte == number), "copy {number} of {bytes} bytes");
                // SAFETY: nothing uses the memory any more.
                unsafe { backend.free(copy) }.expect("it is live");
            }
        }
    }
}

#[test]
fn memory_freed_during_a_capture_is_given_back_after_it() {
    const BYTES: usize = 64 << 20;
    let Some(backend) = cuda_alone_or_skip() else { return };
    fill(&backend, DEFAULT, word(&backend), 1, 1).expect("the kernel is loaded");
    let stream = backend.create_stream(None).expect("a stream");
    let values = backend.allocate(400).expect("memory");
    let before = backend.memory_info().expect("the device answers").free;
    let unrelated = backend.allocate(BYTES).expect("memory");
    backend.begin_capture(stream).expect("a capture");
    fill(&backend, stream, values, 100, 6).expect("a launch that is recorded");
    // SAFETY: nothing uses the memory.
    unsafe { backend.free(unrelated) }.expect("it is live");
    LATE.resolve(&*backend).expect("a kernel that is found during the capture");
    let graph = backend.end_capture(stream).expect("neither spoils the capture");
    let after = backend.memory_info().expect("the device answers").free;
    assert!(after + (16 << 20) > before, "{before} bytes were free, and {after} are now");
    // SAFETY: the memory of the graph lives.
    unsafe { backend.launch_graph(graph, stream) }.expect("a launch of the graph");
    let mut found = [0_u32; 100];
    backend.copy_to_host_on(stream, bytemuck::cast_slice_mut(&mut found), values).expect("a copy back");
    assert_eq!(found, [6; 100]);
}

#[test]
fn a_module_may_load_during_a_capture() {
    let Some(backend) = cuda_or_skip() else { return };
    let stream = backend.create_stream(None).expect("a stream");
    let values = backend.allocate(400).expect("memory");
    backend.begin_capture(stream).expect("a capture");
    fill(&backend, stream, values, 100, 8).expect("the first launch of the module");
    let graph = backend.end_capture(stream).expect("loading does not spoil the capture");
    // SAFETY: the memory of the graph lives.
    unsafe { backend.launch_graph(graph, stream) }.expect("a launch of the graph");
    let mut found = [0_u32; 100];
    backend.copy_to_host_on(stream, bytemuck::cast_slice_mut(&mut found), values).expect("a copy back");
    assert_eq!(found, [8; 100]);
}

#[test]
fn handles_that_were_never_made_are_refused_by_name() {
    let Some(backend) = cuda_alone_or_skip() else { return };
    let stream = StreamHandle::new(0xDEAD_BEEF);
    let wild = DevicePtr::new(0xDEAD_BEE0);
    for text in [
        refusal("a stream", backend.synchronize_stream(stream)),
        refusal("a stream", backend.begin_capture(stream)),
        refusal(
            "an event",
            backend.synchronize_event(warpcall::EventHandle::new(0xDEAD_BEEF).expect("not zero")),
        ),
        // SAFETY: it is refused.
        refusal("a graph", unsafe {
            backend.launch_graph(warpcall::GraphHandle::new(0xDEAD_BEEF).expect("not zero"), DEFAULT)
        }),
    ] {
        says(&text, &["0xdeadbeef", "cuda"]);
    }
    says(
        &refusal("a copy to nowhere", backend.copy_to_device(wild, &[1; 4])),
        &["0xdeadbee0", "nothing was allocated"],
    );
    let mut pageable = [5_u8; 64];
    let host = DevicePtr::new(pageable.as_mut_ptr().expose_provenance() as u64);
    refusal("a copy to the host's memory as if it were the device's", backend.copy_to_device(host, &[1; 4]));
    assert_eq!(pageable, [5; 64]);
    let freed = backend.allocate(4000).expect("memory");
    // SAFETY: what follows is refused.
    unsafe { backend.free(freed) }.expect("it is live");
    says(&refusal("a copy to freed memory", backend.copy_to_device(freed, &[1; 4])), &["freed"]);
}
