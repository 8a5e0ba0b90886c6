//! Launches that were put together argument by argument, and the raw form below them.

use std::ffi::c_void;

use anyhow::Result;
use warpcall::{Error, KernelHandle, KernelLaunch, LaunchConfig, StreamHandle};

use super::check::{equal, expect_error};
use super::kernels::{ECHO_I64, ECHO_PADDED, ECHO_TENSOR_MAP, MULTIPLY_ADD, Padded, SEVENTY};
use super::{Capability, Fixture, Target};

super::tests! { "builder":
    a_launch_put_together_by_hand_does_what_the_generated_one_does,
    a_builder_launches_again_with_the_same_arguments,
    seventy_arguments_arrive,
    values_of_every_width_arrive,
    too_few_and_too_many_arguments_are_refused,
    an_argument_of_another_kind_or_width_is_refused,
    a_stream_of_another_backend_is_refused,
    an_empty_grid_is_refused,
    the_raw_form_takes_one_pointer_a_parameter,
}

const STREAM: StreamHandle = StreamHandle::DEFAULT;

fn a_launch_put_together_by_hand_does_what_the_generated_one_does(target: &Target) -> Result<()> {
    let gpu = target.open()?;
    let handle = MULTIPLY_ADD.resolve(gpu.gpu())?;
    let [by_hand, generated] = [gpu.words(&[4; 300])?, gpu.words(&[4; 300])?];
    // SAFETY: the kernel's parameters, and three hundred words.
    unsafe {
        KernelLaunch::new(gpu.gpu(), handle)
            .grid([3, 1, 1])
            .block([128, 1, 1])
            .shared_mem(0)
            .arg_ptr(by_hand)
            .arg_u32(300)
            .arg_u32(7)
            .arg_u32(5)
            .launch(&gpu.on(STREAM))
    }?;
    gpu.multiply_add(STREAM, generated, 300, [7, 5])?;
    let expected = [33; 300];
    equal("a launch by hand", &gpu.settled_words(by_hand, 300)?, &expected)?;
    equal("the generated launch", &gpu.settled_words(generated, 300)?, &expected)
}

fn a_builder_launches_again_with_the_same_arguments(target: &Target) -> Result<()> {
    target.require(&[Capability::Streams])?;
    let gpu = target.open()?;
    let values = gpu.words(&[1; 16])?;
    let mut launch = KernelLaunch::new(gpu.gpu(), MULTIPLY_ADD.resolve(gpu.gpu())?);
    launch.config(LaunchConfig::new(1, 16)).arg_ptr(values).arg_u32(16).arg_u32(3).arg_u32(1);
    let stream = gpu.stream()?;
    for _ in 0..4 {
        // SAFETY: the kernel's parameters, and sixteen words.
        unsafe { launch.launch(&gpu.on(stream)) }?;
    }
    gpu.synchronize_stream(stream)?;
    equal("four launches of one builder", &gpu.settled_words(values, 16)?, &[121; 16])
}

fn seventy_arguments_arrive(target: &Target) -> Result<()> {
    let gpu = target.open()?;
    let seen = gpu.words(&[0; 71])?;
    let mut launch = KernelLaunch::new(gpu.gpu(), SEVENTY.resolve(gpu.gpu())?);
    launch.arg_ptr(seen);
    for number in 0..70 {
        launch.arg_u32(0x8000_0000 + number * 3);
    }
    // SAFETY: the kernel's seventy-one parameters, and room for seventy words.
    unsafe { launch.launch(&gpu.on(STREAM)) }?;
    let mut expected: Vec<u32> = (0..70).map(|number| 0x8000_0000 + number * 3).collect();
    expected.push(0);
    equal("seventy numbers", &gpu.settled_words(seen, 71)?, &expected)
}

fn values_of_every_width_arrive(target: &Target) -> Result<()> {
    let gpu = target.open()?;
    let seen = gpu.holding(&[0xEE; 160])?;
    let value = Padded { a: 1, b: 2, c: 3, d: 4, e: 5 };
    let map = warpcall::TensorMap::from_slots([0xABCD_EF01_2345_6789; 16]);
    // SAFETY: the kernels' parameters, and room for what they write.
    unsafe {
        KernelLaunch::new(gpu.gpu(), ECHO_I64.resolve(gpu.gpu())?)
            .arg_ptr(seen)
            .arg(0xA1_u8)
            .arg_i64(-2)
            .arg(0xA2_u8)
            .launch(&gpu.on(STREAM))?;
    }
    let expected = [0xA1, 0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xA2, 0xEE];
    equal("eight bytes between two", &gpu.settled(seen, 11)?, &expected)?;
    // SAFETY: as above.
    unsafe {
        KernelLaunch::new(gpu.gpu(), ECHO_PADDED.resolve(gpu.gpu())?)
            .arg_ptr(seen)
            .arg(0xA3_u8)
            .arg(value)
            .arg(0xA4_u8)
            .launch(&gpu.on(STREAM))?;
    }
    let mut expected = vec![0; 34];
    for (at, byte) in [(0, 0xA3), (1, 1), (9, 2), (17, 3), (21, 4), (25, 5), (33, 0xA4)] {
        expected[at] = byte;
    }
    equal("a struct between two bytes", &gpu.settled(seen, 34)?, &expected)?;
    // SAFETY: as above.
    unsafe {
        KernelLaunch::new(gpu.gpu(), ECHO_TENSOR_MAP.resolve(gpu.gpu())?)
            .arg_ptr(seen)
            .arg(0xA5_u8)
            .arg_tensormap(&map)
            .arg(0xA6_u8)
            .launch(&gpu.on(STREAM))?;
    }
    let mut expected = vec![0xA5];
    expected.extend(bytemuck::bytes_of(map.slots()));
    expected.extend([0xA6, 0xEE]);
    equal("a tensor map between two bytes", &gpu.settled(seen, 131)?, &expected)
}

fn too_few_and_too_many_arguments_are_refused(target: &Target) -> Result<()> {
    let gpu = target.open()?;
    let values = gpu.words(&[4; 16])?;
    let handle = MULTIPLY_ADD.resolve(gpu.gpu())?;
    for count in [0, 2, 4, 10] {
        let mut launch = KernelLaunch::new(gpu.gpu(), handle);
        launch.arg_ptr(values);
        for _ in 0..count {
            launch.arg_u32(16);
        }
        // SAFETY: it is refused.
        let launched = unsafe { launch.launch(&gpu.on(STREAM)) };
        expect_error!(launched, Error::ArgumentCount { expected: 4, found, .. } if found == count + 1);
    }
    equal("memory after refused launches", &gpu.settled_words(values, 16)?, &[4; 16])
}

type Put = fn(&mut KernelLaunch<'_>, warpcall::DevicePtr);

fn an_argument_of_another_kind_or_width_is_refused(target: &Target) -> Result<()> {
    let gpu = target.open()?;
    let values = gpu.words(&[4; 16])?;
    let handle = MULTIPLY_ADD.resolve(gpu.gpu())?;
    let cases: [(&str, Put); 4] = [
        ("values", |launch, _| drop(launch.arg_u64(0).arg_u32(16).arg_u32(2).arg_u32(1).args())),
        ("n", |launch, values| drop(launch.arg_ptr(values).arg_ptr(values).arg_u32(2).arg_u32(1).args())),
        ("factor", |launch, values| drop(launch.arg_ptr(values).arg_u32(16).arg_f64(2.0).arg_u32(1).args())),
        ("term", |launch, values| drop(launch.arg_ptr(values).arg_u32(16).arg_u32(2).arg(1_u16).args())),
    ];
    for (wrong, put) in cases {
        let mut launch = KernelLaunch::new(gpu.gpu(), handle);
        put(&mut launch, values);
        // SAFETY: it is refused.
        let launched = unsafe { launch.launch(&gpu.on(STREAM)) };
        expect_error!(launched, Error::Argument { ref kernel, ref parameter, .. } if &**kernel == "multiply_add" && &**parameter == wrong);
    }
    equal("memory after refused launches", &gpu.settled_words(values, 16)?, &[4; 16])
}

fn a_stream_of_another_backend_is_refused(target: &Target) -> Result<()> {
    let [gpu, other] = [target.open()?, target.open()?];
    let values = gpu.words(&[4; 16])?;
    let mut launch = KernelLaunch::new(gpu.gpu(), MULTIPLY_ADD.resolve(gpu.gpu())?);
    launch.block(16).arg_ptr(values).arg_u32(16).arg_u32(2).arg_u32(1);
    // SAFETY: it is refused.
    let launched = unsafe { launch.launch(&other.on(STREAM)) };
    expect_error!(launched, Error::OfKernel { ref kernel, ref source } if &**kernel == "multiply_add" && matches!(**source, Error::ForeignStream { operation: "launch", .. }));
    equal("memory after a refused launch", &gpu.settled_words(values, 16)?, &[4; 16])
}

fn an_empty_grid_is_refused(target: &Target) -> Result<()> {
    let gpu = target.open()?;
    let values = gpu.words(&[4; 16])?;
    let mut launch = KernelLaunch::new(gpu.gpu(), MULTIPLY_ADD.resolve(gpu.gpu())?);
    launch.grid(0).arg_ptr(values).arg_u32(16).arg_u32(2).arg_u32(1);
    // SAFETY: it is refused.
    let launched = unsafe { launch.launch(&gpu.on(STREAM)) };
    expect_error!(launched, Error::EmptyLaunch { .. });
    equal("memory after a refused launch", &gpu.settled_words(values, 16)?, &[4; 16])
}

fn raw(gpu: &Fixture, kernel: KernelHandle, params: &mut [*mut c_void]) -> warpcall::Result<()> {
    // SAFETY: the callers give one pointer for each parameter, to as many bytes as it has.
    unsafe { gpu.launch_raw(kernel, &LaunchConfig::new(1, 16), STREAM, params) }
}

fn the_raw_form_takes_one_pointer_a_parameter(target: &Target) -> Result<()> {
    let gpu = target.open()?;
    let values = gpu.words(&[4; 16])?;
    let kernel = MULTIPLY_ADD.resolve(gpu.gpu())?;
    let (mut memory, mut n, mut factor, mut term) = (values, 16_u32, 2_u32, 1_u32);
    let mut params = [
        (&raw mut memory).cast(),
        (&raw mut n).cast::<c_void>(),
        (&raw mut factor).cast(),
        (&raw mut term).cast(),
    ];
    raw(&gpu, kernel, &mut params)?;
    // The call has read the arguments when it returns.
    (memory, n, factor, term) = (values, 16, 10, 0);
    let mut params = [
        (&raw mut memory).cast(),
        (&raw mut n).cast::<c_void>(),
        (&raw mut factor).cast(),
        (&raw mut term).cast(),
    ];
    raw(&gpu, kernel, &mut params)?;
    (memory, n, factor, term) = (warpcall::DevicePtr::NULL, 0, 0, 0);
    std::hint::black_box((memory, n, factor, term));
    equal("two raw launches", &gpu.settled_words(values, 16)?, &[90; 16])
}
