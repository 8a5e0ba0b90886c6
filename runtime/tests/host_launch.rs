//! Launches on the host backend: what the host function is given, and what is refused.
#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "what is freed or destroyed here is not used again, or that it is gone is what is tested"
)]
#![allow(clippy::float_cmp, reason = "small whole numbers are exact")]

use std::cell::Cell;
use std::ffi::c_void;
use std::panic::Location;
use std::sync::{Mutex, OnceLock};

use warpcall::backend::{
    CopyMemory, DeviceInfo, DeviceLimits, DeviceMemory, KernelLookup, Launch, LaunchKernels,
};
use warpcall::{
    ArgBytes, DevicePtr, Error, Float4, HostBackend, HostLaunch, Kernel, KernelArg, KernelLaunch,
    KernelParam, LaunchConfig, MemoryProblem, Module, Parameter, Result, StreamHandle,
};

const STREAM: StreamHandle = StreamHandle::DEFAULT;

fn upload(backend: &HostBackend, values: &[f32]) -> DevicePtr {
    let memory = backend.allocate(size_of_val(values)).unwrap();
    backend.copy_to_device(memory, bytemuck::cast_slice(values)).unwrap();
    memory
}

fn download<const N: usize>(backend: &HostBackend, memory: DevicePtr) -> [f32; N] {
    let mut values = [0.0; N];
    backend.copy_to_host(bytemuck::cast_slice_mut(&mut values), memory).unwrap();
    values
}

fn launch_with(
    backend: &HostBackend,
    kernel: &'static Kernel,
    config: &LaunchConfig,
    args: &[KernelArg<'_>],
) -> Result<()> {
    let launch = Launch {
        kernel: kernel.resolve(backend)?,
        declaration: Some(kernel),
        config,
        stream: STREAM,
        args,
        params: &args.iter().map(KernelArg::as_param).collect::<Vec<_>>(),
        extents: &[],
        location: Location::caller(),
    };
    // SAFETY: host functions are given what the arguments name, checked, and nothing else.
    unsafe { backend.launch(&launch) }
}

fn launch(backend: &HostBackend, kernel: &'static Kernel, args: &[KernelArg<'_>]) -> Result<()> {
    launch_with(backend, kernel, &LaunchConfig::new(1, 1), args)
}

fn ptr(ptr: DevicePtr) -> KernelArg<'static> {
    KernelArg::Buffer(ptr)
}

static SCALE: Kernel = Kernel::new(
    Module::new("host"),
    "scale",
    &[
        Parameter::device_mut::<f32>("output", "*mut f32"),
        Parameter::device_ref::<f32>("input", "*const f32"),
        Parameter::value("factor", "f32", f32::DESCRIPTION),
    ],
)
.with_host(|call| {
    call.run(|call| {
        fn scale(output: &mut [f32], input: &[f32], factor: f32) {
            output.iter_mut().zip(input).for_each(|(output, input)| *output = input * factor);
        }
        scale(call.slice_mut::<f32, _>(0)?, call.slice::<f32, _>(1)?, call.value::<f32>(2)?);
        Ok(())
    })
});

/// Writes each element to the place after it: what comes of it tells a copy from the memory itself.
static SHIFT: Kernel = Kernel::new(
    Module::new("host"),
    "shift",
    &[
        Parameter::device_mut::<f32>("output", "*mut f32"),
        Parameter::device_ref::<f32>("input", "*const f32"),
    ],
)
.with_host(|call| {
    call.run(|call| {
        fn shift(output: &mut [f32], input: &[f32]) {
            output[1..].iter_mut().zip(input).for_each(|(output, input)| *output = *input);
        }
        shift(call.slice_mut::<f32, _>(0)?, call.slice::<f32, _>(1)?);
        Ok(())
    })
});

static SHIFT_CELLS: Kernel = Kernel::new(
    Module::new("host"),
    "shift_cells",
    &[
        Parameter::device_mut::<f32>("output", "*mut f32"),
        Parameter::device_ref::<f32>("input", "*const f32"),
    ],
)
.with_host(|call| {
    call.run(|call| {
        fn shift(output: &[Cell<f32>], input: &[Cell<f32>]) {
            output[1..].iter().zip(input).for_each(|(output, input)| output.set(input.get()));
        }
        shift(call.slice_mut::<f32, _>(0)?, call.slice::<f32, _>(1)?);
        Ok(())
    })
});

#[test]
fn the_host_function_gets_the_memory_and_the_values() {
    let backend = HostBackend::new();
    let (output, input) = (upload(&backend, &[0.0; 3]), upload(&backend, &[1.0, 2.0, 3.0]));
    let factor = 2.0_f32.pack();
    launch(&backend, &SCALE, &[ptr(output), ptr(input), factor.arg()]).unwrap();
    assert_eq!(download(&backend, output), [2.0, 4.0, 6.0]);
    launch(&backend, &SCALE, &[ptr(output.byte_add(8)), ptr(input.byte_add(4)), factor.arg()]).unwrap();
    assert_eq!(download(&backend, output), [2.0, 4.0, 4.0], "from inside an allocation");
}

#[test]
fn the_raw_form_reads_by_the_declaration() {
    let backend = HostBackend::new();
    let (output, input) = (upload(&backend, &[0.0; 2]), upload(&backend, &[1.0, 2.0]));
    let (mut to, mut from, mut factor) = (output.address(), input.address(), 3.0_f32);
    let mut params: [*mut c_void; 3] =
        [(&raw mut to).cast(), (&raw mut from).cast(), (&raw mut factor).cast()];
    let (handle, config) = (SCALE.resolve(&backend).unwrap(), LaunchConfig::new(1, 1));
    unsafe { backend.launch_raw(handle, &config, STREAM, &params) }.unwrap();
    assert_eq!(download(&backend, output), [3.0, 6.0]);

    let short = unsafe { backend.launch_raw(handle, &config, STREAM, &params[..2]) };
    assert!(matches!(short, Err(Error::ArgumentCount { expected: 3, found: 2, .. })), "{short:?}");
    params[2] = std::ptr::null_mut();
    let null = unsafe { backend.launch_raw(handle, &config, STREAM, &params) }.unwrap_err();
    assert!(null.to_string().contains("`factor`"), "{null}");
}

#[test]
fn a_launch_built_by_hand_runs_the_same_function() {
    let backend = HostBackend::new();
    let (output, input) = (upload(&backend, &[0.0; 2]), upload(&backend, &[1.0, 2.0]));
    let handle = SCALE.resolve(&backend).unwrap();
    unsafe {
        KernelLaunch::new(&backend, handle)
            .arg_ptr(output)
            .arg_ptr(input)
            .arg_f32(0.5)
            .launch(&warpcall::StreamRef::default_of(&backend))
    }
    .unwrap();
    assert_eq!(download(&backend, output), [0.5, 1.0]);
}

#[test]
fn a_plain_input_that_is_the_output_is_what_it_was_before() {
    let backend = HostBackend::new();
    let memory = upload(&backend, &[1.0, 2.0, 3.0, 4.0]);
    launch(&backend, &SHIFT, &[ptr(memory), ptr(memory)]).unwrap();
    assert_eq!(download(&backend, memory), [1.0, 1.0, 2.0, 3.0]);
    launch(&backend, &SHIFT, &[ptr(memory), ptr(memory.byte_add(8))]).unwrap();
    assert_eq!(download(&backend, memory), [1.0, 2.0, 3.0, 3.0], "overlapping in part");
}

#[test]
fn cells_that_are_input_and_output_are_the_memory_itself() {
    let backend = HostBackend::new();
    let memory = upload(&backend, &[1.0, 2.0, 3.0, 4.0]);
    launch(&backend, &SHIFT_CELLS, &[ptr(memory), ptr(memory)]).unwrap();
    assert_eq!(download(&backend, memory), [1.0; 4]);
}

macro_rules! pair_kernel {
    ($name:ident, $text:literal, $first:ident: $first_type:ty = $declare_first:ident, $second:ident: $second_type:ty = $declare_second:ident) => {
        static $name: Kernel = Kernel::new(
            Module::new("host"),
            $text,
            &[
                Parameter::$declare_first::<f32>("first", "a pointer"),
                Parameter::$declare_second::<f32>("second", "a pointer"),
            ],
        )
        .with_host(|call| {
            call.run(|call| {
                let first: $first_type = call.$first::<f32, _>(0)?;
                let second: $second_type = call.$second::<f32, _>(1)?;
                assert_eq!((first.len(), second.len()), (2, 2));
                Ok(())
            })
        });
    };
}

pair_kernel!(TWO_MUT, "two_mut", slice_mut: &mut [f32] = device_mut, slice_mut: &mut [f32] = device_mut);
pair_kernel!(MUT_CELLS, "mut_cells", slice_mut: &mut [f32] = device_mut, slice: &[Cell<f32>] = device_ref);
pair_kernel!(CELLS_MUT, "cells_mut", slice: &[Cell<f32>] = device_ref, slice_mut: &mut [f32] = device_mut);
pair_kernel!(MUT_MUT_CELLS, "mut_mut_cells", slice_mut: &mut [f32] = device_mut, slice_mut: &[Cell<f32>] = device_mut);
pair_kernel!(TWO_CELLS, "two_cells", slice_mut: &[Cell<f32>] = device_mut, slice_mut: &[Cell<f32>] = device_mut);
pair_kernel!(TWO_READERS, "two_readers", slice: &[f32] = device_ref, slice: &[f32] = device_ref);

#[test]
fn overlapping_outputs_are_refused_by_name_unless_both_are_cells() {
    let backend = HostBackend::new();
    let (one, two) = (upload(&backend, &[1.0, 2.0]), upload(&backend, &[3.0, 4.0]));
    for kernel in [&TWO_MUT, &MUT_CELLS, &CELLS_MUT, &MUT_MUT_CELLS] {
        launch(&backend, kernel, &[ptr(one), ptr(two)]).unwrap();
        let error = launch(&backend, kernel, &[ptr(one), ptr(one)]).unwrap_err().to_string();
        for word in ["`first`", "`second`", "&[Cell<T>]", kernel.name()] {
            assert!(error.contains(word), "{word} is not in: {error}");
        }
    }
    launch(&backend, &TWO_CELLS, &[ptr(one), ptr(one)]).unwrap();
    launch(&backend, &TWO_READERS, &[ptr(one), ptr(one)]).unwrap();
}

static READER_AND_CELLS: Kernel = Kernel::new(
    Module::new("host"),
    "reader_and_cells",
    &[
        Parameter::device_ref::<f32>("cells", "*const f32"),
        Parameter::device_ref::<f32>("plain", "*const f32"),
    ],
)
.with_host(|call| {
    call.run(|call| {
        let cells: &[Cell<f32>] = call.slice::<f32, _>(0)?;
        let plain: &[f32] = call.slice::<f32, _>(1)?;
        assert_eq!(cells[0].get().to_bits(), plain[0].to_bits());
        cells[0].set(-1.0);
        assert_eq!(plain[0].to_bits(), 1.0_f32.to_bits(), "a plain slice never changes");
        Ok(())
    })
});

#[test]
fn cells_beside_a_reader_of_the_same_memory_are_a_copy() {
    let backend = HostBackend::new();
    let memory = upload(&backend, &[1.0, 2.0]);
    launch(&backend, &READER_AND_CELLS, &[ptr(memory), ptr(memory)]).unwrap();
    assert_eq!(download(&backend, memory), [1.0, 2.0]);
}

static TWICE: Kernel =
    Kernel::new(Module::new("host"), "twice", &[Parameter::device_mut::<f32>("values", "*mut f32")])
        .with_host(|call| {
            for value in [1.0, 2.0] {
                call.run(|call| {
                    let values: &mut [f32] = call.slice_mut::<f32, _>(0)?;
                    values[0] += value;
                    let again: Result<&mut [f32]> = call.slice_mut::<f32, _>(0);
                    assert!(again.is_err(), "the same memory exclusively, twice");
                    Ok(())
                })?;
            }
            Ok(())
        });

#[test]
fn a_parameter_is_taken_once_a_run() {
    let backend = HostBackend::new();
    let memory = upload(&backend, &[0.0]);
    launch(&backend, &TWICE, &[ptr(memory)]).unwrap();
    assert_eq!(download(&backend, memory), [3.0]);
}

#[test]
fn bad_pointers_are_refused_with_kernel_and_parameter() {
    let (backend, other) = (HostBackend::new(), HostBackend::new());
    let good = upload(&backend, &[1.0]);
    let freed = upload(&backend, &[1.0]);
    unsafe { backend.free(freed) }.unwrap();
    let factor = 1.0_f32.pack();
    let refused = |input| launch(&backend, &SCALE, &[ptr(good), ptr(input), factor.arg()]).unwrap_err();
    for (input, expected) in [
        (freed, MemoryProblem::Freed),
        (upload(&other, &[1.0]), MemoryProblem::Foreign),
        (DevicePtr::new(0x1000), MemoryProblem::Unknown),
        (good.byte_add(2), MemoryProblem::Misaligned { align: 4 }),
        (good.byte_add(8), MemoryProblem::OutOfBounds { start: good, length: 4 }),
    ] {
        match refused(input) {
            Error::Memory { operation, problem, ptr, .. } => {
                assert_eq!(&*operation, "kernel `scale`, parameter `input`");
                assert_eq!((problem, ptr), (expected, input));
            }
            other => panic!("{other}"),
        }
    }
    let null = refused(DevicePtr::NULL);
    assert!(matches!(&null, Error::Argument { parameter, .. } if &**parameter == "input"), "{null}");
    launch(&backend, &SCALE, &[ptr(good), ptr(good.byte_add(4)), factor.arg()]).unwrap();
    assert_eq!(download(&backend, good), [1.0], "a pointer to the end is one to nothing");
}

static NULLABLE: Kernel = Kernel::new(
    Module::new("host"),
    "nullable",
    &[
        Parameter::device_mut::<f32>("output", "*mut f32"),
        Parameter::device_ref::<f32>("bias", "*const f32").nullable(),
        Parameter::device_mut::<f32>("residual", "*mut f32").nullable(),
    ],
)
.with_host(|call| {
    call.run(|call| {
        fn run(output: &mut [f32], bias: Option<&[f32]>, residual: Option<&mut [f32]>) {
            output[0] = bias.map_or(0.0, |bias| bias[0]);
            if let Some(residual) = residual {
                residual[0] = 9.0;
            }
        }
        run(
            call.slice_mut::<f32, _>(0)?,
            call.nullable_slice::<f32, _>(1)?,
            call.nullable_slice_mut::<f32, _>(2)?,
        );
        Ok(())
    })
});

#[test]
fn a_nullable_pointer_may_be_null() {
    let backend = HostBackend::new();
    let (output, other) = (upload(&backend, &[5.0]), upload(&backend, &[7.0]));
    launch(&backend, &NULLABLE, &[ptr(output), ptr(DevicePtr::NULL), ptr(DevicePtr::NULL)]).unwrap();
    assert_eq!(download(&backend, output), [0.0]);
    launch(&backend, &NULLABLE, &[ptr(output), ptr(other), ptr(DevicePtr::NULL)]).unwrap();
    assert_eq!(download(&backend, output), [7.0]);
    launch(&backend, &NULLABLE, &[ptr(output), ptr(DevicePtr::NULL), ptr(other)]).unwrap();
    assert_eq!(download(&backend, other), [9.0]);
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Seen {
    flag: bool,
    small: i8,
    wide: u64,
    vector: [u32; 4],
}

static SEEN: Mutex<Option<Seen>> = Mutex::new(None);

static VALUES: Kernel = Kernel::new(
    Module::new("host"),
    "values",
    &[
        Parameter::value("flag", "bool", bool::DESCRIPTION),
        Parameter::value("small", "i8", i8::DESCRIPTION),
        Parameter::tensor_map("map"),
        Parameter::value("wide", "u64", u64::DESCRIPTION),
        Parameter::value("vector", "Float4", Float4::DESCRIPTION),
    ],
)
.with_host(|call| {
    call.run(|call| {
        let Float4 { x, y, z, w } = call.value(4)?;
        assert_eq!(call.tensor_map(2)?.slots(), &[3; 16]);
        *SEEN.lock().unwrap() = Some(Seen {
            flag: call.value(0)?,
            small: call.value(1)?,
            wide: call.value(3)?,
            vector: [x, y, z, w].map(f32::to_bits),
        });
        for wrong in [call.value::<u8>(1).map(drop), call.value::<f32>(0).map(drop)] {
            assert!(matches!(wrong, Err(Error::Argument { .. })));
        }
        assert!(call.value::<u8>(5).is_err(), "past the last parameter");
        assert!(call.slice::<f32, &[f32]>(0).is_err(), "no pointer");
        Ok(())
    })
});

#[test]
fn values_arrive_whole_beside_a_tensor_map() {
    let backend = HostBackend::new();
    let map = warpcall::TensorMap::from_slots([3; 16]);
    let vector = Float4::new(1.0, 2.0, 3.0, 4.0).pack();
    let (flag, small, wide) = (true.pack(), (-2_i8).pack(), (1_u64 << 40).pack());
    let args = [flag.arg(), small.arg(), map.arg(), wide.arg(), vector.arg()];
    launch(&backend, &VALUES, &args).unwrap();
    let seen = SEEN.lock().unwrap().take().unwrap();
    assert_eq!(
        seen,
        Seen { flag: true, small: -2, wide: 1 << 40, vector: [1.0_f32, 2.0, 3.0, 4.0].map(f32::to_bits) }
    );
    let two = KernelArg::Bytes(ArgBytes::new(&[2], 1).unwrap());
    let error = launch(&backend, &VALUES, &[two, args[1], args[2], args[3], args[4]]).unwrap_err();
    assert!(error.to_string().contains("expected a valid `bool`, found the bytes [02]"), "{error}");
}

#[test]
fn arguments_that_do_not_fit_the_declaration_are_refused() {
    let backend = HostBackend::new();
    let memory = upload(&backend, &[1.0]);
    let (double, factor) = (1.0_f64.pack(), 1.0_f32.pack());
    let refused = |args: &[KernelArg<'_>]| launch(&backend, &SCALE, args).unwrap_err();
    assert!(matches!(
        refused(&[ptr(memory), ptr(memory)]),
        Error::ArgumentCount { expected: 3, found: 2, .. }
    ));
    let swapped = refused(&[ptr(memory), factor.arg(), ptr(memory)]);
    assert!(matches!(&swapped, Error::Argument { parameter, .. } if &**parameter == "input"));
    let wide = refused(&[ptr(memory), ptr(memory), double.arg()]);
    assert!(matches!(&wide, Error::Argument { parameter, .. } if &**parameter == "factor"), "{wide}");
}

static WITHOUT: Kernel = Kernel::new(Module::new("host"), "without", &[]);
static PANICS: Kernel =
    Kernel::new(Module::new("host"), "panics", &[]).with_host(|_| panic!("index {} of {}", 5, "four"));
static FAILS: Kernel =
    Kernel::new(Module::new("host"), "fails", &[]).with_host(|_| Err(anyhow::anyhow!("no luck").into()));
static EMPTY: Kernel = Kernel::new(Module::new("host"), "empty", &[]).with_host(|_| Ok(()));

#[test]
fn a_kernel_without_a_host_function_is_refused() {
    let error = launch(&HostBackend::new(), &WITHOUT, &[]).unwrap_err();
    assert!(matches!(&error, Error::NoHostFunction { kernel } if &**kernel == "without"), "{error}");
}

#[test]
fn a_panic_and_an_error_of_the_host_function_name_the_kernel_and_break_nothing() {
    let backend = HostBackend::new();
    match launch(&backend, &PANICS, &[]) {
        Err(Error::HostFunctionPanicked { kernel, message }) => {
            assert_eq!((&*kernel, &*message), ("panics", "index 5 of four"));
        }
        other => panic!("{other:?}"),
    }
    let error = launch(&backend, &FAILS, &[]).unwrap_err().to_string();
    assert!(error.contains("`fails`") && error.contains("no luck"), "{error}");
    launch(&backend, &EMPTY, &[]).unwrap();
}

#[test]
fn limits_are_named_with_both_numbers() {
    let limits = DeviceLimits::default();
    let backend = HostBackend::builder().limits(limits).open().unwrap();
    let refused = |config: LaunchConfig| launch_with(&backend, &EMPTY, &config, &[]).unwrap_err();
    for (config, words) in [
        (LaunchConfig::new([1, 65_536], 1), "grid dimension y is 65536, and the device allows 65535"),
        (LaunchConfig::new(1, 1025), "1025"),
        (LaunchConfig::new(1, 1).shared_mem(49_153), "49153"),
        (LaunchConfig::new(9, 1).cluster(2), "clusters of 2"),
    ] {
        let error = refused(config);
        assert!(matches!(&error, Error::LaunchRefused { kernel, .. } if &**kernel == "empty"), "{error}");
        assert!(error.to_string().contains(words), "{error}");
    }
    for config in [LaunchConfig::new(0, 1), LaunchConfig::new(1, [1, 0]), LaunchConfig::new(1, 1).cluster(0)]
    {
        assert!(matches!(refused(config), Error::EmptyLaunch { .. }));
    }
    let all = LaunchConfig::new(8, 32).cluster(2).cooperative().programmatic().priority(-1);
    launch_with(&backend, &EMPTY, &all, &[]).unwrap();
}

static TABLE: Kernel = Kernel::new(
    Module::new("host"),
    "table",
    &[
        Parameter::device_mut::<f32>("output", "*mut f32"),
        Parameter::device_ref::<DevicePtr>("rows", "*const *const f32"),
    ],
)
.with_host(|call| {
    call.run(|call| {
        fn first_of_each(launch: &HostLaunch<'_>, output: &mut [f32], rows: &[DevicePtr]) -> Result<()> {
            let grid = launch.grid().x as usize;
            for (output, row) in output.iter_mut().zip(rows).take(grid) {
                *output = launch.slice_at::<f32>(*row, 2)?[0].get();
            }
            Ok(())
        }
        first_of_each(call.launch(), call.slice_mut::<f32, _>(0)?, call.slice::<DevicePtr, _>(1)?)
    })
});

#[test]
fn pointers_out_of_a_table_lead_to_memory() {
    let backend = HostBackend::new();
    let output = upload(&backend, &[0.0; 2]);
    let rows = [upload(&backend, &[1.0, 2.0]), upload(&backend, &[3.0, 4.0])];
    let table = backend.allocate(16).unwrap();
    let fill = |rows: &[DevicePtr; 2]| backend.copy_to_device(table, bytemuck::cast_slice(rows)).unwrap();
    let run = || launch_with(&backend, &TABLE, &LaunchConfig::new(2, 1), &[ptr(output), ptr(table)]);

    fill(&rows);
    run().unwrap();
    assert_eq!(download(&backend, output), [1.0, 3.0]);

    fill(&[rows[0], DevicePtr::NULL]);
    match run() {
        Err(Error::Memory { operation, problem: MemoryProblem::Null, .. }) => {
            assert_eq!(&*operation, "kernel `table`, slice_at");
        }
        other => panic!("{other:?}"),
    }
    fill(&[rows[0], rows[1].byte_add(4)]);
    assert!(matches!(run(), Err(Error::Memory { problem: MemoryProblem::OutOfBounds { .. }, .. })));
    fill(&[rows[0], output]);
    let error = run().unwrap_err().to_string();
    assert!(error.contains("`output`") && error.contains("&[Cell<T>]"), "{error}");
}

/// Follows a pointer to one half of an allocation while the other half is taken plainly.
static HALVES: Kernel = Kernel::new(
    Module::new("host"),
    "halves",
    &[Parameter::device_mut::<f32>("upper", "*mut f32"), Parameter::value("lower", "u64", u64::DESCRIPTION)],
)
.with_host(|call| {
    call.run(|call| {
        let lower = DevicePtr::new(call.value(1)?);
        let cells = call.launch().slice_at::<f32>(lower, 2)?;
        let upper: &mut [f32] = call.slice_mut::<f32, _>(0)?;
        upper[0] = cells[1].get();
        assert!(call.launch().slice_at::<f32>(lower, 3).is_err(), "one element into the upper half");
        Ok(())
    })
});

#[test]
fn a_followed_pointer_reaches_its_own_elements_alone() {
    let backend = HostBackend::new();
    let memory = upload(&backend, &[1.0, 2.0, 3.0, 4.0]);
    let lower = memory.address().pack();
    launch(&backend, &HALVES, &[ptr(memory.byte_add(8)), lower.arg()]).unwrap();
    assert_eq!(download(&backend, memory), [1.0, 2.0, 2.0, 4.0]);
    let error = launch(&backend, &HALVES, &[ptr(memory.byte_add(4)), lower.arg()]).unwrap_err().to_string();
    assert!(error.contains("`upper`") && error.contains("followed"), "{error}");
}

static BYTES: Kernel = Kernel::new(
    Module::new("host"),
    "bytes",
    &[
        Parameter::device_mut::<c_void>("output", "*mut c_void"),
        Parameter::device_ref::<f32>("input", "*const f32"),
    ],
)
.with_host(|call| {
    call.run(|call| {
        assert!(call.slice::<f64, &[f64]>(1).is_err(), "elements of another size");
        assert!(call.slice_mut::<f32, &mut [f32]>(1).is_err(), "declared `*const`");
        let output: &mut [u8] = call.slice_mut::<u8, _>(0)?;
        output.fill(0x40);
        Ok(())
    })
});

#[test]
fn a_void_pointer_is_bytes_and_a_misfit_is_refused() {
    let backend = HostBackend::new();
    let (output, input) = (upload(&backend, &[0.0; 2]), upload(&backend, &[0.0; 2]));
    launch(&backend, &BYTES, &[ptr(output.byte_add(1)), ptr(input)]).unwrap();
    assert_eq!(download::<2>(&backend, output).map(f32::to_bits), [0x4040_4000, 0x4040_4040]);
}

static CALLED: OnceLock<HostBackend> = OnceLock::new();
static CALLS_BACK: Kernel = Kernel::new(Module::new("host"), "calls_back", &[]).with_host(|_| {
    let backend = CALLED.get().unwrap();
    assert!(backend.has_module("host"), "a look-up takes no lock");
    backend.allocate(1).map(drop)
});

#[test]
fn a_host_function_that_calls_its_backend_gets_an_error_and_does_not_hang() {
    let backend = CALLED.get_or_init(HostBackend::new);
    let error = launch(backend, &CALLS_BACK, &[]).unwrap_err().to_string();
    assert!(error.contains("`calls_back`") && error.contains("host function"), "{error}");
    backend.allocate(1).unwrap();
}

static INCREMENT: Kernel =
    Kernel::new(Module::new("host"), "increment", &[Parameter::device_mut::<u32>("value", "*mut u32")])
        .with_host(|call| {
            call.run(|call| {
                let value: &mut [u32] = call.slice_mut::<u32, _>(0)?;
                let old = value[0];
                std::thread::yield_now();
                value[0] = old + 1;
                Ok(())
            })
        });

#[test]
fn launches_of_several_threads_run_one_at_a_time() {
    let backend = HostBackend::new();
    let value = backend.allocate(4).unwrap();
    backend.copy_to_device(value, &[0; 4]).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| (0..100).for_each(|_| launch(&backend, &INCREMENT, &[ptr(value)]).unwrap()));
        }
    });
    let mut bytes = [0; 4];
    backend.copy_to_host(&mut bytes, value).unwrap();
    assert_eq!(u32::from_le_bytes(bytes), 400);
}

#[test]
fn handles_of_another_backend_are_unknown() {
    let (backend, other) = (HostBackend::new(), HostBackend::new());
    let foreign = EMPTY.resolve(&other).unwrap();
    let config = LaunchConfig::new(1, 1);
    let error = unsafe { backend.launch_raw(foreign, &config, STREAM, &[]) }.unwrap_err();
    assert!(matches!(error, Error::UnknownHandle { what: "kernel", .. }));
    assert!(backend.declaration(foreign).is_none());
    assert!(error.to_string().contains(&*backend.label()));
}
