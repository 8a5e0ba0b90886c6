#[allow(clippy::all, clippy::pedantic)]
/// Launches the kernel `match` of the module `m`.
///
/// # Errors
///
/// `match` cannot be resolved, or its launch is refused.
///
/// # Safety
///
/// `match` is CUDA code. It must stay inside the memory it is given, with this configuration and these values, and nothing else may use that memory until the stream has run the launch.
#[inline]
#[track_caller]
unsafe fn launch_match(
    stream: &(impl ::warpcall::AsStream + ?::core::marker::Sized),
    config: ::warpcall::LaunchConfig,
    stream: &(impl ::warpcall::DeviceRef<f32> + ?::core::marker::Sized),
    config: u32,
    call: u32,
    r#type: u32,
) -> ::warpcall::Result<()> {
    let call = ::warpcall::__private::Call::new(&MATCH, stream);
    unsafe {
        call.submit(
            &config,
            &[
                call.device_ref::<f32>(stream),
                <u32 as ::warpcall::KernelParam>::pack(&config).arg(),
                <u32 as ::warpcall::KernelParam>::pack(&call).arg(),
                <u32 as ::warpcall::KernelParam>::pack(&r#type).arg(),
            ],
        )
    }
}
/// The kernel `match` of the module `m`, which [`launch_match`] launches.
#[allow(dead_code)]
static MATCH: ::warpcall::Kernel = ::warpcall::Kernel::new(
    ::warpcall::Module::new("m"),
    "match",
    &[
        ::warpcall::Parameter::device_ref::<f32>("stream", "*const f32"),
        ::warpcall::Parameter::value(
            "config",
            "u32",
            <u32 as ::warpcall::KernelParam>::DESCRIPTION,
        ),
        ::warpcall::Parameter::value(
            "call",
            "u32",
            <u32 as ::warpcall::KernelParam>::DESCRIPTION,
        ),
        ::warpcall::Parameter::value(
            "type",
            "u32",
            <u32 as ::warpcall::KernelParam>::DESCRIPTION,
        ),
    ],
);
#[allow(clippy::all, clippy::pedantic, non_snake_case)]
/// Launches the kernel `addKernel` of the module `m`.
///
/// # Errors
///
/// `addKernel` cannot be resolved, or its launch is refused.
///
/// # Safety
///
/// `addKernel` is CUDA code. It must stay inside the memory it is given, with this configuration and these values, and nothing else may use that memory until the stream has run the launch.
#[inline]
#[track_caller]
unsafe fn launch_addKernel(
    stream: &(impl ::warpcall::AsStream + ?::core::marker::Sized),
    config: ::warpcall::LaunchConfig,
    N: u32,
) -> ::warpcall::Result<()> {
    let call = ::warpcall::__private::Call::new(&ADD_KERNEL, stream);
    unsafe { call.submit(&config, &[<u32 as ::warpcall::KernelParam>::pack(&N).arg()]) }
}
/// The kernel `addKernel` of the module `m`, which [`launch_addKernel`] launches.
#[allow(dead_code)]
static ADD_KERNEL: ::warpcall::Kernel = ::warpcall::Kernel::new(
    ::warpcall::Module::new("m"),
    "addKernel",
    &[
        ::warpcall::Parameter::value(
            "N",
            "u32",
            <u32 as ::warpcall::KernelParam>::DESCRIPTION,
        ),
    ],
);
