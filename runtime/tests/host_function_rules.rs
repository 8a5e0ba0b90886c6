//! What a host function, which is safe code, cannot do with what it is given.

use std::panic::{AssertUnwindSafe, catch_unwind, panic_any};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use warpcall::{
    DevicePtr, Error, Gpu, Kernel, KernelLaunch, KernelParam, LaunchConfig, MemoryProblem, Module, Parameter,
    Result,
};

fn launch(gpu: &Gpu, kernel: &'static Kernel, memory: impl Into<DevicePtr>) -> Result<()> {
    // SAFETY: the kernels here write the words that they are given, and the memory is there.
    unsafe {
        KernelLaunch::new(&**gpu, kernel.resolve(&**gpu)?).arg_ptr(memory).launch(&gpu.default_stream())
    }
}

macro_rules! kernel_of_words {
    ($name:ident, $host:expr) => {
        static $name: Kernel = Kernel::new(
            Module::new("rules"),
            stringify!($name),
            &[Parameter::device_mut::<u32>("words", "*mut u32")],
        )
        .with_host($host);
    };
}

/// What the inner of two nested bodies came to.
static NESTED: Mutex<Option<Result<()>>> = Mutex::new(None);

kernel_of_words!(NESTS, |call| {
    call.run(|outer| {
        let words: &mut [u32] = outer.slice_mut(0)?;
        words[0] = 1;
        let inner = call.run(|inner| {
            let alias: &mut [u32] = inner.slice_mut(0)?;
            alias[0] = 2;
            Ok(())
        });
        let again = call.run(|_| Ok(()));
        assert!(inner.is_err() && again.is_err(), "a refusal does not let the next one in");
        *NESTED.lock().unwrap() = Some(inner);
        assert_eq!(words[0], 1, "nothing else wrote what is held exclusively");
        Ok(())
    })
});

#[test]
fn the_body_of_a_host_function_cannot_be_given_the_arguments_again() -> Result<()> {
    let gpu = Gpu::host()?;
    let words = gpu.zeros::<u32>(4)?;
    launch(&gpu, &NESTS, &words)?;
    match NESTED.lock().unwrap().take() {
        Some(Err(Error::HostFunctionFailed { kernel, source })) => {
            assert_eq!(&*kernel, "NESTS");
            assert!(source.to_string().contains("inside the body of another"), "{source}");
        }
        other => panic!("{other:?}"),
    }
    Ok(())
}

kernel_of_words!(ONE, |call| {
    call.run(|call| {
        let words: &mut [u32] = call.slice_mut(0)?;
        words[0] = 7;
        Ok(())
    })
});

kernel_of_words!(CALLS_ONE, |call| {
    call.run(|outer| {
        let words: &mut [u32] = outer.slice_mut(0)?;
        let of_another = ONE.host().unwrap()(call);
        assert_eq!(words[0], 0);
        of_another
    })
});

kernel_of_words!(CALLS_ONE_FIRST, |call| {
    ONE.host().unwrap()(call)?;
    call.run(|outer| {
        let words: &mut [u32] = outer.slice_mut(0)?;
        words[0] += 1;
        Ok(())
    })
});

#[test]
fn another_kernels_host_function_runs_before_a_body_and_not_inside_it() -> Result<()> {
    let gpu = Gpu::host()?;
    let words = gpu.zeros::<u32>(4)?;
    let error = launch(&gpu, &CALLS_ONE, &words).unwrap_err().to_string();
    assert!(error.contains("CALLS_ONE") && error.contains("inside the body"), "{error}");
    launch(&gpu, &CALLS_ONE_FIRST, &words)?;
    assert_eq!(words.to_vec(&gpu.default_stream())?[0], 8);
    Ok(())
}

kernel_of_words!(PANICS_THEN_RUNS, |call| {
    let panicked = catch_unwind(AssertUnwindSafe(|| call.run(|_| panic_any("the first body"))));
    assert!(panicked.is_err());
    call.run(|call| {
        let words: &mut [u32] = call.slice_mut(0)?;
        words[0] = 3;
        Ok(())
    })
});

#[test]
fn a_body_that_panicked_has_the_arguments_no_more() -> Result<()> {
    let gpu = Gpu::host()?;
    let words = gpu.zeros::<u32>(1)?;
    launch(&gpu, &PANICS_THEN_RUNS, &words)?;
    assert_eq!(words.to_vec(&gpu.default_stream())?, [3]);
    Ok(())
}

/// Panics when it is dropped, with a value that does so once more.
struct PanicsTwice {
    again: bool,
}

static DROPPED_TO_THE_END: AtomicBool = AtomicBool::new(false);

impl Drop for PanicsTwice {
    fn drop(&mut self) {
        if self.again {
            panic_any(Self { again: false });
        }
        DROPPED_TO_THE_END.store(true, Ordering::Relaxed);
        panic_any("in the drop of what the first drop panicked with");
    }
}

kernel_of_words!(PANICS_FOR_EVER, |_| panic_any(PanicsTwice { again: true }));

#[test]
fn a_panic_whose_value_panics_when_dropped_and_again_does_not_leave_the_launch() -> Result<()> {
    let gpu = Gpu::host()?;
    let words = gpu.zeros::<u32>(1)?;
    let error = catch_unwind(AssertUnwindSafe(|| launch(&gpu, &PANICS_FOR_EVER, &words)));
    let error = error.expect("no panic leaves the launch").unwrap_err();
    assert!(
        matches!(&error, Error::HostFunctionPanicked { kernel, .. } if &**kernel == "PANICS_FOR_EVER"),
        "{error}"
    );
    assert!(!DROPPED_TO_THE_END.load(Ordering::Relaxed), "the second value is left alone");
    launch(&gpu, &ONE, &words)
}

static FOLLOWS: Kernel =
    Kernel::new(Module::new("rules"), "follows", &[Parameter::value("address", "u64", u64::DESCRIPTION)])
        .with_host(|call| {
            call.run(|call| {
                let address = DevicePtr::new(call.value(0)?);
                call.launch().slice_at::<u32>(address, 2)?[0].set(5);
                Ok(())
            })
        });

#[test]
fn a_followed_pointer_does_not_reach_pinned_memory_which_a_slice_may_borrow() -> Result<()> {
    let gpu = Gpu::host()?;
    let (pinned, device) = (gpu.pinned::<u32>(4)?, gpu.zeros::<u32>(4)?);
    let follow = |address: DevicePtr| {
        let mut launch = KernelLaunch::new(&*gpu, FOLLOWS.resolve(&*gpu)?);
        launch.config(LaunchConfig::new(1, 1)).arg_u64(address.address());
        // SAFETY: the function asks the backend what lies at the address.
        unsafe { launch.launch(&gpu.default_stream()) }
    };
    follow(device.device_ptr())?;
    let held = &*pinned;
    match follow(pinned.device_ptr()?.byte_add(4)) {
        Err(Error::Memory { operation, problem: MemoryProblem::Pinned, .. }) => {
            assert_eq!(&*operation, "kernel `follows`, slice_at");
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(held, [0; 4]);
    Ok(())
}
