//! Opening CUDA devices: with and without one, and from many threads.

mod cuda_support;

use cuda_support::{cuda_or_skip, fill};
use warpcall::backend::{CopyMemory as _, DeviceInfo as _, DeviceMemory as _, Streams as _};
use warpcall::{CudaBackend, Error, Gpu};

#[test]
fn what_is_missing_is_a_typed_error() {
    match CudaBackend::open(0) {
        Ok(backend) => assert_eq!(backend.kind(), "cuda"),
        Err(Error::NoDevice { device, reason }) => {
            assert_eq!(&*device, "CUDA device 0");
            assert!(!reason.is_empty());
        }
        Err(error) => panic!("neither a device nor the error that there is none: {error}"),
    }
}

#[test]
fn a_device_of_a_number_that_is_not_there_is_a_typed_error() {
    match CudaBackend::open(4711) {
        Err(Error::NoDevice { device, .. }) => assert_eq!(&*device, "CUDA device 4711"),
        other => panic!("device 4711: {other:?}"),
    }
}

#[test]
fn a_gpu_is_the_device_or_the_host_and_says_which() {
    let gpu = Gpu::open().expect("the host is always there");
    let expected = if CudaBackend::open(0).is_ok() { "cuda" } else { "host" };
    assert_eq!(gpu.kind(), expected);
    assert!(gpu.label().contains(expected), "{}", gpu.label());
    match Gpu::cuda(0) {
        Ok(gpu) => assert_eq!(gpu.kind(), "cuda"),
        Err(Error::NoDevice { .. }) => assert_eq!(expected, "host", "what was asked for never falls back"),
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn the_device_tells_its_limits() {
    let Some(backend) = cuda_or_skip() else { return };
    let properties = backend.properties();
    println!("{properties:?}, driver for CUDA {:?}", backend.driver_version());
    let (major, _) = properties.compute_capability.expect("every CUDA device has one");
    assert!(major >= 5);
    assert!(properties.limits.max_shared_mem_per_block >= 48 << 10);
    assert!(properties.total_memory > 0 && backend.ordinal() == 0);
}

#[test]
fn a_backend_works_on_threads_that_never_saw_it_and_beside_another() {
    let Some(backend) = cuda_or_skip() else { return };
    let other = CudaBackend::open(0).expect("a second backend on the same device");
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let (backend, other) = (&backend, &other);
            scope.spawn(move || {
                for backend in [backend, other, backend] {
                    let stream = backend.create_stream(None).expect("a stream");
                    let values = backend.allocate(4000).expect("memory");
                    fill(backend, stream, values, 1000, thread).expect("a launch");
                    let mut found = [u32::MAX; 1000];
                    backend
                        .copy_to_host_on(stream, bytemuck::cast_slice_mut(&mut found), values)
                        .expect("a copy back");
                    assert_eq!(found, [thread; 1000]);
                }
            });
        }
    });
}
