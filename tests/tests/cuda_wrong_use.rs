//! Wrong use on a device, and what is said of it: each refusal names the limit, the value and the kernel.
//!
//! Each is printed as a line `REFUSED | what -> text`, whether the test passes or not. What ends a context is provoked in a
//! process of its own: the call that waits tells the error, and nothing panics.

mod cuda_support;

use std::process::Command;

use cuda_support::{
    DEFAULT, FAULT, FILL, PTX, counted, cuda_or_skip, fill, find, launch, refusal, say_refusal, says,
    shared_size, with_nvrtc,
};
use warpcall::backend::cuda::ImageFormat;
use warpcall::backend::{DeviceInfo as _, DeviceMemory as _, Streams as _};
use warpcall::{AsStream as _, DevicePtr, Gpu, LaunchConfig};

#[test]
fn a_launch_past_a_limit_is_refused_with_the_limit_the_value_and_the_kernel() {
    let Some(backend) = cuda_or_skip() else { return };
    let refused = |what: &str, config: LaunchConfig, words: &[&str]| {
        let text = refusal(what, counted(&backend, config));
        says(&text, &["`count`"]);
        says(&text, words);
    };
    refused(
        "a block of 2,000 threads",
        LaunchConfig::new(1, 2000),
        &["threads a block is 2000", "allows 1024", "total="],
    );
    refused(
        "gridDim.y of 70,000",
        LaunchConfig::new([1, 70_000], 1),
        &["grid dimension y is 70000", "allows 65535"],
    );
    refused("an empty grid", LaunchConfig::new(0, 32), &["[0,1,1]", "empty"]);
    let blocks = backend.properties().multiprocessors * 64;
    refused(
        "a cooperative grid too large",
        LaunchConfig::new(blocks, 1024).cooperative(),
        &["cooperative launch", &format!("has {blocks} blocks"), "are resident at once"],
    );
    if backend.properties().compute_capability >= Some((9, 0)) {
        refused(
            "a cluster that does not divide the grid",
            LaunchConfig::new(3, 32).cluster(2),
            &["grid dimension x is 3", "clusters of 2 do not divide"],
        );
        refused(
            "a cluster of 32",
            LaunchConfig::new(32, 32).cluster(32),
            &["has 32 blocks", "8 is the most"],
        );
    }
    assert_eq!(counted(&backend, LaunchConfig::new(2, 32)).expect("the device works on"), 64);
}

#[test]
fn too_much_shared_memory_is_refused_with_the_limit_the_value_and_the_kernel() {
    let Some(backend) = cuda_or_skip() else { return };
    let limit = backend.properties().limits.max_shared_mem_per_block;
    let text = refusal("300 KB of shared memory", shared_size(&backend, 300 << 10));
    let (dynamic, all) = (300 << 10, (300 << 10) + 1024);
    says(
        &text,
        &[
            "`shared_size`",
            &format!("1024 static and {dynamic} dynamic bytes) is {all}"),
            &format!("allows {limit}"),
            "size=",
        ],
    );
    assert_eq!(shared_size(&backend, 64).expect("the kernel works on"), 64);
}

#[test]
fn a_capture_abandoned_half_way_leaves_the_stream_usable() {
    let Some(backend) = cuda_or_skip() else { return };
    let gpu = Gpu::from_backend(backend.clone());
    let stream = gpu.create_stream().expect("a stream");
    let values = gpu.upload(&[3_u32; 100]).expect("memory");
    let raw = stream.as_stream().handle();

    // The first half is recorded, then a launch is refused.
    let captured = stream.capture(|_| {
        fill(&backend, raw, values.device_ptr(), 100, 4)?;
        launch(&backend, &FILL, LaunchConfig::new(1, 2000), raw, |launch| {
            launch.arg_ptr(&values).arg_u32(100).arg_u32(5);
        })
    });
    let text = refusal("a capture abandoned half-way by a launch that is refused", captured);
    says(&text, &["`fill`", "threads a block is 2000", "allows 1024", "n=100", "value=5"]);
    assert!(!stream.is_capturing().expect("the driver answers"));
    assert_eq!(values.to_vec(&stream).expect("the stream is usable"), [3; 100], "nothing of it ran");

    stream.begin_capture().expect("the stream captures again");
    fill(&backend, raw, values.device_ptr(), 100, 6).expect("a launch that is recorded");
    let text = refusal("waiting for a stream that captures", stream.synchronize());
    says(&text, &["synchronize_stream", "capturing", "after it ends"]);
    stream.abandon_capture().expect("it is given up");
    fill(&backend, raw, values.device_ptr(), 100, 7).expect("a launch on the stream");
    assert_eq!(values.to_vec(&stream).expect("a copy back"), [7; 100]);
    let graph = stream
        .capture(|_| fill(&backend, raw, values.device_ptr(), 100, 8))
        .expect("a capture that succeeds");
    // SAFETY: the values are there.
    unsafe { graph.launch(&stream) }.expect("a launch of the graph");
    assert_eq!(values.to_vec(&stream).expect("a copy back"), [8; 100]);
    assert_eq!(gpu.failed_drop_count(), 0, "{:?}", gpu.take_failed_drops());
}

#[test]
fn ptx_that_is_too_new_is_refused_with_the_drivers_version() {
    let Some(backend) = cuda_or_skip() else { return };
    backend.load_module("new", PTX.replace(".version 7.0", ".version 99.0")).expect("it is only kept");
    let text = refusal("PTX that is too new", find(&backend, "new", "fill"));
    let (major, minor) = backend.driver_version();
    says(&text, &["`new`", &format!("CUDA {major}.{minor}"), "UNSUPPORTED_PTX_VERSION"]);
}

#[test]
fn a_truncated_cubin_is_refused_with_both_lengths() {
    const SOURCE: &str = "extern \"C\" __global__ void set(int* value) { *value = 1; }";
    let Some(backend) = cuda_or_skip() else { return };
    let Some(compiled) = with_nvrtc(backend.compile_source("set.cu", SOURCE)) else { return };
    let compiled = compiled.expect("the source compiles");
    assert_eq!(compiled.format, ImageFormat::Cubin, "this NVRTC knows the device");
    let length = compiled.image.len() / 2;
    backend.load_module("cut", &compiled.image[..length]).expect("a cubin's beginning");
    let text = refusal("a truncated cubin", find(&backend, "cut", "set"));
    says(&text, &["`cut`", "cubin of ", &format!("of which {length} are there")]);
}

#[test]
fn a_missing_kernel_is_refused_with_the_names_that_exist() {
    let Some(backend) = cuda_or_skip() else { return };
    FILL.resolve(&*backend).expect("the kernel is there");
    let text = refusal("a missing kernel name", find(&backend, "test", "fil"));
    says(&text, &["`test`", "`fil`", "count, fault, fill, late, late_copy, shared_size"]);
    says(&refusal("a missing module name", find(&backend, "tset", "fill")), &["`tset`", "test"]);
}

/// Names the fault that the child process is to make.
const CHILD: &str = "WARPCALL_TEST_FAULT";

/// Runs the test `child` in a process of its own, and returns what it printed.
fn in_child(fault: &str) -> String {
    let program = std::env::current_exe().expect("the test program has a path");
    let output = Command::new(program)
        .args(["child", "--exact", "--nocapture", "--test-threads=1"])
        .env(CHILD, fault)
        .output()
        .expect("the test program starts again");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success(),
        "the process of `{fault}` ended with {}:\n{text}\n{errors}",
        output.status
    );
    text
}

#[test]
fn child() {
    let Some(fault) = std::env::var_os(CHILD) else { return };
    let backend = cuda_or_skip().expect("the parent found the device");
    let gpu = Gpu::from_backend(backend.clone());
    let owned = gpu.zeros::<u32>(100).expect("memory");
    let stream = gpu.create_stream().expect("a stream");
    let launched = match fault.to_str() {
        Some("a null pointer") => fill(&backend, DEFAULT, DevicePtr::NULL, 100, 1),
        Some("a wild pointer") => fill(&backend, DEFAULT, DevicePtr::new(0x7000_0000_0000), 100, 1),
        Some("a freed pointer") => {
            let memory = backend.allocate(64 << 20).expect("memory");
            // SAFETY: what follows is the fault that is asked for.
            unsafe { backend.free(memory) }.expect("it is live");
            fill(&backend, DEFAULT, memory, 100, 1)
        }
        Some("a misaligned pointer") => {
            let memory = backend.allocate(4000).expect("memory");
            fill(&backend, DEFAULT, memory.byte_add(1), 100, 1)
        }
        Some("a kernel that faults") => launch(&backend, &FAULT, LaunchConfig::new(1, 1), DEFAULT, |_| {}),
        other => panic!("no such fault: {other:?}"),
    };
    match launched.and_then(|()| backend.synchronize()) {
        Ok(()) => println!("FIRST: nothing was noticed"),
        Err(error) => println!("FIRST: {error}"),
    }
    match backend.synchronize() {
        Ok(()) => println!("AFTER: the device works on"),
        Err(error) => println!("AFTER: {error}"),
    }
    match FILL.resolve(&*backend).and_then(|_| backend.allocate(100)) {
        Ok(_) => println!("ALLOCATION: done"),
        Err(error) => println!("ALLOCATION: {error}"),
    }
    drop((owned, stream, gpu, backend));
    println!("CLOSED");
}

fn faults_with(fault: &str, expected: &[&str]) {
    if cuda_or_skip().is_none() {
        return;
    }
    let text = in_child(fault);
    let line = |start: &str| {
        let found = text.lines().find_map(|line| Some(line.split_once(start)?.1));
        found.unwrap_or_else(|| panic!("{fault}: the process does not say `{start}`: {text}"))
    };
    let (first, after) = (line("FIRST: "), line("AFTER: "));
    say_refusal(fault, &format!("by the call that waits: {first}; by the next: {after}"));
    assert!(
        expected.iter().any(|expected| first.contains(expected)),
        "{fault}: expected one of {expected:?}, and found: {first}"
    );
    assert!(!after.contains("works on"), "{fault}: the context is gone, but: {after}");
    assert!(text.contains("CLOSED"), "{fault}: closing ends the process: {text}");
}

#[test]
fn a_null_pointer_is_told_by_the_call_that_waits() {
    faults_with("a null pointer", &["CUDA_ERROR_ILLEGAL_ADDRESS"]);
}

#[test]
fn a_wild_pointer_is_told_by_the_call_that_waits() {
    faults_with("a wild pointer", &["CUDA_ERROR_ILLEGAL_ADDRESS"]);
}

#[test]
fn a_freed_pointer_is_told_by_the_call_that_waits() {
    faults_with("a freed pointer", &["CUDA_ERROR_ILLEGAL_ADDRESS"]);
}

#[test]
fn a_misaligned_pointer_is_told_by_the_call_that_waits() {
    faults_with("a misaligned pointer", &["CUDA_ERROR_MISALIGNED_ADDRESS"]);
}

#[test]
fn a_kernel_that_faults_is_told_by_the_call_that_waits() {
    faults_with(
        "a kernel that faults",
        &["CUDA_ERROR_LAUNCH_FAILED", "CUDA_ERROR_ILLEGAL_INSTRUCTION", "CUDA_ERROR_ASSERT"],
    );
}
