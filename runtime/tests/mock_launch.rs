//! Launches on the recording backend: the bytes that arrive, and what is refused.

use std::ffi::c_void;

use warpcall::backend::mock::{Call, CallKind, RecordedArg};
use warpcall::{
    DevicePtr, Error, Gpu, Kernel, KernelLaunch, KernelParam, LaunchConfig, MockBackend, Module, Parameter,
    Result, TensorMap,
};

static MIXED: Kernel = Kernel::new(
    Module::new("mixed"),
    "mixed",
    &[
        Parameter::device_mut::<f32>("output", "*mut f32"),
        Parameter::tensor_map("map"),
        Parameter::value("scale", "f32", f32::DESCRIPTION),
        Parameter::value("flag", "bool", bool::DESCRIPTION),
        Parameter::value("offset", "i64", i64::DESCRIPTION),
    ],
);

#[test]
fn a_128_byte_argument_keeps_its_neighbours() -> Result<()> {
    let mock = MockBackend::new()?;
    let gpu = Gpu::from_backend(mock.clone());
    let stream = gpu.create_stream()?;
    let mut output = gpu.zeros::<f32>(8)?;
    let map = TensorMap::from_slots(std::array::from_fn(|index| index as u64 + 1));
    let config = LaunchConfig::new([2, 3], 64).shared_mem(128);
    let mut launch = KernelLaunch::new(&*gpu, MIXED.resolve(&*gpu)?);
    launch.config(config).arg_ptr(&mut output).arg_tensormap(&map).arg_f32(1.5).arg(true).arg_i64(-2);
    let line = line!() + 2;
    // SAFETY: the kernel is not run.
    unsafe { launch.launch(&stream)? };

    let recorded = &mock.launches()[0];
    assert_eq!((recorded.module.as_str(), recorded.kernel.as_str()), ("mixed", "mixed"));
    assert_eq!((recorded.config, recorded.stream), (config, stream.handle()));
    assert_eq!((recorded.location.file(), recorded.location.line()), (file!(), line));
    assert_eq!(recorded.starts, [0, 1, 17, 18, 19]);
    assert_eq!(recorded.slots[0], output.device_ptr().address());
    assert_eq!(recorded.slots[1..17], *map.slots());
    assert_eq!(recorded.slots[17..], [0x3fc0_0000, 1, (-2_i64).cast_unsigned()]);
    assert_eq!(recorded.args[0], RecordedArg::Buffer(output.device_ptr()));
    assert_eq!(recorded.args[1], RecordedArg::Bytes(bytemuck::cast_slice(map.slots()).to_vec()));
    assert_eq!(
        recorded.args[2..4],
        [RecordedArg::Bytes(vec![0, 0, 0xc0, 0x3f]), RecordedArg::Bytes(vec![1])]
    );
    assert_eq!(output.to_vec(&stream)?, [0.0; 8], "nothing ran");
    Ok(())
}

#[test]
fn arguments_that_do_not_fit_the_declaration_are_refused() -> Result<()> {
    let gpu = Gpu::from_backend(MockBackend::new()?);
    let stream = gpu.default_stream();
    let handle = MIXED.resolve(&*gpu)?;
    let mut launch = KernelLaunch::new(&*gpu, handle);
    launch.arg_ptr(DevicePtr::NULL);
    // SAFETY: refused.
    let result = unsafe { launch.launch(&stream) };
    assert!(matches!(result, Err(Error::ArgumentCount { expected: 5, found: 1, .. })));

    let params: [*mut c_void; 2] = [std::ptr::null_mut(); 2];
    // SAFETY: refused before a pointer is read.
    let raw = unsafe { gpu.launch_raw(handle, &LaunchConfig::new(1, 1), stream.handle(), &params) };
    assert!(matches!(raw, Err(Error::ArgumentCount { expected: 5, found: 2, .. })));
    Ok(())
}

static PLAIN: Kernel = Kernel::new(
    Module::new("plain"),
    "plain",
    &[Parameter::device_ref::<u8>("input", "*const u8"), Parameter::value("n", "u16", u16::DESCRIPTION)],
);

#[test]
fn a_raw_launch_is_read_by_its_declaration() -> Result<()> {
    let mock = MockBackend::new()?;
    let gpu = Gpu::from_backend(mock.clone());
    let kernel = PLAIN.resolve(&*gpu)?;
    let (mut input, mut n) = (0x1234_u64, 0xABCD_u16);
    let params = [(&raw mut input).cast::<c_void>(), (&raw mut n).cast()];
    let config = LaunchConfig::new(1, 32);
    let stream = gpu.default_stream().handle();
    mock.clear_calls();
    // SAFETY: two pointers to as many bytes as the parameters have; the kernel is not run.
    unsafe { gpu.launch_raw(kernel, &config, stream, &params)? };
    let args = Some(vec![RecordedArg::Buffer(DevicePtr::new(0x1234)), RecordedArg::Bytes(vec![0xCD, 0xAB])]);
    assert_eq!(mock.calls(), [Call::LaunchRaw { kernel, config, stream, params: 2, args }]);
    Ok(())
}

#[test]
fn a_launch_past_the_limits_is_refused_with_both_numbers() -> Result<()> {
    let gpu = Gpu::from_backend(MockBackend::new()?);
    let mut launch = KernelLaunch::new(&*gpu, gpu.find_kernel("any", "kernel")?);
    launch.grid([1, 70_000, 1]);
    // SAFETY: the kernel is not run.
    let error = unsafe { launch.launch(&gpu.default_stream()) }.expect_err("past the limit").to_string();
    assert!(error.contains("70000") && error.contains("65535") && error.contains("kernel"), "{error}");
    Ok(())
}

#[test]
fn every_kernel_resolves_to_one_handle_without_an_image() -> Result<()> {
    let gpu = Gpu::from_backend(MockBackend::new()?);
    let found = gpu.find_kernel("some", "kernel")?;
    assert_eq!(gpu.find_kernel("some", "kernel")?, found);
    assert_ne!(gpu.find_kernel("other", "kernel")?, found);
    assert_eq!(gpu.kernel_name(found).as_deref(), Some("kernel"));
    let declared = PLAIN.resolve(&*gpu)?;
    assert_eq!(gpu.find_kernel("plain", "plain")?, declared);
    assert!(gpu.declaration(declared).is_some_and(|kernel| std::ptr::eq(kernel, &raw const PLAIN)));
    assert!(matches!(gpu.kernel_attributes(declared), Err(Error::Unsupported { .. })));
    Ok(())
}

#[test]
fn two_modules_of_one_name_must_have_the_same_code() -> Result<()> {
    let gpu = Gpu::from_backend(MockBackend::new()?);
    gpu.register_module(Module::new("a").with_source("a.cu", "one"))?;
    gpu.register_module(Module::new("a").with_source("copy/a.cu", "one"))?;
    let conflict = gpu.register_module(Module::new("a").with_source("a.cu", "two"));
    assert!(matches!(conflict, Err(Error::ModuleConflict { .. })));
    Ok(())
}

#[test]
fn an_injected_launch_failure_arrives_as_it_is_and_names_the_kernel() -> Result<()> {
    let mock = MockBackend::new()?;
    let gpu = Gpu::from_backend(mock.clone());
    let stream = gpu.default_stream();
    let kernel = PLAIN.resolve(&*gpu)?;
    let mut launch = KernelLaunch::new(&*gpu, kernel);
    launch.arg_ptr(DevicePtr::new(0x40)).arg(7_u16);
    mock.fail(CallKind::Launch, 1);
    mock.fail(CallKind::LaunchRaw, 1);
    mock.clear_calls();
    // SAFETY: the kernel is not run.
    let error = unsafe { launch.launch(&stream) }.expect_err("told to fail");
    assert_eq!(error.to_string(), "kernel `plain`: launch number 1 failed, as it was told to");
    assert!(
        matches!(error, Error::Injected { call: "launch", number: 1, kernel: Some(name) } if &*name == "plain")
    );
    let kinds: Vec<CallKind> = mock.calls().iter().map(Call::kind).collect();
    assert_eq!(kinds, [CallKind::Launch], "nothing was asked to explain it");

    // SAFETY: it fails before a pointer is read.
    let raw = unsafe { gpu.launch_raw(kernel, &LaunchConfig::new(1, 1), stream.handle(), &[]) };
    assert!(matches!(raw, Err(Error::Injected { kernel: Some(name), .. }) if &*name == "plain"));
    Ok(())
}

static ADD: Kernel = Kernel::new(
    Module::new("add"),
    "add",
    &[
        Parameter::device_mut::<u32>("values", "*mut u32"),
        Parameter::value("addend", "u32", u32::DESCRIPTION),
    ],
)
.with_host(|call| {
    call.run(|call| {
        let addend = call.value::<u32>(1)?;
        let values: &mut [u32] = call.slice_mut(0)?;
        for value in values {
            *value += addend;
        }
        Ok(())
    })
});

#[test]
fn kernels_run_where_they_are_told_to() -> Result<()> {
    let mock = MockBackend::new()?;
    let gpu = Gpu::from_backend(mock.clone());
    let stream = gpu.create_stream()?;
    let mut values = gpu.upload(&[1_u32, 2, 3])?;
    let mut launch = KernelLaunch::new(&*gpu, ADD.resolve(&*gpu)?);
    launch.block(3).arg_ptr(&mut values).arg_u32(10);
    for run in [false, true, false] {
        mock.run_kernels(run);
        // SAFETY: `add` takes a pointer to words and a word.
        unsafe { launch.launch(&stream)? };
    }
    assert_eq!(values.to_vec(&stream)?, [11, 12, 13], "one of three launches ran");
    assert_eq!(mock.count(CallKind::Launch), 3);
    Ok(())
}

#[test]
fn a_captured_launch_that_runs_becomes_part_of_the_graph() -> Result<()> {
    let mock = MockBackend::new()?;
    mock.run_kernels(true);
    let gpu = Gpu::from_backend(mock);
    let stream = gpu.create_stream()?;
    let mut values = gpu.upload(&[1_u32, 2])?;
    let mut launch = KernelLaunch::new(&*gpu, ADD.resolve(&*gpu)?);
    launch.arg_ptr(&mut values).arg_u32(5);
    // SAFETY: `add` takes a pointer to words and a word.
    let graph = stream.capture(|stream| unsafe { launch.launch(stream) })?;
    assert_eq!(values.to_vec(&stream)?, [1, 2]);
    // SAFETY: the buffer is still there.
    unsafe { graph.launch(&stream)? };
    assert_eq!(values.to_vec(&stream)?, [6, 7]);
    Ok(())
}

#[derive(Clone, Copy, KernelParam)]
#[repr(C)]
struct Shape {
    rows: u32,
    scale: f32,
    transposed: bool,
    strides: [u16; 2],
}

#[derive(Clone, Copy, KernelParam)]
#[repr(C)]
struct Other {
    words: [u32; 4],
}

static KINDS: Kernel = Kernel::new(
    Module::new("kinds"),
    "kinds",
    &[Parameter::value("n", "u32", u32::DESCRIPTION), Parameter::value("shape", "Shape", Shape::DESCRIPTION)],
);

#[test]
fn a_value_of_another_kind_is_refused_by_name_although_it_is_as_wide() -> Result<()> {
    let gpu = Gpu::from_backend(MockBackend::new()?);
    let handle = KINDS.resolve(&*gpu)?;
    let shape = Shape { rows: 1, scale: 1.0, transposed: false, strides: [1, 1] };
    let refused = |fill: &dyn Fn(&mut KernelLaunch<'_>)| {
        let mut launch = KernelLaunch::new(&*gpu, handle);
        fill(&mut launch);
        // SAFETY: the kernel is not run.
        unsafe { launch.launch(&gpu.default_stream()) }.expect_err("another kind").to_string()
    };
    let expected = "kernel `kinds`, parameter `n`: expected an unsigned integer of 4 bytes (`u32`), found ";
    for (error, found) in [
        (
            refused(&|launch| {
                launch.arg_f32(4.0).arg(shape);
            }),
            "a float of 4 bytes",
        ),
        (
            refused(&|launch| {
                launch.arg_i32(4).arg(shape);
            }),
            "a signed integer of 4 bytes",
        ),
        (
            refused(&|launch| {
                launch.arg_u64(4).arg(shape);
            }),
            "an unsigned integer of 8 bytes",
        ),
        (
            refused(&|launch| {
                launch.arg(true).arg(shape);
            }),
            "a `bool`",
        ),
        (
            refused(&|launch| {
                launch.arg_tensormap(&TensorMap::from_slots([0; 16])).arg(shape);
            }),
            "a tensor map",
        ),
    ] {
        assert_eq!(error, format!("{expected}{found}"));
    }
    let other = refused(&|launch| {
        launch.arg_u32(4).arg(Other { words: [0; 4] });
    });
    assert_eq!(
        other,
        "kernel `kinds`, parameter `shape`: expected the struct `Shape` of 16 bytes (`Shape`), found the struct \
         `Other` of 16 bytes"
    );
    let mut launch = KernelLaunch::new(&*gpu, handle);
    // SAFETY: the kernel is not run.
    unsafe { launch.arg_u32(4).arg(shape).launch(&gpu.default_stream()) }
}

#[test]
fn a_refusal_shows_a_struct_by_its_fields() -> Result<()> {
    let gpu = Gpu::from_backend(MockBackend::new()?);
    let mut launch = KernelLaunch::new(&*gpu, KINDS.resolve(&*gpu)?);
    launch.block(4096).arg_u32(4).arg(Shape { rows: 3, scale: -0.5, transposed: true, strides: [1, 2] });
    // SAFETY: the kernel is not run.
    let error = unsafe { launch.launch(&gpu.default_stream()) }.expect_err("too large a block").to_string();
    let arguments = "arguments: n=4, shape={rows=3, scale=-0.5, transposed=true, strides=0x00020001}";
    assert!(error.ends_with(arguments), "{error}");
    Ok(())
}
