//! A program on cudarc that launches through this crate: its context, its streams and its memory.

mod cuda_support;

use std::sync::Arc;

use cuda_support::{COUNT, SHARED_SIZE, cuda_or_skip, refusal, says};
use cudarc::driver::{CudaContext, sys};
use warpcall::backend::cuda::interop::{self, CudarcStream};
use warpcall::backend::{CopyMemory as _, DeviceInfo as _, DeviceMemory as _, Streams as _};
use warpcall::{AsStream, CudaBackend, DeviceMut, DeviceRef, KernelLaunch, LaunchConfig, kernel};

#[kernel(module = "test", image = "tests/cuda_support/kernels.ptx")]
unsafe extern "C" {
    /// `values[i] = value` for every `i < n`.
    unsafe fn fill(values: *mut u32, n: u32, value: u32);
}

#[test]
fn a_generated_launch_takes_cudarcs_stream_and_memory() {
    if cuda_or_skip().is_none() {
        return;
    }
    let context = CudaContext::new(0).expect("cudarc finds the device too");
    let cudarc_stream = context.new_stream().expect("a stream");
    let mut values = cudarc_stream.alloc_zeros::<u32>(1000).expect("memory");

    let backend = CudaBackend::from_cudarc(&context).expect("a backend in cudarc's context");
    let stream = CudarcStream::new(&backend, &cudarc_stream).expect("its own stream");
    // SAFETY: a thousand words.
    unsafe { launch_fill(&stream, LaunchConfig::for_elements(1000, 256), &mut values, 1000, 7) }
        .expect("a launch into a slice");
    let mut view = values.slice_mut(100..200);
    // SAFETY: a hundred words.
    unsafe { launch_fill(&stream, LaunchConfig::for_elements(100, 256), &mut view, 100, 8) }
        .expect("a launch into a view");
    interop::note_write(&mut values, &stream);

    let other = context.new_stream().expect("a stream");
    let found = other.clone_dtoh(&values).expect("cudarc reads on another stream what was written here");
    for (index, found) in found.iter().enumerate() {
        assert_eq!(*found, if (100..200).contains(&index) { 8 } else { 7 }, "element {index}");
    }
    backend.synchronize_stream(stream.as_stream().handle()).expect("a lent stream can be waited for");
}

#[test]
fn the_builder_takes_cudarcs_memory_by_its_address() {
    if cuda_or_skip().is_none() {
        return;
    }
    let context = CudaContext::new(0).expect("cudarc finds the device too");
    let cudarc_stream = context.default_stream();
    let total = cudarc_stream.alloc_zeros::<u32>(1).expect("memory");
    let backend = CudaBackend::from_cudarc(&context).expect("a backend in cudarc's context");
    let stream = CudarcStream::new(&backend, &cudarc_stream).expect("its own stream");
    let mut launch = KernelLaunch::new(&*backend, COUNT.resolve(&*backend).expect("the kernel is there"));
    launch.grid(4).block(64).arg_ptr(interop::address(&total));
    // SAFETY: one word.
    unsafe { launch.launch(&stream) }.expect("a launch");
    assert_eq!(cudarc_stream.clone_dtoh(&total).expect("a copy back"), [256]);
}

#[test]
fn cudarcs_memory_says_where_it_is() {
    if cuda_or_skip().is_none() {
        return;
    }
    let context = CudaContext::new(0).expect("cudarc finds the device too");
    let mut values = context.default_stream().alloc_zeros::<u32>(100).expect("memory");
    let whole = DeviceRef::<u32>::span(&values);
    assert_eq!(whole.bytes, Some(400));
    let part = DeviceMut::<u32>::span_mut(&mut values.slice_mut(10..20));
    assert_eq!((part.ptr, part.bytes), (whole.ptr.byte_add(40), Some(40)));
}

#[test]
fn both_see_one_context() {
    let Some(backend) = cuda_or_skip() else { return };
    let context = backend.to_cudarc().expect("cudarc's view");
    assert_eq!(context.ordinal(), backend.ordinal());
    let again = CudaBackend::from_cudarc(&context).expect("and back");
    assert!(Arc::ptr_eq(&context, &again.to_cudarc().expect("cudarc's view")));
    assert_ne!(backend.id(), again.id());
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
    let Some(backend) = cuda_or_skip() else { return };
    let other = own_context();
    let stream = other.new_stream().expect("a stream");
    let refused = CudarcStream::new(&backend, &stream);
    says(&refusal("another context's stream", refused), &["another context", "cuda backend"]);
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
