//! Modules that are bound to a file, on a device: kernels of C and of C++ out of a source, and those that an image alone tells.

mod cuda_support;

use cuda_support::{cuda_or_skip, with_nvrtc};
use half::f16;
use warpcall::{Gpu, KernelParam, LaunchConfig, Result, kernel};

/// Where a ramp begins, and how steep it is.
#[derive(Clone, Copy, KernelParam)]
#[repr(C)]
struct Ramp {
    start: f32,
    step: f32,
}

#[kernel(source = "tests/cuda_support/bound.cu")]
mod bound {
    use super::Ramp;
}

#[kernel(image = "../kernels/ptx/convert.ptx", module = "bound_image", only("convert<float, __half>"))]
mod image {}

#[test]
fn a_source_of_c_and_cpp_runs_as_it_is_bound() -> Result<()> {
    let Some(backend) = cuda_or_skip() else { return Ok(()) };
    let Some(found) = with_nvrtc(bound::RAMP.resolve(&*backend)) else { return Ok(()) };
    found?;
    let gpu = Gpu::from_backend(backend.clone());
    let stream = gpu.create_stream()?;
    let config = LaunchConfig::for_elements(100, 32);
    let mut values = gpu.zeros::<f32>(100)?;
    let mut squares = gpu.zeros::<f32>(100)?;
    let mut numbers = gpu.upload(&[40_i32; 100])?;
    // SAFETY: each buffer holds the hundred elements that the kernels work on.
    unsafe {
        bound::launch_ramp(&stream, config, &mut values, Ramp { start: 1.0, step: 0.5 }, 100)?;
        bound::launch_square(&stream, config, &mut squares, &values, 100)?;
        bound::launch_add_float(&stream, config, &mut squares, 0.25, 100)?;
        bound::launch_add_int(&stream, config, &mut numbers, 2, 100)?;
        bound::launch_negate(&stream, config, &mut numbers, 100)?;
    }
    let expected: Vec<f32> = (0_u8..100).map(|i| (1.0 + f32::from(i) * 0.5).powi(2) + 0.25).collect();
    assert_eq!(squares.to_vec(&stream)?, expected);
    assert_eq!(numbers.to_vec(&stream)?, [-42; 100]);
    Ok(())
}

#[test]
fn an_image_alone_runs_as_it_is_bound() -> Result<()> {
    let Some(backend) = cuda_or_skip() else { return Ok(()) };
    let gpu = Gpu::from_backend(backend.clone());
    let stream = gpu.create_stream()?;
    let input = gpu.upload(&[1.5_f32; 64])?;
    let mut output = gpu.zeros::<f16>(64)?;
    // SAFETY: both buffers hold 64 elements.
    unsafe { image::launch_convert_float_half(&stream, LaunchConfig::new(1, 64), &mut output, &input, 64)? };
    assert_eq!(output.to_vec(&stream)?, [f16::from_f32(1.5); 64]);
    Ok(())
}
