//! On a driver that takes every image, and is too old to tell what the parameters of a kernel are.

use super::*;
use crate::argument::KernelParam as _;
use crate::backend::cuda::fake_driver::Device;
use crate::backend::{DeviceMemory as _, KernelLookup as _, PinnedMemory as _};
use crate::launch::{Kernel, Module, Parameter};

#[test]
fn the_line_of_a_ptx_that_was_refused_is_quoted() {
    let log = "ptxas application ptx input, line 2; fatal   : Parsing error near 'nonsense': syntax error";
    let ptx = b"// \xe9\n  nonsense here\n\0 line behind\n";
    assert_eq!(ptx_line(log, ptx, ImageFormat::Ptx).as_deref(), Some("line 2 is `nonsense here`"));
    assert_eq!(ptx_line(log, ptx, ImageFormat::Cubin), None);
    for log in ["no place", "line 0", "line 3", "line x"] {
        assert_eq!(ptx_line(log, b"a\nb\0\nc", ImageFormat::Ptx), None, "{log}");
    }
}

#[test]
fn ptx_ends_with_one_zero_and_other_images_as_they_are() {
    assert_eq!(*with_end(b"ptx", ImageFormat::Ptx), *b"ptx\0");
    assert_eq!(*with_end(b"ptx\0", ImageFormat::Ptx), *b"ptx\0");
    assert_eq!(*with_end(b"ptx\0rest", ImageFormat::Ptx), *b"ptx\0rest");
    assert_eq!(*with_end(b"elf", ImageFormat::Cubin), *b"elf");
}

static SCALE: Kernel = Kernel::new(
    Module::new("scale").with_source("scale.cu", "no CUDA").with_image("old.ptx", b"no image"),
    "scale",
    &[Parameter::value("by", "f32", f32::DESCRIPTION)],
);
static STALE: Kernel =
    Kernel::new(Module::new("scale"), "scale", &[Parameter::value("by", "u32", u32::DESCRIPTION)]);

const PTX: &str = "// \u{e9}\n.version 8.0\n.target sm_80\n.address_size 64\n.visible .entry scale(.param .f32 by) { ret; }\n";

fn in_latin_1(text: &str) -> Vec<u8> {
    text.chars().map(|letter| u8::try_from(letter).expect("a letter of Latin-1")).collect()
}

#[test]
fn what_is_given_at_run_time_is_loaded_once_and_checked_by_what_it_says() {
    let device = Device::new();
    let backend = device.open();
    backend.load_module("scale", in_latin_1(PTX)).expect("PTX");
    assert!(!device.calls().contains(&"cuModuleLoadDataEx"), "it is loaded when a kernel is looked up");
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| SCALE.resolve(&*backend).expect("the kernel is what is declared"));
        }
    });
    assert_eq!(device.calls().iter().filter(|call| **call == "cuModuleLoadDataEx").count(), 1);
    let error = STALE.resolve(&*backend).expect_err("a float is no integer");
    assert!(matches!(error.failure(), Error::Declaration { .. }), "{error}");
    let error = backend.load_module("scale", "// other\n.version 8.0\n").expect_err("it is loaded");
    assert!(matches!(error, Error::ModuleConflict { .. }), "{error}");
}

#[test]
fn a_declaration_that_nothing_vouches_for_is_refused_with_what_to_do() {
    let backend = Device::new().open();
    backend
        .load_module("scale", ".version 8.0\n.visible .entry scale(.param .f32 by")
        .expect("it begins like PTX");
    let error = SCALE.resolve(&*backend).expect_err("nobody knows the parameters");
    let text = error.to_string();
    for words in
        ["kernel `scale`", "scale", "given at run time", "its image cannot be read", "12.4", "find_kernel"]
    {
        assert!(text.contains(words), "{words}: {text}");
    }
    assert!(matches!(error.failure(), Error::Load { .. }));
    backend.find_kernel("scale", "scale").expect("unchecked, it is there");
}

#[test]
fn where_neither_image_nor_source_will_do_both_reasons_are_told() {
    let backend = Device::new().open();
    let newer = in_latin_1(&PTX.replace("sm_80", "sm_100"));
    let module = Module::new("both").with_source("both.cu", "no CUDA").with_image("both.ptx", newer.leak());
    backend.register_module(module).expect("a module");
    let error = backend.find_kernel("both", "scale").expect_err("neither will do");
    let Error::Load { problem, origin, .. } = error else { panic!("{error}") };
    assert_eq!(&*origin, "both.ptx, both.cu");
    assert!(
        problem.starts_with("its image both.ptx was not taken: it is PTX for sm_100, and the device is sm_90; and its source both.cu: "),
        "{problem}"
    );

    backend.load_module("alone", newer_alone()).expect("PTX");
    let text = backend.find_kernel("alone", "scale").expect_err("it does not fit").to_string();
    assert!(text.contains("sm_100") && text.contains("embed_source"), "{text}");
}

fn newer_alone() -> Vec<u8> {
    in_latin_1(&PTX.replace("sm_80", "sm_100"))
}

#[test]
fn more_memory_than_there_can_be_is_not_asked_for() {
    let device = Device::new();
    let backend = device.open();
    device.calls();
    for bytes in [usize::MAX, isize::MAX.unsigned_abs() + 1] {
        let refusals = [
            ("device", backend.allocate(bytes).map(drop)),
            ("managed", backend.allocate_managed(bytes).map(drop)),
            ("pinned", backend.allocate_pinned(bytes).map(drop)),
        ];
        for (memory, refusal) in refusals {
            match refusal {
                Err(Error::OutOfMemory { memory: refused, requested, .. }) => {
                    assert_eq!((refused, requested), (memory, bytes));
                }
                other => panic!("{memory}: {other:?}"),
            }
        }
    }
    let calls = device.calls();
    assert!(!calls.iter().any(|call| call.contains("Alloc")), "{calls:?}");
}
