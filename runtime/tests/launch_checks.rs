//! What is refused before a backend sees it, whatever that backend would do.

#![allow(clippy::large_stack_arrays, reason = "what a large value does is what is tested")]

mod fake_backend;

use std::panic::catch_unwind;

use fake_backend::{FakeBackend, UNDECLARED};
use warpcall::backend::KernelLookup;
use warpcall::{
    DevicePtr, Error, Kernel, KernelHandle, KernelLaunch, KernelParam, LaunchConfig, Module, Parameter,
    Result, StreamRef,
};

static PAIR: Kernel = Kernel::new(
    Module::new("checks"),
    "pair",
    &[Parameter::device_mut::<f32>("memory", "*mut f32"), Parameter::value("bytes", "u64", u64::DESCRIPTION)],
);

/// Launches with what `fill` puts into the builder.
fn launch(
    backend: &FakeBackend,
    kernel: KernelHandle,
    fill: impl FnOnce(&mut KernelLaunch<'_>),
) -> Result<()> {
    let mut launch = KernelLaunch::new(backend, kernel);
    fill(&mut launch);
    // SAFETY: nothing is run.
    unsafe { launch.launch(&StreamRef::default_of(backend)) }
}

fn pair(launch: &mut KernelLaunch<'_>) {
    launch.arg_ptr(DevicePtr::new(0x40)).arg_u64(7);
}

#[test]
fn an_empty_grid_or_block_does_not_reach_the_backend() {
    let backend = FakeBackend::accepting();
    let kernel = PAIR.resolve(&backend).unwrap();
    for (grid, block) in [([0, 1, 1], [1; 3]), ([1, 1, 0], [1; 3]), ([1; 3], [1, 0, 1]), ([1; 3], [0; 3])] {
        let refused = launch(&backend, kernel, |launch| {
            pair(launch);
            launch.grid(grid).block(block);
        });
        match refused {
            Err(Error::EmptyLaunch { kernel, config }) => {
                assert_eq!((&*kernel, *config), ("pair", LaunchConfig::new(grid, block)));
            }
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(backend.launches(), 0);
    launch(&backend, kernel, pair).unwrap();
    assert_eq!(backend.launches(), 1);
}

#[test]
fn arguments_that_do_not_fit_the_declaration_do_not_reach_the_backend() {
    let backend = FakeBackend::accepting();
    let kernel = PAIR.resolve(&backend).unwrap();
    let few = launch(&backend, kernel, |launch| {
        launch.arg_ptr(DevicePtr::NULL);
    });
    assert!(matches!(few, Err(Error::ArgumentCount { expected: 2, found: 1, .. })), "{few:?}");
    let (memory, address) = (DevicePtr::new(0x40), 0x40_u64);
    for (what, refused, wrong) in [
        (
            "memory for a value of its size",
            launch(&backend, kernel, |launch| {
                launch.arg_ptr(memory).arg_ptr(memory);
            }),
            "bytes",
        ),
        (
            "a value for memory",
            launch(&backend, kernel, |launch| {
                launch.arg_u64(address).arg_u64(7);
            }),
            "memory",
        ),
        (
            "a narrower value",
            launch(&backend, kernel, |launch| {
                launch.arg_ptr(memory).arg_u32(7);
            }),
            "bytes",
        ),
    ] {
        match refused {
            Err(Error::Argument { kernel, parameter, .. }) => {
                assert_eq!((&*kernel, &*parameter), ("pair", wrong), "{what}");
            }
            other => panic!("{what}: {other:?}"),
        }
    }
    assert_eq!(backend.launches(), 0);
}

/// Values of so many bytes.
macro_rules! large {
    ($($name:ident: $bytes:expr;)+) => {$(
        #[derive(Clone, Copy, KernelParam)]
        #[repr(C)]
        struct $name {
            bytes: [u8; $bytes],
        }
    )+};
}

large! {
    Whole: 32_764;
    BeforeAPointer: 32_749;
    OverBeforeAPointer: 32_753;
    AfterAPointer: 32_756;
    OverAfterAPointer: 32_757;
    Mebibyte: 1 << 20;
}

#[test]
fn more_parameters_than_any_kernel_takes_do_not_reach_the_backend() {
    let backend = FakeBackend::accepting();
    let kernel = backend.find_kernel("any", "kernel").unwrap();
    launch(&backend, kernel, |launch| {
        launch.arg(Whole { bytes: [1; _] });
    })
    .unwrap();
    launch(&backend, kernel, |launch| {
        launch.arg(BeforeAPointer { bytes: [1; _] }).arg_ptr(DevicePtr::NULL).arg_u32(0);
    })
    .unwrap();
    assert_eq!(backend.launches(), 2, "with the padding before the pointer these are 32,764 bytes");

    let over = launch(&backend, kernel, |launch| {
        launch.arg(OverBeforeAPointer { bytes: [1; _] }).arg_ptr(DevicePtr::NULL).arg_u32(0);
    });
    match over {
        Err(Error::Argument { kernel, parameter, expected, found }) => {
            assert_eq!((&*kernel, &*parameter), (format!("{UNDECLARED:#x}").as_str(), "#1"));
            assert!(expected.contains("32764") && expected.contains("device memory"), "{expected}");
            assert!(found.contains("32768"), "{found}");
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(backend.launches(), 2);
}

#[test]
fn a_value_of_a_mebibyte_is_refused_and_does_not_overflow_the_stack() {
    static MEBIBYTE: Mebibyte = Mebibyte { bytes: [1; _] };
    let backend = FakeBackend::accepting();
    let undeclared = backend.find_kernel("any", "kernel").unwrap();
    for kernel in [undeclared, PAIR.resolve(&backend).unwrap()] {
        let error = launch(&backend, kernel, |launch| {
            launch.arg_ptr(DevicePtr::NULL);
            launch.arg(MEBIBYTE);
        });
        let error = error.unwrap_err().to_string();
        assert!(error.len() < 400, "{error}");
        assert!(error.contains("1048576") || error.contains("1048584"), "{error}");
    }
    assert_eq!(backend.launches(), 0);
}

#[test]
fn a_declaration_of_more_parameters_than_any_kernel_takes_panics_and_says_what_to_do() {
    static MOST: [Parameter; 2] = [
        Parameter::device_ref::<f32>("pointer", "*const f32"),
        Parameter::value("rest", "AfterAPointer", AfterAPointer::DESCRIPTION),
    ];
    static MORE: [Parameter; 2] = [
        Parameter::device_ref::<f32>("pointer", "*const f32"),
        Parameter::value("rest", "OverAfterAPointer", OverAfterAPointer::DESCRIPTION),
    ];
    static PADDED: [Parameter; 2] = [
        Parameter::value("first", "OverBeforeAPointer", OverBeforeAPointer::DESCRIPTION),
        Parameter::device_ref::<f32>("pointer", "*const f32"),
    ];
    assert_eq!(Kernel::new(Module::new("checks"), "most", &MOST).parameters().len(), 2);
    for parameters in [&MORE, &PADDED] {
        let declared = catch_unwind(|| Kernel::new(Module::new("checks"), "more", parameters));
        let panic = declared.unwrap_err();
        let message = panic.downcast_ref::<&str>().copied().unwrap_or_default();
        assert!(message.contains("32,764") && message.contains("declare a pointer"), "{message}");
    }
}
