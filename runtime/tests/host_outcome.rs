//! What a host function may return, and what becomes of its error.

use std::fmt;

use warpcall::{Error, Gpu, Kernel, KernelLaunch, LaunchConfig, Result, kernel};

#[derive(Debug, PartialEq)]
struct TooLarge(u32);

impl fmt::Display for TooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is too large", self.0)
    }
}

impl std::error::Error for TooLarge {}

fn returns_nothing(values: &mut [u32]) {
    values.fill(1);
}

fn returns_its_own_error(values: &mut [u32]) -> Result<(), TooLarge> {
    values.iter_mut().try_for_each(|value| {
        *value += 1;
        if *value > 2 { Err(TooLarge(*value)) } else { Ok(()) }
    })
}

fn returns_anyhow(_values: &mut [u32]) -> anyhow::Result<()> {
    Err(anyhow::anyhow!("it rains").context("no picnic"))
}

fn returns_the_crates_error(_values: &mut [u32]) -> Result<()> {
    Err(Error::UnknownModule { module: "m".into(), kernel: None, known: Vec::new() })
}

#[kernel(module = "outcome")]
unsafe extern "C" {
    #[host(returns_nothing)]
    unsafe fn nothing(values: *mut u32);
    #[host(returns_its_own_error)]
    unsafe fn own_error(values: *mut u32);
    #[host(returns_anyhow)]
    unsafe fn anyhow_error(values: *mut u32);
    #[host(returns_the_crates_error)]
    unsafe fn crate_error(values: *mut u32);
}

fn launched(kernel: &'static Kernel, values: &[u32]) -> Result<Vec<u32>> {
    let gpu = Gpu::host()?;
    let stream = gpu.create_stream()?;
    let mut values = gpu.upload(values)?;
    // SAFETY: each of the kernels takes one pointer and writes what it is given.
    unsafe { KernelLaunch::new(&*gpu, kernel.resolve(&*gpu)?).arg_ptr(&mut values).launch(&stream)? };
    values.to_vec(&stream)
}

#[test]
fn a_function_that_returns_nothing_succeeds() {
    assert_eq!(launched(&NOTHING, &[0; 3]).unwrap(), [1; 3]);
}

#[test]
fn a_function_that_returns_ok_succeeds() {
    assert_eq!(launched(&OWN_ERROR, &[0, 1]).unwrap(), [1, 2]);
}

#[test]
fn an_error_of_the_functions_own_names_the_kernel_and_can_be_had_back() {
    let error = launched(&OWN_ERROR, &[0, 8]).unwrap_err();
    assert_eq!(error.to_string(), "kernel `own_error`: its host function failed: 9 is too large");
    match error {
        Error::HostFunctionFailed { source, .. } => {
            assert_eq!(source.downcast::<TooLarge>().unwrap(), TooLarge(9));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_error_keeps_its_causes() {
    let error = launched(&ANYHOW_ERROR, &[0]).unwrap_err();
    assert_eq!(error.to_string(), "kernel `anyhow_error`: its host function failed: no picnic: it rains");
    let Error::HostFunctionFailed { source, .. } = error else { panic!("{error:?}") };
    assert_eq!(source.chain().map(ToString::to_string).collect::<Vec<_>>(), ["no picnic", "it rains"]);
}

#[test]
fn an_error_of_this_crate_names_the_kernel_that_returned_it() {
    let error = launched(&CRATE_ERROR, &[0]).unwrap_err();
    assert!(
        error.to_string().starts_with("kernel `crate_error`: its host function failed: no module"),
        "{error}"
    );
    match error {
        Error::HostFunctionFailed { source, .. } => {
            assert!(matches!(source.downcast::<Error>(), Ok(Error::UnknownModule { .. })));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn delayed_work_returns_the_error_to_the_call_that_waits() -> Result<()> {
    let gpu = Gpu::builder().host_delayed().open()?;
    let stream = gpu.create_stream()?;
    let mut values = gpu.upload(&[5_u32])?;
    // SAFETY: `own_error` writes what it is given.
    unsafe { launch_own_error(&stream, LaunchConfig::new(1, 1), &mut values)? };
    let waited = stream.synchronize();
    assert!(
        matches!(&waited, Err(Error::HostFunctionFailed { kernel, .. }) if &**kernel == "own_error"),
        "{waited:?}"
    );
    stream.synchronize()
}
