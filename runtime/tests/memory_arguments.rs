//! What a call may pass for a pointer: memory that may be missing, and not memory of another backend.

use std::ffi::c_void;

use warpcall::backend::mock::RecordedArg;
use warpcall::{
    Buffer, DevicePtr, Error, Gpu, KernelLaunch, LaunchConfig, MockBackend, NullableRef, Result, Slice,
    Stream, kernel,
};

#[kernel(module = "linear")]
unsafe extern "C" {
    unsafe fn linear(
        output: *mut f32,
        #[nullable] bias: *const f32,
        #[nullable] statistics: *mut f32,
        #[nullable] workspace: *mut c_void,
    );
}

/// A layer as an engine holds it.
struct Linear {
    bias: Option<Buffer<f32>>,
    statistics: Option<Buffer<f32>>,
}

impl Linear {
    fn run(&mut self, stream: &Stream, output: &mut Buffer<f32>) -> Result<()> {
        let config = LaunchConfig::new(1, 32);
        // SAFETY: the kernel is not run.
        unsafe { launch_linear(stream, config, output, self.bias.as_ref(), self.statistics.as_mut(), None) }
    }
}

#[test]
fn a_layer_passes_what_it_has_and_null_for_what_it_has_not() -> Result<()> {
    let mock = MockBackend::new()?;
    let gpu = Gpu::from_backend(mock.clone());
    let stream = gpu.create_stream()?;
    let mut output = gpu.zeros(4)?;
    let (bias, statistics) = (gpu.zeros(4)?, gpu.zeros(2)?);
    let expected = [bias.device_ptr(), statistics.device_ptr()];
    Linear { bias: Some(bias), statistics: Some(statistics) }.run(&stream, &mut output)?;
    Linear { bias: None, statistics: None }.run(&stream, &mut output)?;

    let passed = mock.launches();
    assert_eq!(passed[0].args[1..3], expected.map(RecordedArg::Buffer));
    assert_eq!(passed[1].args[1..], [DevicePtr::NULL; 3].map(RecordedArg::Buffer));
    Ok(())
}

#[test]
fn a_slice_that_may_be_missing_is_made_nullable_first() -> Result<()> {
    let mock = MockBackend::new()?;
    let gpu = Gpu::from_backend(mock.clone());
    let stream = gpu.create_stream()?;
    let mut output = gpu.zeros::<f32>(4)?;
    let biases = gpu.zeros::<f32>(8)?;
    let rows: [Option<Slice<'_, f32>>; 2] = [Some(biases.slice(4..)?), None];
    for row in &rows {
        let bias = row.as_ref().map_or(NullableRef::null(), NullableRef::from);
        // SAFETY: the kernel is not run.
        unsafe { launch_linear(&stream, LaunchConfig::new(1, 32), &mut output, bias, None, None)? };
    }
    let passed: Vec<RecordedArg> = mock.launches().iter().map(|launch| launch.args[1].clone()).collect();
    let start = biases.device_ptr().byte_add(16);
    assert_eq!(passed, [start, DevicePtr::NULL].map(RecordedArg::Buffer));
    Ok(())
}

#[test]
fn memory_of_another_backend_is_told_by_parameter_and_owner() -> Result<()> {
    let (gpu, other) = (Gpu::from_backend(MockBackend::new()?), Gpu::host()?);
    let stream = gpu.create_stream()?;
    let mut output = gpu.zeros::<f32>(4)?;
    let bias = other.zeros::<f32>(4)?;
    // SAFETY: refused.
    let outcome = unsafe { launch_linear(&stream, LaunchConfig::new(1, 4), &mut output, &bias, None, None) };
    let error = outcome.expect_err("memory of another backend");
    assert!(matches!(error, Error::ForeignMemory { memory, .. } if memory == other.id()), "{error}");
    let expected = format!(
        "kernel `linear`, parameter `bias`: the memory belongs to backend {}, and not to {}, whose",
        other.id().get(),
        gpu.label()
    );
    assert!(error.to_string().starts_with(&expected), "{error}");
    Ok(())
}

#[kernel(module = "sums")]
unsafe extern "C" {
    #[host(host_sum)]
    unsafe fn sum(total: *mut u32, values: *const u32, raw: *const c_void);
}

fn host_sum(total: &mut [u32], values: &[u32], raw: &[u8]) {
    total[0] = values.iter().sum::<u32>() + u32::try_from(values.len() + raw.len()).expect("few");
}

#[test]
fn an_empty_buffer_is_an_empty_slice_and_a_raw_null_pointer_is_refused() -> Result<()> {
    let gpu = Gpu::host()?;
    let stream = gpu.create_stream()?;
    let mut total = gpu.upload(&[7_u32])?;
    let (empty, nothing) = (gpu.zeros::<u32>(0)?, gpu.zeros::<f64>(0)?);
    let config = LaunchConfig::new(1, 1);
    // SAFETY: the host function stays within its slices.
    unsafe { launch_sum(&stream, config, &mut total, &empty, &nothing)? };
    assert_eq!(total.to_vec(&stream)?, [0]);

    // SAFETY: as above.
    let raw = unsafe { launch_sum(&stream, config, &mut total, &DevicePtr::NULL, &nothing) };
    // SAFETY: as above.
    let built = unsafe {
        KernelLaunch::new(&*gpu, SUM.resolve(&*gpu)?)
            .arg_ptr(&mut total)
            .arg_ptr(&empty)
            .arg_ptr(&nothing)
            .launch(&stream)
    };
    for refused in [raw, built] {
        let error = refused.expect_err("a null pointer").to_string();
        assert!(
            error.contains("parameter `values`")
                && error.contains("found the null pointer; declare the parameter `#[nullable]`"),
            "{error}"
        );
    }
    Ok(())
}
