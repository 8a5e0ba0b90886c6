//! A slice that is passed to a kernel is its own elements to the host function, and nothing around them.

use warpcall::{Error, Gpu, LaunchConfig, kernel};

#[kernel(module = "slices")]
unsafe extern "C" {
    #[host(fill_both)]
    unsafe fn both(a: *mut f32, b: *mut f32);

    #[host(fill_first)]
    unsafe fn first(values: *mut f32, n: u32);

    #[host(sum_into)]
    unsafe fn sum(total: *mut f32, values: *const f32);
}

fn fill_both(a: &mut [f32], b: &mut [f32]) {
    a.fill(1.0);
    b.fill(2.0);
}

fn fill_first(values: &mut [f32], n: u32) {
    values[..n as usize].fill(9.0);
}

fn sum_into(total: &mut [f32], values: &[f32]) {
    total[0] = values.iter().sum();
}

#[test]
fn two_halves_of_one_buffer_are_two_memories() -> warpcall::Result<()> {
    let gpu = Gpu::host()?;
    let stream = gpu.create_stream()?;
    let mut values = gpu.zeros::<f32>(5)?;
    let (mut low, mut high) = values.split_at_mut(2)?;
    // SAFETY: the host function touches what it is given.
    unsafe { launch_both(&stream, LaunchConfig::new(1, 1), &mut low, &mut high)? };
    assert_eq!(values.to_vec(&stream)?, [1.0, 1.0, 2.0, 2.0, 2.0]);
    Ok(())
}

#[test]
fn a_function_that_runs_over_a_slice_is_stopped_at_its_end() -> warpcall::Result<()> {
    let gpu = Gpu::host()?;
    let stream = gpu.create_stream()?;
    let mut values = gpu.zeros::<f32>(4)?;
    let mut low = values.slice_mut(..2)?;
    // SAFETY: the host function is bounded by its slice.
    let overrun = unsafe { launch_first(&stream, LaunchConfig::new(1, 1), &mut low, 4) };
    assert!(
        matches!(overrun, Err(Error::HostFunctionPanicked { ref kernel, .. }) if &**kernel == "first"),
        "{overrun:?}"
    );
    assert_eq!(values.to_vec(&stream)?, [0.0; 4]);
    Ok(())
}

#[test]
fn slices_that_touch_do_not_overlap_and_a_reader_beside_a_writer_is_no_copy() -> warpcall::Result<()> {
    let gpu = Gpu::host()?;
    let stream = gpu.create_stream()?;
    let mut values = gpu.upload(&[0.0_f32, 1.0, 2.0, 3.0])?;
    let (mut total, rest) = values.split_at_mut(1)?;
    // SAFETY: the host function touches what it is given.
    unsafe { launch_sum(&stream, LaunchConfig::new(1, 1), &mut total, &rest)? };
    assert_eq!(values.to_vec(&stream)?, [6.0, 1.0, 2.0, 3.0]);
    Ok(())
}

#[test]
fn an_empty_buffer_is_an_empty_slice() -> warpcall::Result<()> {
    let gpu = Gpu::host()?;
    let stream = gpu.create_stream()?;
    let mut total = gpu.upload(&[7.0_f32])?;
    let nothing = gpu.zeros::<f32>(0)?;
    // SAFETY: the host function touches what it is given.
    unsafe { launch_sum(&stream, LaunchConfig::new(1, 1), &mut total, &nothing)? };
    assert_eq!(total.to_vec(&stream)?, [0.0]);
    Ok(())
}
