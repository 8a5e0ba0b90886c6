//! Which kernel a name means, on a driver that takes every image and finds the names that are in it. What needs NVRTC says
//! so where it is not there, and fails with `WARPCALL_REQUIRE_CUDA=1`.

use std::io::Write as _;
use std::sync::Arc;

use super::*;
use crate::argument::KernelParam as _;
use crate::backend::cuda::fake_driver::Device;
use crate::backend::{GpuBackend, KernelLookup as _};
use crate::launch::{Module, Parameter};

/// PTX with these entries.
fn ptx(entries: &[&str]) -> Vec<u8> {
    let mut text = ".version 8.0\n.target sm_80\n.address_size 64\n".to_owned();
    for entry in entries {
        text = text + ".weak .entry " + entry + " { ret; }\n";
    }
    text.into_bytes()
}

const SCALE_FLOAT: &str = "_Z5scaleIfLi4EEvPT_i(.param .u64 a, .param .u32 b)";
const SCALE_HALF: &str = "_Z5scaleI6__halfLi4EEvPT_i(.param .u64 a, .param .u32 b)";
const PLAIN: &str = "_ZN3fft5plainEPf(.param .u64 a)";
const OVER_ONE: &str = "_Z4overIfEvPT_(.param .u64 a)";
const OVER_TWO: &str = "_Z4overIfEvPT_i(.param .u64 a, .param .u32 b)";

static TWO: [Parameter; 2] =
    [Parameter::device_mut::<f32>("x", "*mut f32"), Parameter::value("n", "i32", i32::DESCRIPTION)];
static ONE: [Parameter; 1] = [Parameter::device_mut::<f32>("x", "*mut f32")];
static OVER: Kernel = Kernel::new(Module::new("m"), "over<float>", &TWO);
static OVER_OF_ONE: Kernel = Kernel::new(Module::new("m"), "over<float>", &ONE);
static NONE: Kernel = Kernel::new(Module::new("m"), "over<float>", &[]);
static BY_SYMBOL: Kernel =
    Kernel::new(Module::new("m"), "another<name>", &TWO).with_symbol("_Z5scaleIfLi4EEvPT_i");

static BOTH_FLOAT: Kernel = Kernel::new(Module::new("m"), "both", &TWO).with_symbol("_Z4bothPfi");
static BOTH_DOUBLE: Kernel = Kernel::new(Module::new("m"), "both", &TWO).with_symbol("_Z4bothPdi");

fn backend(entries: &[&str]) -> Arc<CudaBackend> {
    let backend = Device::new().open();
    backend.load_module("m", ptx(entries)).expect("PTX");
    backend
}

#[test]
fn a_name_of_cpp_is_found_by_the_symbol_that_says_the_same() {
    let backend = backend(&[SCALE_FLOAT, SCALE_HALF, PLAIN, "c(.param .u32 a)"]);
    for name in
        ["scale<float, 4>", "scale<float>", "::scale< float,(int)4 >", "scale<half>", "fft::plain", "c"]
    {
        let found = backend.find_kernel("m", name).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(backend.kernel_name(found).as_deref(), Some(name));
    }
    for name in ["scale<double>", "scale<float, 2>", "scale", "plain", "fft::plain<float>", "no name"] {
        match backend.find_kernel("m", name) {
            Err(Error::UnknownKernel { kernel, known, .. }) => {
                assert_eq!(&*kernel, name);
                assert_eq!(known, ["c", "fft::plain", "scale<__half, 4>", "scale<float, 4>"]);
            }
            other => panic!("{name}: {other:?}"),
        }
    }
    let audit = backend.lookup_audit().failed();
    assert_eq!(audit.len(), 6, "{audit:?}");
}

#[test]
fn the_symbol_that_a_declaration_knows_needs_no_name() {
    let backend = backend(&[SCALE_FLOAT]);
    let found = BY_SYMBOL.resolve(&*backend).expect("the symbol is there");
    assert_eq!(backend.kernel_name(found).as_deref(), Some("another<name>"));
}

#[test]
fn of_overloads_the_one_that_takes_what_is_declared_is_found() {
    let backend = backend(&[OVER_ONE, OVER_TWO]);
    OVER.resolve(&*backend).expect("one of them takes two parameters");
    let backend = self::backend(&[OVER_ONE, OVER_TWO]);
    for error in [
        backend.find_kernel("m", "over<float>").expect_err("which of them"),
        NONE.resolve(&*backend).expect_err("neither"),
    ] {
        match error.failure() {
            Error::AmbiguousKernel { known, .. } => assert_eq!(
                known[..],
                ["`over<float>(float*)` (_Z4overIfEvPT_)", "`over<float>(float*, int)` (_Z4overIfEvPT_i)"]
            ),
            other => panic!("{other}"),
        }
        let text = error.to_string();
        assert!(
            text.contains("module `m` has several kernels `over<float>`") && text.contains("#[link_name]"),
            "{text}"
        );
    }
    assert_eq!(backend.lookup_audit().failed().len(), 2);
}

/// What a look-up that compiles gives, where NVRTC is there.
fn with_nvrtc<T>(outcome: Result<T>) -> Option<Result<T>> {
    match outcome.as_ref().map_err(Error::failure) {
        Err(Error::Load { problem, .. }) if problem.contains("cannot be loaded") => {
            let required = std::env::var_os("WARPCALL_REQUIRE_CUDA").is_some_and(|value| value == "1");
            assert!(!required, "WARPCALL_REQUIRE_CUDA is 1, but {problem}");
            let test = std::thread::current();
            let line = format!("NOT RUN | {} | NVRTC cannot be loaded\n", test.name().unwrap_or("a test"));
            // Not `print!`, which the test harness swallows.
            let _ = std::io::stdout().write_all(line.as_bytes());
            None
        }
        _ => Some(outcome),
    }
}

const SOURCE: &str = "template <typename T, int V = 4> __global__ void scale(T* x, int n) { x[0] *= n * V; }
namespace fft { __global__ void plain(float* x) { x[0] = 1; } }
";

static OF_SOURCE: Kernel = Kernel::new(
    Module::new("source").with_source("scale.cu", SOURCE).with_cpp_names(&["scale<float>", "fft::plain"]),
    "scale<float>",
    &TWO,
);
static OF_ANOTHER_BLOCK: Kernel = Kernel::new(
    Module::new("source").with_source("scale.cu", SOURCE).with_cpp_names(&["scale<float, 2>"]),
    "scale<float, 2>",
    &TWO,
);

#[test]
fn the_instances_of_all_blocks_that_are_known_are_one_program() {
    let device = Device::new();
    let backend = device.open();
    let all: &dyn GpuBackend = &*backend;
    let registered = all.register_kernels(&[&OF_SOURCE, &OF_ANOTHER_BLOCK]);
    let Some(registered) = with_nvrtc(registered) else { return };
    registered.expect("both are there");
    backend.find_kernel("source", "fft::plain").expect("it is no template, and always there");
    assert_eq!(device.modules(), 1);
}

#[test]
fn an_instance_that_is_asked_for_later_is_a_program_of_its_own() {
    let device = Device::new();
    let backend = device.open();
    let Some(first) = with_nvrtc(OF_SOURCE.resolve(&*backend)) else { return };
    first.expect("it is there");
    assert_eq!(device.modules(), 1);
    OF_ANOTHER_BLOCK.resolve(&*backend).expect("it is compiled by itself");
    assert_eq!(device.modules(), 2);
    // One that nobody declares, too, and each once.
    for _ in 0..2 {
        backend.find_kernel("source", "scale<unsigned char, 8>").expect("the template has it");
    }
    assert_eq!(device.modules(), 3);
    match backend.find_kernel("source", "scale<Missing>") {
        Err(Error::Load { problem, .. }) => {
            assert!(
                problem.contains("`scale<Missing>`") && problem.contains("\"Missing\" is undefined"),
                "{problem}"
            );
        }
        other => panic!("{other:?}"),
    }
    // What is no instance is not compiled for.
    let error = backend.find_kernel("source", "fft::missing").expect_err("there is none");
    assert!(
        matches!(&error, Error::UnknownKernel { known, .. } if known.contains(&"scale<float, 2>".to_owned())),
        "{error}"
    );
    drop(backend);
    assert_eq!(device.modules(), 0, "all are unloaded");
}

const COUNTING: &str = "__device__ int counter;
template <typename T> __global__ void count(T by, int n) { atomicAdd(&counter, (int)by); }
";

#[test]
fn a_source_with_device_variables_is_one_program_or_an_error() {
    let device = Device::new();
    let backend = device.open();
    let module = Module::new("counting").with_source("count.cu", COUNTING);
    backend.register_module(module).expect("a module");
    let Some(first) = with_nvrtc(backend.find_kernel("counting", "count<int>")) else { return };
    first.expect("it is there");
    match backend.find_kernel("counting", "count<char>") {
        Err(Error::Load { problem, origin, .. }) => {
            assert_eq!(&*origin, "count.cu");
            for words in
                ["before `count<char>` was asked for", "device variable `counter`", "register_kernels"]
            {
                assert!(problem.contains(words), "{words}: {problem}");
            }
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(device.modules(), 1, "what was refused is unloaded");
    let backend = device.open();
    backend.register_module(module.with_cpp_names(&["count<int>", "count<char>"])).expect("a module");
    backend.find_kernel("counting", "count<char>").expect("both are known before the first is used");
}

#[test]
fn overloads_of_one_name_are_functions_of_their_own() {
    const ENTRIES: [&str; 2] =
        ["_Z4bothPfi(.param .u64 a, .param .u32 b)", "_Z4bothPdi(.param .u64 a, .param .u32 b)"];
    let backend = backend(&ENTRIES);
    let handles = [&BOTH_FLOAT, &BOTH_DOUBLE].map(|kernel| kernel.resolve(&*backend).expect("it is there"));
    let raw = handles.map(|handle| backend.kernels.find(handle).expect("it was resolved").raw);
    assert_ne!(raw[0], raw[1]);
    // The name alone means neither, whichever was found before.
    assert!(matches!(backend.find_kernel("m", "both"), Err(Error::AmbiguousKernel { .. })));
    // Those whose lists differ are told apart without a symbol.
    let backend = self::backend(&[OVER_ONE, OVER_TWO]);
    OVER.resolve(&*backend).expect("it takes two");
    OVER_OF_ONE.resolve(&*backend).expect("it takes one");
}
