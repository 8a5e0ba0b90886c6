//! What the recording backend refuses of launches that it does not run.

use std::ffi::c_void;
use std::panic::Location;

use warpcall::backend::{Launch, LaunchKernels, Streams};
use warpcall::{
    DevicePtr, Error, Gpu, Kernel, KernelArg, KernelLaunch, KernelParam, LaunchConfig, MockBackend, Module,
    Parameter, Result, StreamHandle, StreamRef,
};

static PAIR: Kernel = Kernel::new(
    Module::new("pair"),
    "pair",
    &[
        Parameter::device_ref::<u32>("first", "*const u32"),
        Parameter::value("n", "u32", u32::DESCRIPTION),
        Parameter::device_ref::<u32>("second", "*const u32").nullable(),
    ],
);

fn pair(mock: &MockBackend, first: DevicePtr, second: DevicePtr) -> Result<()> {
    let mut launch = KernelLaunch::new(mock, PAIR.resolve(mock)?);
    launch.arg_ptr(first).arg_u32(4).arg_ptr(second);
    // SAFETY: the kernel is not run.
    unsafe { launch.launch(&StreamRef::default_of(mock)) }
}

fn pair_raw(mock: &MockBackend, stream: StreamHandle, first: DevicePtr, second: DevicePtr) -> Result<()> {
    let (mut first, mut n, mut second) = (first.address(), 4_u32, second.address());
    let params = [(&raw mut first).cast::<c_void>(), (&raw mut n).cast(), (&raw mut second).cast()];
    // SAFETY: three pointers to as many bytes as the parameters have; the kernel is not run.
    unsafe { mock.launch_raw(PAIR.resolve(mock)?, &LaunchConfig::new(1, 32), stream, &params) }
}

/// The error's own words, and those of its causes.
fn words(outcome: Result<()>) -> String {
    format!("{:#}", anyhow::Error::from(outcome.expect_err("it is refused")))
}

#[test]
fn a_launch_on_a_stream_that_is_not_live_is_refused() -> Result<()> {
    let mock = MockBackend::new()?;
    let destroyed = mock.create_stream(None)?;
    // SAFETY: the uses that follow are refused.
    unsafe { mock.destroy_stream(destroyed)? };
    let handle = PAIR.resolve(&*mock)?;
    for stream in [destroyed, StreamHandle::new(0xDEAD)] {
        let mut launch = KernelLaunch::new(&*mock, handle);
        launch.arg_ptr(DevicePtr::new(0x40)).arg_u32(4).arg_ptr(DevicePtr::NULL);
        // SAFETY: refused.
        let typed = words(unsafe { launch.launch(&StreamRef::new(&*mock, stream)) });
        assert!(typed.contains("stream") && typed.contains("mock"), "{typed}");
        let raw = pair_raw(&mock, stream, DevicePtr::new(0x40), DevicePtr::NULL);
        assert!(
            matches!(raw, Err(Error::UnknownHandle { operation: "launch_raw", what: "stream", .. })),
            "{raw:?}"
        );
    }
    let live = mock.create_stream(None)?;
    pair_raw(&mock, live, DevicePtr::new(0x40), DevicePtr::NULL)
}

#[test]
fn memory_that_is_gone_or_another_backends_is_refused_by_the_parameters_name() -> Result<()> {
    let mock = MockBackend::new()?;
    let gpu = Gpu::from_backend(mock.clone());
    let live = gpu.zeros::<u32>(4)?;
    let foreign = Gpu::host()?.zeros::<u32>(4)?;
    let freed = gpu.zeros::<u32>(4)?.device_ptr();
    let live = live.device_ptr();
    let (past, never) = (live.byte_add(4096), live.byte_add(1 << 32));
    for stale in [freed, foreign.device_ptr(), past, never] {
        let typed = words(pair(&mock, live, stale));
        assert!(typed.contains("second") && typed.contains("pair"), "{typed}");
        let raw = words(pair_raw(&mock, StreamHandle::DEFAULT, stale, live));
        assert!(raw.contains("first"), "{raw}");
    }
    pair(&mock, live, live.byte_add(8))?;
    // Nobody's memory ever: made up by a test, which looks at what arrives.
    pair(&mock, DevicePtr::new(0x1234), live)?;
    pair_raw(&mock, StreamHandle::DEFAULT, live, DevicePtr::new(0x1234))
}

#[test]
fn a_null_pointer_is_refused_where_the_declaration_does_not_allow_it() -> Result<()> {
    let mock = MockBackend::new()?;
    let some = DevicePtr::new(0x40);
    pair(&mock, some, DevicePtr::NULL)?;
    pair_raw(&mock, StreamHandle::DEFAULT, some, DevicePtr::NULL)?;
    let refused = [
        words(pair(&mock, DevicePtr::NULL, some)),
        words(pair_raw(&mock, StreamHandle::DEFAULT, DevicePtr::NULL, some)),
    ];
    for words in refused {
        assert!(words.contains("first") && words.contains("null"), "{words}");
    }
    Ok(())
}

#[warpcall::kernel(module = "clear")]
unsafe extern "C" {
    unsafe fn clear(values: *mut f32);
}

#[test]
fn an_empty_buffer_is_null_and_not_refused() -> Result<()> {
    let mock = MockBackend::new()?;
    let gpu = Gpu::from_backend(mock.clone());
    let mut empty = gpu.zeros::<f32>(0)?;
    // SAFETY: the kernel is not run.
    unsafe { launch_clear(&gpu.default_stream(), LaunchConfig::new(1, 1), &mut empty)? };
    assert_eq!(mock.launches()[0].buffer("values")?, DevicePtr::NULL);
    Ok(())
}

/// A launch as a backend receives it, of which nobody has checked anything.
fn unchecked<'a>(
    mock: &MockBackend,
    declaration: Option<&'static Kernel>,
    config: &'a LaunchConfig,
    args: &'a [KernelArg<'a>],
) -> Result<Launch<'a>> {
    use warpcall::backend::KernelLookup as _;
    let kernel = mock.find_kernel("pair", "pair")?;
    let location = Location::caller();
    Ok(Launch {
        kernel,
        declaration,
        config,
        stream: StreamHandle::DEFAULT,
        args,
        params: &[],
        extents: &[],
        location,
    })
}

#[test]
fn a_typed_launch_is_compared_with_the_declaration_that_it_brings() -> Result<()> {
    let mock = MockBackend::new()?;
    let (config, args) = (LaunchConfig::new(1, 32), [KernelArg::Buffer(DevicePtr::new(0x40))]);
    let launch = unchecked(&mock, None, &config, &args)?;
    // SAFETY: the kernel is not run.
    unsafe { mock.launch(&launch)? };
    let launch = unchecked(&mock, Some(&PAIR), &config, &args)?;
    // SAFETY: refused.
    let launched = unsafe { mock.launch(&launch) };
    assert!(matches!(launched, Err(Error::ArgumentCount { expected: 3, found: 1, .. })), "{launched:?}");
    Ok(())
}

#[test]
fn a_typed_launch_is_compared_with_the_declaration_of_its_handle() -> Result<()> {
    let mock = MockBackend::new()?;
    let handle = PAIR.resolve(&*mock)?;
    let (config, args) = (LaunchConfig::new(1, 32), [KernelArg::Buffer(DevicePtr::new(0x40))]);
    let launch = Launch { kernel: handle, ..unchecked(&mock, None, &config, &args)? };
    // SAFETY: refused.
    let launched = unsafe { mock.launch(&launch) };
    assert!(matches!(launched, Err(Error::ArgumentCount { expected: 3, found: 1, .. })), "{launched:?}");
    Ok(())
}

#[test]
fn a_raw_launch_past_the_limits_is_refused_with_both_numbers() -> Result<()> {
    let mock = MockBackend::new()?;
    let handle = PAIR.resolve(&*mock)?;
    let (mut first, mut n, mut second) = (0x40_u64, 4_u32, 0_u64);
    let params = [(&raw mut first).cast::<c_void>(), (&raw mut n).cast(), (&raw mut second).cast()];
    let config = LaunchConfig::new([1, 70_000], 32);
    // SAFETY: refused.
    let words = words(unsafe { mock.launch_raw(handle, &config, StreamHandle::DEFAULT, &params) });
    assert!(words.contains("70000") && words.contains("65535"), "{words}");
    Ok(())
}
