//! Finding kernels on the host backend.

use warpcall::backend::{DeviceInfo, KernelLookup};
use warpcall::{Error, Gpu, GpuBackend, HostBackend, Kernel, KernelHandle, MockBackend, Module};

static NORM: Kernel = Kernel::new(Module::new("norm").with_source("norm.cu", "a"), "rms_norm", &[]);
static LAYER: Kernel = Kernel::new(Module::new("norm").with_source("norm.cu", "a"), "layer_norm", &[]);
static OTHER: Kernel = Kernel::new(Module::new("norm").with_source("other.cu", "b"), "rms_norm", &[]);
static BARE: Kernel = Kernel::new(Module::new("norm"), "bare", &[]);

#[test]
fn declared_kernels_are_found_by_name_once_they_are_known() {
    let backend = HostBackend::new();
    assert!(!backend.has_module("norm"));
    match backend.find_kernel("norm", "rms_norm") {
        Err(error @ Error::UnknownModule { .. }) => {
            assert_eq!(error.to_string(), "kernel `rms_norm`: no module `norm`; there are no modules");
        }
        other => panic!("{other:?}"),
    }

    backend.register_kernels(&[&NORM, &LAYER, &BARE]).unwrap();
    assert!(backend.has_module("norm"));
    let handle = backend.find_kernel("norm", "rms_norm").unwrap();
    assert_eq!(handle, NORM.resolve(&backend).unwrap());
    assert!(std::ptr::eq(backend.declaration(handle).unwrap(), &raw const NORM));
    assert_eq!(backend.kernel_name(handle).unwrap(), "rms_norm");
    match backend.find_kernel("norm", "rms") {
        Err(Error::UnknownKernel { known, .. }) => assert_eq!(known, ["rms_norm", "layer_norm", "bare"]),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_module_of_the_same_name_with_other_code_is_a_conflict() {
    let backend = HostBackend::new();
    NORM.resolve(&backend).unwrap();
    let conflict = OTHER.resolve(&backend).unwrap_err();
    assert!(matches!(conflict.failure(), Error::ModuleConflict { .. }), "{conflict}");
    assert!(backend.register_kernels(&[&OTHER]).is_err());
    BARE.resolve(&backend).unwrap();
    assert!(OTHER.resolve(&backend).is_err(), "a declaration without code does not hide the conflict");
}

#[test]
fn failed_look_ups_are_noted_with_the_place_that_asked() {
    let backend = HostBackend::new();
    let dynamic: &dyn GpuBackend = &backend;
    for _ in 0..3 {
        let _ = dynamic.find_kernel("nowhere", "nothing");
    }
    let line = line!() - 2;
    let failed = backend.lookup_audit().failed();
    assert_eq!(failed.len(), 1);
    assert_eq!((failed[0].location.file(), failed[0].location.line()), (file!(), line));
    assert_eq!((failed[0].count, failed[0].kernel.as_deref()), (3, Some("nothing")));
    assert!(failed[0].to_string().ends_with(" (3 times)"), "{}", failed[0]);
    let _ = dynamic.find_kernel("nowhere", "else");
    let once = backend.lookup_audit().failed()[1].to_string();
    assert!(once.ends_with(" (once)"), "{once}");
}

#[test]
fn attributes_and_occupancy_are_what_the_host_allows() {
    let backend = HostBackend::new();
    let limits = &backend.properties().limits;
    let attributes = NORM.attributes(&backend).unwrap();
    assert_eq!(attributes.max_threads_per_block, limits.max_threads_per_block);
    assert_eq!(attributes.max_dynamic_shared_mem, limits.max_shared_mem_per_block);
    let occupancy = NORM.occupancy(&backend, 256, 0).unwrap();
    assert_eq!(occupancy.blocks, backend.properties().multiprocessors);
    assert!(NORM.occupancy(&backend, 0, 0).is_err());
    assert!(NORM.occupancy(&backend, 1025, 0).is_err());
    let nothing = KernelHandle::new(7).unwrap();
    assert!(matches!(backend.kernel_attributes(nothing), Err(Error::UnknownHandle { .. })));
}

#[test]
fn a_module_alone_makes_no_kernel_known_and_the_error_says_what_does() {
    let gpu = Gpu::host().unwrap();
    gpu.register_module(*NORM.module()).unwrap();
    let error = gpu.find_kernel("norm", "rms_norm").unwrap_err().to_string();
    assert_eq!(
        error,
        "module `norm` has no kernel `rms_norm`; there are no kernels; on the host a kernel is known once its \
         declaration is: pass it to `register_kernels(&[&KERNEL])`"
    );
    gpu.register_kernels(&[&NORM]).unwrap();
    assert_eq!(gpu.find_kernel("norm", "rms_norm").unwrap(), NORM.resolve(&*gpu).unwrap());

    let gpu = Gpu::host().unwrap();
    let line = line!() + 1;
    assert!(gpu.register_kernels(&[&NORM, &BARE, &OTHER, &LAYER]).is_err());
    let failed = gpu.lookup_audit().failed();
    assert!(
        failed.iter().any(|look_up| look_up.location.line() == line && look_up.location.file() == file!())
    );
    assert!(gpu.find_kernel("norm", "bare").is_ok() && gpu.find_kernel("norm", "layer_norm").is_err());
}

#[test]
fn a_kernel_that_is_chosen_by_name_runs_behind_the_recording_backend() {
    static RUNS: Kernel = Kernel::new(Module::new("chosen"), "runs", &[]).with_host(|_| Ok(()));
    let mock = MockBackend::new().unwrap();
    let gpu = Gpu::from_backend(mock.clone());
    let before = gpu.find_kernel("chosen", "runs").unwrap();
    gpu.register_kernels(&[&RUNS]).unwrap();
    mock.run_kernels(true);
    for handle in [before, gpu.find_kernel("chosen", "runs").unwrap(), RUNS.resolve(&*gpu).unwrap()] {
        let stream = gpu.default_stream();
        // SAFETY: the kernel takes nothing and does nothing.
        unsafe { warpcall::KernelLaunch::new(&*gpu, handle).launch(&stream) }.unwrap();
    }
}

#[test]
fn many_names_that_are_not_there_are_noted_soon() {
    let gpu = Gpu::host().expect("the host opens");
    let begin = std::time::Instant::now();
    for round in 0..2 {
        for number in 0..20_000 {
            gpu.find_kernel("many", &format!("kernel_{number}")).expect_err("there is none");
        }
        let failed = gpu.lookup_audit().failed();
        assert!(failed.len() == 20_000 && failed.iter().all(|lookup| lookup.count == round + 1));
    }
    // A second where each is looked up, and half a minute where each is compared with all.
    assert!(begin.elapsed().as_secs() < 10, "{:?}", begin.elapsed());
}
