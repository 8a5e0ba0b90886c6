//! Kernels declared by their names in C++, without a device: families on the host and on the mock, the names that errors
//! and look-ups have, and the same bytes as from a declaration that is written out.

mod instance_kernels;

use instance_kernels::of_image::{self, ScaleInstance, SumInstance, launch_scale, launch_sum};
use instance_kernels::{Pair, Range, given, of_source};
use warpcall::backend::KernelLookup as _;
use warpcall::backend::mock::{CallKind, RecordedLaunch};
use warpcall::{Buffer, Error, Gpu, Kernel, KernelParam, LaunchConfig, MockBackend, Result, Stream, kernel};

/// What code that is generic over the element is written like: the trait is its bound.
fn scaled<T: ScaleInstance + warpcall::Pod>(
    gpu: &Gpu,
    stream: &Stream,
    values: &[T],
    by: T,
) -> Result<Vec<T>> {
    let (input, mut output): (Buffer<T>, _) = (gpu.upload(values)?, gpu.zeros(values.len())?);
    let n = u32::try_from(values.len()).expect("a few");
    // SAFETY: both buffers have `n` elements.
    unsafe { launch_scale(stream, LaunchConfig::for_elements(n, 128), &mut output, &input, by, n)? };
    output.to_vec(stream)
}

#[test]
fn a_family_is_launched_by_the_types_of_its_arguments() -> Result<()> {
    let gpu = Gpu::host()?;
    let stream = gpu.create_stream()?;
    assert_eq!(scaled(&gpu, &stream, &[1.0_f32, 2.5, -4.0], 2.0)?, [2.0, 5.0, -8.0]);
    assert_eq!(scaled(&gpu, &stream, &[1.0_f64, 2.5, -4.0], 2.0)?, [2.0, 5.0, -8.0]);
    let pairs = [Pair { a: 1.0, b: 2.0 }, Pair { a: -1.0, b: 0.5 }];
    let expected = [Pair { a: 3.0, b: 8.0 }, Pair { a: -3.0, b: 2.0 }];
    assert_eq!(scaled(&gpu, &stream, &pairs, Pair { a: 3.0, b: 4.0 })?, expected);

    let values = gpu.upload(&[1.0_f64, 2.0, 4.0, 8.0])?;
    let mut total = gpu.zeros::<f64>(1)?;
    let config = LaunchConfig::new(1, 1);
    // SAFETY: the range lies in the buffer.
    unsafe { launch_sum(&stream, config, &mut total, &values, Range { first: 1, count: 2 })? };
    assert_eq!(total.to_vec(&stream)?, [6.0]);
    Ok(())
}

#[test]
fn the_kernels_of_names_of_their_own_run_too() -> Result<()> {
    let gpu = Gpu::host()?;
    let stream = gpu.create_stream()?;
    let config = LaunchConfig::new(1, 32);
    let input = gpu.upload(&[1.5_f32, -1.5])?;
    let mut output = gpu.zeros::<f32>(2)?;
    let mut integers = gpu.upload(&[0_i32, 0])?;
    let mut special = gpu.zeros::<i32>(2)?;
    // SAFETY: each buffer has two elements.
    unsafe {
        of_source::launch_scale_by_4(&stream, config, &mut output, &input, 4.0, 2)?;
        of_source::launch_floor(&stream, config, &mut integers, &input, 2)?;
        of_source::launch_scale_special(&stream, config, &mut special, &integers, 10, 2)?;
    }
    assert_eq!(output.to_vec(&stream)?, [6.0, -6.0]);
    assert_eq!(integers.to_vec(&stream)?, [1, -2]);
    assert_eq!(special.to_vec(&stream)?, [11, -19]);
    // SAFETY: as above.
    unsafe { of_source::launch_fill(&stream, config, &mut output, 0.5, 1)? };
    assert_eq!(output.to_vec(&stream)?, [0.5, -6.0]);
    Ok(())
}

#[test]
fn a_raw_pointer_leaves_the_type_to_the_call() -> Result<()> {
    let gpu = Gpu::host()?;
    let stream = gpu.create_stream()?;
    let values = gpu.upload(&[1.0_f32, 2.0])?;
    let (mut to, from) = (values.device_ptr(), values.device_ptr());
    // SAFETY: both are the same two elements, and each is read before it is written.
    unsafe { launch_scale::<f32>(&stream, LaunchConfig::new(1, 32), &mut to, &from, 3.0, 2)? };
    assert_eq!(values.to_vec(&stream)?, [3.0, 6.0]);
    // A slice knows its elements.
    let mut output = gpu.zeros::<f32>(3)?;
    let (mut part, input) = (output.slice_mut(1..)?, values.slice(..)?);
    // SAFETY: two elements each.
    unsafe { launch_scale(&stream, LaunchConfig::new(1, 32), &mut part, &input, 2.0, 2)? };
    assert_eq!(output.to_vec(&stream)?, [0.0, 6.0, 12.0]);
    Ok(())
}

#[test]
fn a_kernel_is_named_as_cpp_names_it_and_knows_its_symbol_where_an_image_has_told_it() {
    let names = |kernels: &[&'static Kernel]| -> Vec<&'static str> {
        kernels.iter().map(|kernel| kernel.name()).collect()
    };
    let expected = ["scale<float>", "scale<double>", "scale<Pair, 2>"];
    assert_eq!(names(&of_image::SCALE), expected);
    assert_eq!(names(&of_source::SCALE), expected);
    assert_eq!(
        <f64 as ScaleInstance>::KERNEL.to_string(),
        "scale<double>(output: *mut f64, input: *const f64, factor: f64, n: u32)"
    );
    assert!(std::ptr::eq(<Pair as ScaleInstance>::KERNEL, of_image::SCALE[2]));
    assert!(std::ptr::eq(<f64 as SumInstance<f64>>::KERNEL, of_image::SUM[1]));

    let symbols: Vec<_> = of_image::SCALE.iter().map(|kernel| kernel.symbol()).collect();
    assert_eq!(
        symbols,
        [
            Some("_Z5scaleIfLi1EEvPT_PKS0_S0_j"),
            Some("_Z5scaleIdLi1EEvPT_PKS0_S0_j"),
            Some("_Z5scaleI4PairLi2EEvPT_PKS1_S1_j")
        ]
    );
    assert_eq!(of_image::FLOOR.symbol(), Some("_ZN8rounding6to_intIL8Rounding1EEEvPiPKfj"));
    assert_eq!(of_image::FILL.symbol(), Some("_ZN5plain4fillEPffj"));
    assert_eq!(of_source::FLOOR.symbol(), None);
    assert_eq!(of_image::FILL.module().cpp_names(), of_source::FILL.module().cpp_names());
    assert_eq!(
        of_source::FILL.module().cpp_names(),
        [
            "scale<float>",
            "scale<double>",
            "scale<Pair, 2>",
            "scale<float, 4>",
            "scale<int, 3>",
            "sum<float>",
            "sum<double>",
            "rounding::to_int<Rounding::Down>",
            "plain::fill"
        ]
    );
    assert_eq!(of_source::SCALE_BYTES.module().cpp_names(), ["scale<unsigned char>"]);
}

#[kernel(module = "written_out")]
unsafe extern "C" {
    unsafe fn scale_f32(output: *mut f32, input: *const f32, factor: f32, n: u32);
    unsafe fn scale_pair(output: *mut Pair, input: *const Pair, factor: Pair, n: u32);
    unsafe fn sum_f64(total: *mut f64, values: *const f64, range: Range);
}

#[test]
fn an_instance_emits_what_a_declaration_without_type_parameters_does() -> Result<()> {
    let mock = MockBackend::new()?;
    let gpu = Gpu::from_backend(mock.clone());
    let stream = gpu.create_stream()?;
    let config = LaunchConfig::new([3, 2], 64).shared_mem(16);
    let pair = Pair { a: 1.5, b: -2.0 };
    let range = Range { first: 7, count: 9 };
    let (mut floats, more) = (gpu.zeros::<f32>(4)?, gpu.zeros::<f32>(4)?);
    let (mut pairs, more_pairs) = (gpu.zeros::<Pair>(4)?, gpu.zeros::<Pair>(4)?);
    let (mut doubles, more_doubles) = (gpu.zeros::<f64>(4)?, gpu.zeros::<f64>(4)?);
    // SAFETY: nothing is run.
    unsafe {
        launch_scale(&stream, config, &mut floats, &more, 2.5, 4)?;
        launch_scale_f32(&stream, config, &mut floats, &more, 2.5, 4)?;
        launch_scale(&stream, config, &mut pairs, &more_pairs, pair, 4)?;
        launch_scale_pair(&stream, config, &mut pairs, &more_pairs, pair, 4)?;
        launch_sum(&stream, config, &mut doubles, &more_doubles, range)?;
        launch_sum_f64(&stream, config, &mut doubles, &more_doubles, range)?;
    }
    let launches = mock.launches();
    assert_eq!(launches.len(), 6);
    for pair in launches.chunks(2) {
        let emitted = |launch: &RecordedLaunch| {
            (launch.config, launch.stream, launch.args.clone(), launch.slots.clone(), launch.starts.clone())
        };
        assert_eq!(emitted(&pair[0]), emitted(&pair[1]), "{}", pair[0].kernel);
        assert!(!pair[0].slots.is_empty());
    }
    let names: Vec<&str> = launches.iter().map(|launch| launch.kernel.as_str()).collect();
    assert_eq!(
        names,
        ["scale<float>", "scale_f32", "scale<Pair, 2>", "scale_pair", "sum<double>", "sum_f64"]
    );
    for (instance, written_out) in [(of_image::SCALE[0], &SCALE_F32), (of_image::SCALE[2], &SCALE_PAIR)] {
        assert_eq!(instance.parameters(), written_out.parameters());
    }
    assert_eq!(of_image::SCALE[2].parameters()[2].description(), Pair::DESCRIPTION);
    Ok(())
}

#[test]
fn instances_are_looked_up_and_audited_by_their_names() -> Result<()> {
    let gpu = Gpu::host()?;
    gpu.register_kernels(&of_source::SCALE)?;
    let found = gpu.find_kernel("instances_of_source", "scale<double>")?;
    assert!(gpu.declaration(found).is_some_and(|kernel| std::ptr::eq(kernel, of_source::SCALE[1])));
    assert_eq!(gpu.kernel_name(found).as_deref(), Some("scale<double>"));
    match gpu.find_kernel("instances_of_source", "scale<long>") {
        Err(Error::UnknownKernel { kernel, known, .. }) => {
            assert_eq!(&*kernel, "scale<long>");
            assert_eq!(known, ["scale<float>", "scale<double>", "scale<Pair, 2>"]);
        }
        other => panic!("{other:?}"),
    }
    let audit = gpu.lookup_audit().failed();
    assert_eq!((audit.len(), audit[0].kernel.as_deref()), (1, Some("scale<long>")));

    let mock = MockBackend::new()?;
    mock.fail(CallKind::ResolveKernel, 1);
    let error = of_source::FILL.resolve(&*mock).expect_err("it was told to fail");
    assert!(error.to_string().contains("plain::fill"), "{error}");
    assert_eq!(mock.lookup_audit().failed()[0].kernel.as_deref(), Some("plain::fill"));
    Ok(())
}

#[test]
fn what_goes_wrong_with_an_instance_names_it() -> Result<()> {
    let gpu = Gpu::host()?;
    let stream = gpu.create_stream()?;
    let input = gpu.upload(&[1.0_f64])?;
    let mut output = gpu.zeros::<f64>(1)?;
    // SAFETY: it is refused.
    let empty = unsafe { launch_scale(&stream, LaunchConfig::new(0, 1), &mut output, &input, 2.0, 1) };
    assert!(
        matches!(&empty, Err(Error::EmptyLaunch { kernel, .. }) if &**kernel == "scale<double>"),
        "{empty:?}"
    );
    let other = Gpu::host()?;
    let foreign = other.upload(&[1.0_f64])?;
    // SAFETY: as above.
    let launched = unsafe { launch_scale(&stream, LaunchConfig::new(1, 1), &mut output, &foreign, 2.0, 1) };
    let message = launched.expect_err("the memory is of another backend").to_string();
    assert!(message.starts_with("kernel `scale<double>`, parameter `input`"), "{message}");
    // What has no code is known by its names alone.
    assert_eq!(given::SCALE[1].name(), "scale<double>");
    assert!(!given::SCALE[1].module().cpp_names().is_empty());
    Ok(())
}
