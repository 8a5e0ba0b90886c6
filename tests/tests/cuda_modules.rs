//! Modules on a device: images and sources, which of them is taken, and what is said of those that do not load.

mod cuda_support;
#[path = "../compile_pass/files.rs"]
#[allow(missing_docs)]
pub mod files;

use cuda_support::{DEFAULT, FILL, PTX, cuda_or_skip, fill, find, refusal, says, with_nvrtc};
use warpcall::backend::cuda::{CudaSource, ImageFormat};
use warpcall::backend::{CopyMemory as _, DeviceMemory as _, KernelLookup as _};
use warpcall::{CudaBackend, Error, Header, Kernel, KernelLaunch, Module, ModuleOrigin, StreamRef};

const SOURCE: &str = "
extern \"C\" __global__ void add(float* values, float term, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) values[i] += term;
}
";

/// Adds 2 to a hundred ones with the kernel `add` of a module.
fn adds(backend: &CudaBackend, module: &str) {
    let kernel = find(backend, module, "add").expect("the module has the kernel");
    let values = backend.allocate(400).expect("memory");
    backend.copy_to_device(values, bytemuck::cast_slice(&[1.0_f32; 100])).expect("a copy");
    let mut launch = KernelLaunch::new(backend, kernel);
    launch.block(128).arg_ptr(values).arg_f32(2.0).arg_i32(100);
    // SAFETY: the three parameters of `add`, and a hundred floats.
    unsafe { launch.launch(&StreamRef::new(backend, DEFAULT)) }.expect("a launch");
    let mut found = [0.0_f32; 100];
    backend.copy_to_host(bytemuck::cast_slice_mut(&mut found), values).expect("a copy back");
    assert!(found.iter().all(|value| value.to_bits() == 3.0_f32.to_bits()), "{found:?}");
}

#[test]
fn ptx_is_loaded_when_its_first_kernel_is_looked_up() {
    let Some(backend) = cuda_or_skip() else { return };
    assert_eq!(backend.module_origin("test"), None);
    FILL.resolve(&*backend).expect("the kernel is there");
    assert_eq!(
        backend.module_origin("test"),
        Some(ModuleOrigin::Image { path: "cuda_support/kernels.ptx".into(), format: ImageFormat::Ptx })
    );
}

#[test]
fn a_source_is_compiled_for_the_device() {
    let Some(backend) = cuda_or_skip() else { return };
    backend.register_module(Module::new("source").with_source("add.cu", SOURCE)).expect("a module");
    let Some(found) = with_nvrtc(find(&backend, "source", "add")) else { return };
    found.expect("the source compiles");
    match backend.module_origin("source") {
        Some(ModuleOrigin::Source { path, architecture }) => {
            assert_eq!(path, "add.cu");
            println!("compiled for {architecture}");
        }
        other => panic!("the origin is given as {other:?}"),
    }
    adds(&backend, "source");
}

#[test]
fn the_source_stands_in_for_an_image_that_does_not_fit() {
    let Some(backend) = cuda_or_skip() else { return };
    let newer = ".version 9.0\n.target sm_999\n.address_size 64\n.visible .entry add() { ret; }\n";
    let module = Module::new("both").with_source("add.cu", SOURCE).with_image("add.ptx", newer.as_bytes());
    backend.register_module(module).expect("a module");
    let Some(found) = with_nvrtc(find(&backend, "both", "add")) else { return };
    found.expect("the source compiles");
    assert!(matches!(backend.module_origin("both"), Some(ModuleOrigin::Source { .. })));
    adds(&backend, "both");
}

#[test]
fn an_embedded_source_stands_in_for_an_image_that_does_not_fit() {
    let Some(backend) = cuda_or_skip() else { return };
    let Some(found) = with_nvrtc(files::ADD.resolve(&*backend)) else { return };
    found.expect("the source compiles with the headers and macros of its declaration");
    assert!(matches!(backend.module_origin("embedded_source"), Some(ModuleOrigin::Source { .. })));
    adds(&backend, "embedded_source");
}

#[test]
fn where_neither_image_nor_source_will_do_both_reasons_are_told() {
    let Some(backend) = cuda_or_skip() else { return };
    let newer = ".version 9.0\n.target sm_999\n.address_size 64\n.visible .entry add() { ret; }\n";
    let module =
        Module::new("neither").with_source("add.cu", "no CUDA").with_image("add.ptx", newer.as_bytes());
    backend.register_module(module).expect("a module");
    let Some(found) = with_nvrtc(find(&backend, "neither", "add")) else { return };
    let text = refusal("an image that does not fit and a source that does not compile", found);
    says(&text, &["add.ptx", "sm_999", "add.cu", "line 1: `no CUDA`"]);
}

const OF_HEADER: &str = "
#include \"term.cuh\"
extern \"C\" __global__ void add(float* values, float, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) values[i] += TERM;
}
";

#[test]
fn a_source_is_compiled_with_its_headers_and_macros() {
    let Some(backend) = cuda_or_skip() else { return };
    let module = Module::new("embedded")
        .with_source("add.cu", OF_HEADER)
        .with_headers(&[Header { name: "term.cuh", bytes: b"#define TERM (HALF + HALF)\n" }])
        .with_defines(&["HALF=1.0f"]);
    backend.register_module(module).expect("a module");
    let Some(found) = with_nvrtc(find(&backend, "embedded", "add")) else { return };
    found.expect("the source compiles");
    adds(&backend, "embedded");

    let source = CudaSource::new(OF_HEADER).header("term.cuh", "#define TERM VALUE\n").define("VALUE=2.0f");
    backend.load_module_source("given", source).expect("it is only kept");
    find(&backend, "given", "add").expect("the source compiles");
    adds(&backend, "given");
}

static DECLARED: Kernel =
    Kernel::new(Module::new("declared").with_image("old.ptx", b"no image"), "fill", FILL.parameters());

#[test]
fn what_is_given_at_run_time_is_loaded_in_the_place_of_what_a_declaration_carries() {
    let Some(backend) = cuda_or_skip() else { return };
    refusal("what is no image", DECLARED.resolve(&*backend));
    backend.load_module("declared", PTX).expect("nothing is loaded under this name");
    DECLARED.resolve(&*backend).expect("the kernel is in what was given");
    assert_eq!(
        backend.module_origin("declared"),
        Some(ModuleOrigin::Image { path: "given at run time".into(), format: ImageFormat::Ptx })
    );
    let other = backend.load_module("declared", PTX.replace("ret;", "ret; "));
    says(&refusal("other code than is loaded", other), &["declared", "other code"]);
}

#[test]
fn the_image_is_taken_where_it_fits_though_there_is_a_source() {
    let Some(backend) = cuda_or_skip() else { return };
    let module =
        Module::new("both").with_source("add.cu", "no CUDA").with_image("kernels.ptx", PTX.as_bytes());
    backend.register_module(module).expect("a module");
    find(&backend, "both", "count").expect("the image has it");
    assert!(matches!(
        backend.module_origin("both"),
        Some(ModuleOrigin::Image { format: ImageFormat::Ptx, .. })
    ));
}

#[test]
fn a_cubin_loads_and_every_shortened_one_is_refused() {
    let Some(backend) = cuda_or_skip() else { return };
    let Some(compiled) = with_nvrtc(backend.compile_source("add.cu", SOURCE)) else { return };
    let compiled = compiled.expect("the source compiles");
    if compiled.format == ImageFormat::Cubin {
        for (number, length) in (64..compiled.image.len()).step_by(97).enumerate() {
            let name = format!("short{number}");
            backend.load_module(&name, &compiled.image[..length]).expect("it begins like a cubin");
            match find(&backend, &name, "add") {
                Err(Error::Load { problem, .. }) => says(&problem, &[&length.to_string()]),
                other => panic!("{length} of {} bytes: {other:?}", compiled.image.len()),
            }
        }
    }
    backend.load_module("whole", compiled.image).expect("a cubin");
    adds(&backend, "whole");
}

#[test]
fn a_source_with_an_error_is_refused_with_its_line() {
    let Some(backend) = cuda_or_skip() else { return };
    backend.load_module_source("broken", SOURCE.replace("+= term", "+= trem")).expect("it is only kept");
    let Some(found) = with_nvrtc(find(&backend, "broken", "add")) else { return };
    says(&refusal("a source with an error", found), &["broken", "line 4", "values[i] += trem", "undefined"]);
}

#[test]
fn ptx_with_an_error_is_refused_with_its_line_and_the_log() {
    let Some(backend) = cuda_or_skip() else { return };
    let broken = PTX.replace("mad.lo.s32 %r6, %r3, %r4, %r5;", "mad.lo.s32 %r6, %r3, %r4, nonsense;");
    backend.load_module("broken", broken).expect("it is only kept");
    let text = refusal("PTX with an error", find(&backend, "broken", "fill"));
    says(&text, &["broken", "mad.lo.s32 %r6, %r3, %r4, nonsense;", "ptx"]);
}

#[test]
fn ptx_for_a_newer_device_is_refused_with_both_architectures() {
    let Some(backend) = cuda_or_skip() else { return };
    backend.load_module("other", PTX.replace("sm_75", "sm_999")).expect("it is only kept");
    says(
        &refusal("PTX for another device", find(&backend, "other", "fill")),
        &["sm_999", "the device is sm_"],
    );
}

#[test]
fn what_is_no_image_is_refused_at_once() {
    let Some(backend) = cuda_or_skip() else { return };
    says(
        &refusal("no image", backend.load_module("none", "something else")),
        &["neither PTX nor a cubin nor a fatbin"],
    );
}

#[test]
fn a_module_asked_for_by_many_threads_is_loaded_once() {
    let Some(backend) = cuda_or_skip() else { return };
    let handles: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> =
            (0..8).map(|_| scope.spawn(|| FILL.resolve(&*backend).expect("the kernel is there"))).collect();
        threads.into_iter().map(|thread| thread.join().expect("no thread panics")).collect()
    });
    assert!(handles.iter().all(|handle| *handle == handles[0]), "{handles:?}");
    let values = backend.allocate(400).expect("memory");
    fill(&backend, DEFAULT, values, 100, 5).expect("a launch");
    let mut found = [0_u32; 100];
    backend.copy_to_host(bytemuck::cast_slice_mut(&mut found), values).expect("a copy back");
    assert_eq!(found, [5; 100]);
}

#[test]
fn a_module_that_failed_to_load_is_tried_again() {
    let Some(backend) = cuda_or_skip() else { return };
    backend.load_module("broken", PTX.replace("ret;", "rte;")).expect("it is only kept");
    for _ in 0..2 {
        refusal("PTX with an error", find(&backend, "broken", "fill"));
    }
    FILL.resolve(&*backend).expect("other modules are not concerned");
}
