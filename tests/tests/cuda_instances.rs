//! Kernels declared by their names in C++ on a device: compiled by NVRTC, found in PTX, and in what is given at run time.

// SAFETY of each launch: its buffers have as many elements as it is told.
#![allow(clippy::undocumented_unsafe_blocks)]

mod cuda_support;
mod instance_kernels;

use std::sync::Arc;

use cuda_support::{cuda_or_skip, find, refusal, says, with_nvrtc};
use instance_kernels::{Pair, Range, given, of_image, of_source};
use warpcall::backend::KernelLookup as _;
use warpcall::{CudaBackend, Error, Gpu, LaunchConfig, Module, ModuleOrigin, Result};

const SOURCE: &str = include_str!("../cuda/instances.cu");
const N: u32 = 1000;

/// What each kernel of one of the modules computes, on a backend.
#[derive(Debug, PartialEq)]
struct Computed {
    floats: Vec<f32>,
    doubles: Vec<f64>,
    pairs: Vec<Pair>,
    by_4: Vec<f32>,
    special: Vec<i32>,
    float_sum: Vec<f32>,
    double_sum: Vec<f64>,
    floor: Vec<i32>,
    filled: Vec<f32>,
}

macro_rules! computed {
    ($module:ident) => {
        |gpu: &Gpu| -> Result<Computed> {
            use $module::{
                launch_fill, launch_floor, launch_scale, launch_scale_by_4, launch_scale_special, launch_sum,
            };
            let stream = gpu.create_stream()?;
            let config = LaunchConfig::for_elements(N, 128);
            let floats: Vec<f32> =
                (0..N).map(|i| f32::from(u16::try_from(i).unwrap_or(0)) * 0.75 - 100.0).collect();
            let doubles: Vec<f64> = floats.iter().map(|x| f64::from(*x)).collect();
            let pairs: Vec<Pair> = floats.iter().map(|x| Pair { a: *x, b: -x }).collect();
            let integers: Vec<i32> = (0..N).map(u32::cast_signed).collect();
            let (f, d, p, i) =
                (gpu.upload(&floats)?, gpu.upload(&doubles)?, gpu.upload(&pairs)?, gpu.upload(&integers)?);
            let count = N as usize;
            let (mut f_out, mut d_out, mut p_out) = (gpu.zeros(count)?, gpu.zeros(count)?, gpu.zeros(count)?);
            let (mut by_4, mut special, mut floor) =
                (gpu.zeros(count)?, gpu.zeros(count)?, gpu.zeros(count)?);
            let (mut float_sum, mut double_sum, mut filled) =
                (gpu.zeros(1)?, gpu.zeros(1)?, gpu.zeros(count)?);
            let range = Range { first: 10, count: 300 };
            unsafe {
                launch_scale(&stream, config, &mut f_out, &f, 2.0_f32, N)?;
                launch_scale(&stream, config, &mut d_out, &d, 0.5_f64, N)?;
                launch_scale(&stream, config, &mut p_out, &p, Pair { a: 2.0, b: 4.0 }, N)?;
                launch_scale_by_4(&stream, config, &mut by_4, &f, 3.0, N)?;
                launch_scale_special(&stream, config, &mut special, &i, 7, N)?;
                launch_sum(&stream, LaunchConfig::new(1, 1), &mut float_sum, &f, range)?;
                launch_sum(&stream, LaunchConfig::new(1, 1), &mut double_sum, &d, range)?;
                launch_floor(&stream, config, &mut floor, &f, N)?;
                launch_fill(&stream, config, &mut filled, 1.5, N - 1)?;
            }
            Ok(Computed {
                floats: f_out.to_vec(&stream)?,
                doubles: d_out.to_vec(&stream)?,
                pairs: p_out.to_vec(&stream)?,
                by_4: by_4.to_vec(&stream)?,
                special: special.to_vec(&stream)?,
                float_sum: float_sum.to_vec(&stream)?,
                double_sum: double_sum.to_vec(&stream)?,
                floor: floor.to_vec(&stream)?,
                filled: filled.to_vec(&stream)?,
            })
        }
    };
}

/// The same on the host, and on the device.
fn compare(backend: Arc<CudaBackend>, computed: fn(&Gpu) -> Result<Computed>) {
    let expected = computed(&Gpu::host().expect("the host is always there")).expect("the host runs them");
    assert!(expected.special[1] == 8 && expected.floor[1] == -100, "what is compared is no list of zeros");
    let found = computed(&Gpu::from_backend(backend)).expect("the device runs them");
    assert_eq!(found, expected);
}

#[test]
fn nvrtc_compiles_the_instances_that_are_declared() {
    let Some(backend) = cuda_or_skip() else { return };
    let Some(first) = with_nvrtc(of_source::FILL.resolve(&*backend)) else { return };
    first.expect("the source compiles");
    assert!(matches!(backend.module_origin("instances_of_source"), Some(ModuleOrigin::Source { .. })));
    compare(backend, computed!(of_source));
}

#[test]
fn an_instance_of_another_block_is_compiled_when_it_is_used() {
    let Some(backend) = cuda_or_skip() else { return };
    let Some(first) = with_nvrtc(of_source::FILL.resolve(&*backend)) else { return };
    first.expect("the source compiles");
    let gpu = Gpu::from_backend(backend);
    let stream = gpu.create_stream().expect("a stream");
    let input = gpu.upload(&[1_u8, 2, 100]).expect("memory");
    let mut output = gpu.zeros::<u8>(3).expect("memory");
    let config = LaunchConfig::new(1, 32);
    unsafe { of_source::launch_scale_bytes(&stream, config, &mut output, &input, 3, 3) }.expect("a launch");
    assert_eq!(output.to_vec(&stream).expect("a copy"), [3, 6, 44]);
    // And one that nobody declares.
    gpu.find_kernel("instances_of_source", "scale<short>").expect("the template has it");
}

#[test]
fn ptx_has_the_instances_by_their_mangled_names() {
    let Some(backend) = cuda_or_skip() else { return };
    of_image::FLOOR.resolve(&*backend).expect("it is in the PTX");
    assert!(matches!(backend.module_origin("instances_of_image"), Some(ModuleOrigin::Image { .. })));
    for name in ["scale<float, 4>", "scale<Pair,2>", "rounding::to_int<(Rounding)1>", "plain::fill"] {
        find(&backend, "instances_of_image", name).unwrap_or_else(|error| panic!("{name}: {error}"));
    }
    let text = refusal("an instance that PTX lacks", find(&backend, "instances_of_image", "scale<short>"));
    says(&text, &["instances_of_image", "`scale<short>`", "scale<float, 4>", "plain::fill"]);
    assert!(!text.contains("_Z"), "{text}");
    compare(backend, computed!(of_image));
}

#[test]
fn what_is_given_at_run_time_has_them_too() {
    let Some(backend) = cuda_or_skip() else { return };
    let ptx = include_str!("../ptx/instances.ptx");
    backend.load_module("instances_given", ptx).expect("PTX");
    spelled_out(&backend);
    // Only the source says what an argument is that is left out.
    let text = refusal("a name that fits two", find(&backend, "instances_given", "scale<float>"));
    says(
        &text,
        &["instances_given", "`scale<float>`", "scale<float, 1>", "scale<float, 4>", "all arguments"],
    );

    let Some(backend) = cuda_or_skip() else { return };
    backend.load_module_source("instances_given", SOURCE).expect("it is only kept");
    let Some(first) = with_nvrtc(given::FLOOR.resolve(&*backend)) else { return };
    first.expect("the source compiles");
    compare(backend, computed!(given));

    let Some(backend) = cuda_or_skip() else { return };
    let names = ["scale<float>", "scale<double>", "scale<Pair, 2>"];
    let compiled = backend.compile_source_with("instances.cu", SOURCE, &names).expect("the source compiles");
    assert!(compiled.symbols.iter().map(|(name, _)| name.as_str()).eq(names));
    backend.load_module("instances_given", compiled.image).expect("a cubin");
    spelled_out(&backend);
}

/// Instances are found by names that have all arguments of the template.
fn spelled_out(backend: &Arc<CudaBackend>) {
    for name in ["scale<float, 1>", "scale<double, 1>", "scale<Pair, 2>", "scale<float, 4>", "plain::fill"] {
        find(backend, "instances_given", name).unwrap_or_else(|error| panic!("{name}: {error}"));
    }
}

#[test]
fn a_name_that_means_nothing_is_refused_with_the_compilers_reason() {
    let Some(backend) = cuda_or_skip() else { return };
    let module = Module::new("wrong").with_source("instances.cu", SOURCE).with_cpp_names(&["scale<Missing>"]);
    backend.register_module(module).expect("a module");
    let Some(found) = with_nvrtc(find(&backend, "wrong", "plain::fill")) else { return };
    says(
        &refusal("a name that means nothing", found),
        &["wrong", "`scale<Missing>`", "\"Missing\" is undefined"],
    );
}

#[test]
fn a_source_with_device_variables_is_not_compiled_twice() {
    let Some(backend) = cuda_or_skip() else { return };
    let source = "__device__ int total;\ntemplate <typename T> __global__ void add(T by) { atomicAdd(&total, (int)by); }\n";
    backend.load_module_source("counting", source).expect("it is only kept");
    let Some(first) = with_nvrtc(find(&backend, "counting", "add<int>")) else { return };
    first.expect("it is compiled with the instance that is looked for");
    // A second program would have a `total` of its own.
    let text = refusal("an instance that comes too late", find(&backend, "counting", "add<short>"));
    says(&text, &["counting", "`add<short>`", "`total`", "register_kernels"]);
    let module = Module::new("counting_known").with_cpp_names(&["add<int>", "add<short>"]);
    backend.register_module(module).expect("names alone");
    backend.load_module_source("counting_known", source).expect("it is only kept");
    for name in ["add<int>", "add<short>"] {
        find(&backend, "counting_known", name).unwrap_or_else(|error| panic!("{name}: {error}"));
    }
}

#[test]
fn an_error_of_a_launch_names_the_instance() {
    let Some(backend) = cuda_or_skip() else { return };
    let gpu = Gpu::from_backend(backend);
    let stream = gpu.create_stream().expect("a stream");
    let (input, mut output) = (gpu.upload(&[1.0_f64]).expect("memory"), gpu.zeros::<f64>(1).expect("memory"));
    let config = LaunchConfig::new(1, 4096);
    let launched = unsafe { of_image::launch_scale(&stream, config, &mut output, &input, 2.0, 1) };
    match launched {
        Err(Error::LaunchRefused { kernel, .. }) => assert_eq!(&*kernel, "scale<double>"),
        other => panic!("{other:?}"),
    }
}
