//! What ends a context, each in a process of its own: the error is told by the call that waits, and nothing panics.

mod cuda_support;

use std::process::Command;

use cuda_support::{DEFAULT, FAULT, FILL, cuda_or_skip, fill, launch};
use warpcall::backend::{DeviceMemory as _, Streams as _};
use warpcall::{DevicePtr, Gpu, LaunchConfig};

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
    println!("{fault}:\n{text}");
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
        Some("a trap") => launch(&backend, &FAULT, LaunchConfig::new(1, 1), DEFAULT, |_| {}),
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
    let first = text.lines().find(|line| line.starts_with("FIRST")).expect("the child says what it found");
    assert!(
        expected.iter().any(|expected| first.contains(expected)),
        "{fault}: expected one of {expected:?}, and found: {first}"
    );
    let after = text.lines().find(|line| line.starts_with("AFTER")).expect("the child goes on");
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
fn a_trap_is_told_by_the_call_that_waits() {
    faults_with(
        "a trap",
        &["CUDA_ERROR_LAUNCH_FAILED", "CUDA_ERROR_ILLEGAL_INSTRUCTION", "CUDA_ERROR_ASSERT"],
    );
}
