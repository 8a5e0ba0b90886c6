//! Every error of a launch names its kernel, and the parameter where there is one.

use warpcall::{
    Error, Gpu, Kernel, KernelLaunch, LaunchConfig, Module, Parameter, Result, StreamHandle, StreamRef,
    kernel,
};

static WORDS: Kernel =
    Kernel::new(Module::new("errors"), "words", &[Parameter::device_mut::<u32>("words", "*mut u32")])
        .with_host(|_| Ok(()));

/// What `launch` says of `stream`, with memory and a kernel of `gpu`.
fn refused(gpu: &Gpu, stream: &StreamRef<'_>) -> Error {
    let memory = gpu.zeros::<u32>(1).unwrap();
    // SAFETY: the function leaves the memory alone.
    let launched =
        unsafe { KernelLaunch::new(&**gpu, WORDS.resolve(&**gpu).unwrap()).arg_ptr(&memory).launch(stream) };
    launched.unwrap_err()
}

/// Checks that the error is of the kernel `words`, and says so once; what it says of it.
fn of_words(error: Error) -> Error {
    let text = error.to_string();
    assert!(text.starts_with("kernel `words`: ") && text.matches("`words`").count() == 1, "{text}");
    match error {
        Error::OfKernel { kernel, source } => {
            assert_eq!(&*kernel, "words");
            *source
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_stream_that_is_not_live_is_an_error_of_the_kernel() -> Result<()> {
    let gpu = Gpu::host()?;
    let error = of_words(refused(&gpu, &StreamRef::new(&*gpu, StreamHandle::new(77))));
    assert!(matches!(error, Error::UnknownHandle { what: "stream", handle: 77, .. }), "{error}");
    Ok(())
}

#[test]
fn a_stream_of_another_backend_is_an_error_of_the_kernel() -> Result<()> {
    let (gpu, other) = (Gpu::host()?, Gpu::host()?);
    let error = of_words(refused(&gpu, &StreamRef::default_of(&*other)));
    assert!(matches!(error, Error::ForeignStream { operation: "launch", .. }), "{error}");
    Ok(())
}

#[test]
fn a_capture_that_is_invalid_is_an_error_of_the_kernel() -> Result<()> {
    let gpu = Gpu::host()?;
    let stream = gpu.create_stream()?;
    let event = gpu.create_event()?;
    stream.begin_capture()?;
    stream.record(&event)?;
    assert!(event.synchronize().is_err(), "what is captured is never reached");
    let error = of_words(refused(&gpu, &StreamRef::new(&*gpu, stream.handle())));
    stream.abandon_capture()?;
    assert!(matches!(error, Error::Capture { .. }), "{error}");
    Ok(())
}

static ONE: Kernel = Kernel::new(Module::new("conflict").with_source("a.cu", "one"), "one", &[]);
static TWO: Kernel = Kernel::new(Module::new("conflict").with_source("b.cu", "two"), "two", &[]);

#[test]
fn a_kernel_that_cannot_be_resolved_is_named() -> Result<()> {
    let gpu = Gpu::host()?;
    ONE.resolve(&*gpu)?;
    let error = TWO.resolve(&*gpu).unwrap_err();
    assert!(error.to_string().starts_with("kernel `two`: module `conflict`"), "{error}");
    let Error::OfKernel { source, .. } = error else { panic!("{error:?}") };
    assert!(matches!(*source, Error::ModuleConflict { .. }), "{source}");
    Ok(())
}

static CALLS_A_STREAM: Kernel = Kernel::new(Module::new("errors"), "calls_a_stream", &[])
    .with_host(|_| Gpu::host()?.synchronize_stream(StreamHandle::new(77)));

#[test]
fn an_error_that_a_host_function_passes_on_is_of_its_kernel() -> Result<()> {
    let gpu = Gpu::host()?;
    // SAFETY: there is nothing to be given.
    let launched =
        unsafe { KernelLaunch::new(&*gpu, CALLS_A_STREAM.resolve(&*gpu)?).launch(&gpu.default_stream()) };
    let error = launched.unwrap_err().to_string();
    assert!(error.starts_with("kernel `calls_a_stream`: ") && error.contains("no live stream"), "{error}");
    Ok(())
}

#[test]
fn what_a_delayed_launch_fails_with_names_its_kernel_when_something_waits() -> Result<()> {
    let gpu = Gpu::builder().host_delayed().open()?;
    let stream = gpu.create_stream()?;
    // SAFETY: there is nothing to be given.
    unsafe { KernelLaunch::new(&*gpu, CALLS_A_STREAM.resolve(&*gpu)?).launch(&stream)? };
    let error = stream.synchronize().unwrap_err();
    assert!(matches!(&error, Error::OfKernel { kernel, .. } if &**kernel == "calls_a_stream"), "{error}");
    Ok(())
}

fn nothing(_: u32, _: &mut [u32], _: &[u32], _: Option<&[u32]>, _: Option<&mut [u32]>) {}

#[kernel(module = "errors")]
unsafe extern "C" {
    #[host(nothing)]
    unsafe fn several(
        count: u32,
        written: *mut u32,
        read: *const u32,
        #[nullable] maybe_read: *const u32,
        #[nullable] maybe_written: *mut u32,
    );
}

/// A launch of `several` where the memory of the parameters in `foreign` is another backend's, of `len` words each; the
/// parameter that is named.
fn named(foreign: &[&str], len: usize) -> Result<Option<String>> {
    let (gpu, other) = (Gpu::host()?, Gpu::host()?);
    let of = |parameter: &str| if foreign.contains(&parameter) { &other } else { &gpu }.zeros::<u32>(len);
    let (mut written, read) = (of("written")?, of("read")?);
    let (maybe_read, mut maybe_written) = (of("maybe_read")?, of("maybe_written")?);
    let (stream, config) = (gpu.default_stream(), LaunchConfig::new(1, 1));
    // SAFETY: the function leaves the memory alone.
    let launched =
        unsafe { launch_several(&stream, config, 1, &mut written, &read, &maybe_read, &mut maybe_written) };
    match launched {
        Ok(()) => Ok(None),
        Err(Error::ForeignMemory { kernel, parameter, .. }) if &*kernel == "several" => {
            Ok(Some(parameter.into()))
        }
        Err(error) => Err(error),
    }
}

#[test]
fn memory_of_another_backend_is_refused_under_the_name_of_its_parameter() -> Result<()> {
    for len in [4, 0] {
        assert_eq!(named(&[], len)?, None);
        for parameter in ["written", "read", "maybe_read", "maybe_written"] {
            assert_eq!(named(&[parameter], len)?.as_deref(), Some(parameter), "of {len} words");
        }
        assert_eq!(named(&["read", "maybe_written"], len)?.as_deref(), Some("read"), "the first of two");
    }
    Ok(())
}

#[test]
fn a_fault_says_how_its_launch_is_found_and_once_it_is_found_no_more() {
    let driver = |code| Error::Driver {
        call: "cuStreamSynchronize",
        code,
        name: "CUDA_ERROR_ILLEGAL_ADDRESS".into(),
        message: "an illegal memory access was encountered".into(),
    };
    assert!(driver(700).to_string().ends_with("WARPCALL_SYNC=1 names the launch"), "{}", driver(700));
    assert!(driver(201).to_string().ends_with("was encountered"), "{}", driver(201));
    let location = std::panic::Location::caller();
    let found =
        Error::Fault { launch: "k<<<[1,1,1],[32,1,1]>>>()".into(), location, source: Box::new(driver(700)) };
    assert!(found.to_string().ends_with("was encountered"), "{found}");
}

#[test]
fn a_report_of_causes_says_each_once() -> Result<()> {
    let gpu = Gpu::host()?;
    let refused = refused(&gpu, &StreamRef::new(&*gpu, StreamHandle::new(3)));
    let report = format!("{:#}", anyhow::Error::from(refused));
    assert_eq!(report.matches("is no live stream").count(), 1, "{report}");
    Ok(())
}
