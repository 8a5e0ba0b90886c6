//! Finding kernels and modules on the recording backend, and on the host's, which agrees with it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use warpcall::backend::mock::CallKind;
use warpcall::backend::{DeviceInfo, DeviceMemory, KernelLookup};
use warpcall::{
    Error, GpuBackend, Header, HostBackend, Kernel, KernelLaunch, KernelParam, MockBackend, Module,
    Parameter, Result, StreamRef,
};

static PLAIN: Kernel = Kernel::new(Module::new("plain"), "plain", &[]);
/// Another declaration of the same kernel.
static WITH_N: Kernel =
    Kernel::new(Module::new("plain"), "plain", &[Parameter::value("n", "u32", u32::DESCRIPTION)]);

const BARE: Module = Module::new("code");
const SOURCE: Module = Module::new("code").with_source("a.cu", "one");
const OTHER_SOURCE: Module = Module::new("code").with_source("a.cu", "two");
const IMAGE: Module = Module::new("code").with_image("a.ptx", b"one");
const OTHER_IMAGE: Module = Module::new("code").with_image("a.ptx", b"two");
const BOTH: Module = Module::new("code").with_source("a.cu", "one").with_image("a.ptx", b"one");
const MOVED: Module = Module::new("code").with_source("copy/a.cu", "one").with_image("copy/a.ptx", b"one");

static OF_SOURCE: Kernel = Kernel::new(SOURCE, "of_source", &[]);
static OF_OTHER_SOURCE: Kernel = Kernel::new(OTHER_SOURCE, "of_other_source", &[]);

fn same(declaration: Option<&'static Kernel>, kernel: &'static Kernel) -> bool {
    declaration.is_some_and(|declaration| std::ptr::eq(declaration, kernel))
}

#[test]
fn a_kernel_found_by_name_is_not_taken_for_one_that_is_declared_later() -> Result<()> {
    let mock = MockBackend::new()?;
    let found = mock.find_kernel("plain", "plain")?;
    let declared = mock.resolve_kernel(&PLAIN)?;
    assert_ne!(found, declared);
    assert!(mock.declaration(found).is_none());
    assert!(same(mock.declaration(declared), &PLAIN));
    assert_eq!((mock.find_kernel("plain", "plain")?, mock.resolve_kernel(&PLAIN)?), (found, declared));
    Ok(())
}

#[test]
fn two_declarations_of_one_kernel_keep_their_own_handles() -> Result<()> {
    let mock = MockBackend::new()?;
    let handles = [mock.resolve_kernel(&PLAIN)?, mock.resolve_kernel(&WITH_N)?];
    assert_ne!(handles[0], handles[1]);
    assert!(same(mock.declaration(handles[0]), &PLAIN) && same(mock.declaration(handles[1]), &WITH_N));
    assert_eq!(mock.find_kernel("plain", "plain")?, handles[0], "by name, the first");
    Ok(())
}

#[test]
fn a_handle_of_another_mock_is_no_kernel_here() -> Result<()> {
    let [mock, other] = [MockBackend::new()?, MockBackend::new()?];
    let foreign = PLAIN.resolve(&*other)?;
    WITH_N.resolve(&*mock)?;
    assert!(mock.declaration(foreign).is_none());
    // SAFETY: refused.
    let launched = unsafe { KernelLaunch::new(&*mock, foreign).launch(&StreamRef::default_of(&*mock)) };
    assert!(launched.expect_err("another mock's").to_string().contains("kernel"));
    assert_eq!(mock.launches()[0].kernel, "", "and not the kernel of that number");
    Ok(())
}

#[test]
fn a_module_conflicts_with_other_code_and_not_with_none() -> Result<()> {
    let cases: [(&[Module], bool); 9] = [
        (&[BARE, BARE], true),
        (&[BARE, SOURCE, BARE, SOURCE], true),
        (&[SOURCE, BARE, OTHER_SOURCE], false),
        (&[BARE, SOURCE, OTHER_SOURCE], false),
        (&[IMAGE, BARE, OTHER_IMAGE], false),
        (&[BOTH, MOVED], true),
        (&[SOURCE, IMAGE], false),
        (&[BOTH, SOURCE], false),
        (&[SOURCE, BOTH], false),
    ];
    for (modules, fits) in cases {
        let backends: [Arc<dyn GpuBackend>; 2] = [Arc::new(HostBackend::new()), MockBackend::new()?];
        for backend in backends {
            let (last, earlier) = modules.split_last().expect("there are modules");
            for module in earlier {
                backend.register_module(*module)?;
            }
            match (backend.register_module(*last), fits) {
                (Ok(()), true) => {}
                (Err(Error::ModuleConflict { module }), false) if &*module == "code" => {}
                (other, _) => panic!("{} of {modules:?}: {other:?}", backend.kind()),
            }
        }
    }
    Ok(())
}

#[test]
fn a_declared_kernel_brings_its_module() -> Result<()> {
    let backends: [Arc<dyn GpuBackend>; 2] = [Arc::new(HostBackend::new()), MockBackend::new()?];
    for backend in backends {
        backend.resolve_kernel(&OF_SOURCE)?;
        let resolved = backend.resolve_kernel(&OF_OTHER_SOURCE);
        assert!(matches!(resolved, Err(Error::ModuleConflict { .. })), "{resolved:?}");
        assert_eq!(backend.lookup_audit().failed().len(), 1);
    }
    Ok(())
}

enum Step {
    Give(Module),
    Resolve(&'static Kernel),
}
use Step::{Give, Resolve};

#[test]
fn a_module_given_at_run_time_takes_the_place_of_what_declarations_carry() -> Result<()> {
    let with_header = OTHER_SOURCE.with_headers(&[Header { name: "a.cuh", bytes: b"" }]);
    let with_define = OTHER_SOURCE.with_defines(&["N=1"]);
    // Of each list the last alone may conflict.
    let cases: [(&[Step], bool); 10] = [
        (&[Give(OTHER_SOURCE), Resolve(&OF_SOURCE), Resolve(&OF_OTHER_SOURCE)], true),
        (&[Give(OTHER_SOURCE), Resolve(&OF_SOURCE), Give(OTHER_SOURCE), Give(BARE)], true),
        // Without code there is nothing to stay.
        (&[Give(BARE), Resolve(&OF_SOURCE), Resolve(&OF_OTHER_SOURCE)], false),
        // What is loaded is not replaced, and the same code again is no replacement.
        (&[Resolve(&OF_SOURCE), Give(OTHER_SOURCE)], false),
        (&[Resolve(&OF_SOURCE), Give(SOURCE), Resolve(&OF_OTHER_SOURCE)], true),
        (&[Resolve(&OF_SOURCE), Give(SOURCE), Give(OTHER_SOURCE)], false),
        (&[Give(SOURCE), Resolve(&OF_SOURCE), Give(OTHER_SOURCE)], false),
        // Headers and macros are code, too.
        (&[Give(OTHER_SOURCE), Give(with_header)], false),
        (&[Give(OTHER_SOURCE), Give(with_define)], false),
        (&[Give(with_header), Give(with_header)], true),
    ];
    for (case, (steps, fits)) in cases.into_iter().enumerate() {
        let backends: [Arc<dyn GpuBackend>; 2] = [Arc::new(HostBackend::new()), MockBackend::new()?];
        for backend in backends {
            let take = |step: &Step| match step {
                Give(module) => backend.register_module(*module),
                Resolve(kernel) => backend.resolve_kernel(kernel).map(drop),
            };
            let (last, earlier) = steps.split_last().expect("there are steps");
            earlier.iter().try_for_each(take)?;
            match (take(last), fits) {
                (Ok(()), true) | (Err(Error::ModuleConflict { .. }), false) => {}
                (other, _) => panic!("{}, case {case}: {other:?}", backend.kind()),
            }
        }
    }
    Ok(())
}

#[test]
fn a_registered_module_is_known_to_the_wrapped_backend_too() -> Result<()> {
    let mock = MockBackend::new()?;
    assert!(!mock.inner().has_module("code"));
    mock.register_module(SOURCE)?;
    assert!(mock.inner().has_module("code"));
    Ok(())
}

#[test]
fn a_look_up_does_not_take_longer_among_many_kernels() -> Result<()> {
    const MANY: usize = 20_000;
    let kernels: Vec<&'static Kernel> = (0..MANY)
        .map(|index| {
            let name = Box::leak(format!("kernel_{index}").into_boxed_str());
            &*Box::leak(Box::new(Kernel::new(Module::new("many"), name, &[])))
        })
        .collect();
    let backends: [Arc<dyn GpuBackend>; 2] = [Arc::new(HostBackend::new()), MockBackend::new()?];
    for backend in backends {
        let start = Instant::now();
        for kernel in &kernels {
            let handle = backend.resolve_kernel(kernel)?;
            assert_eq!(backend.find_kernel("many", kernel.name())?, handle);
        }
        let taken = start.elapsed();
        // Comparing each with all before it takes far longer, and grows with the square.
        assert!(taken < Duration::from_secs(4), "{}: {taken:?}", backend.kind());
    }
    Ok(())
}

#[test]
fn scratch_memory_goes_with_the_mock() -> Result<()> {
    let host = Arc::new(HostBackend::new());
    let before = host.memory_info()?.free;
    let mock = MockBackend::over(Arc::clone(&host) as Arc<dyn GpuBackend>);
    mock.operation_cache().scratch(&*mock, "partial sums", 1 << 20)?;
    assert_eq!(mock.count(CallKind::Allocate), 1);
    assert_eq!(host.memory_info()?.free, before - (1 << 20));
    drop(mock);
    assert_eq!(host.memory_info()?.free, before);
    Ok(())
}
