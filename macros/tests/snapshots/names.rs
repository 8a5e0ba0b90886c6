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
    stream_: &(impl ::warpcall::AsStream + ?::core::marker::Sized),
    config_: ::warpcall::LaunchConfig,
    stream_: &(impl ::warpcall::DeviceRef<f32> + ?::core::marker::Sized),
    config_: u32,
    warpcall_call: u32,
    r#type: u32,
) -> ::warpcall::Result<()> {
    let warpcall_call = ::warpcall::__private::Call::new(&MATCH, stream_);
    unsafe {
        warpcall_call
            .submit(
                &config_,
                &[
                    warpcall_call.device_ref::<f32>(stream_),
                    <u32 as ::warpcall::KernelParam>::pack(&config_).arg(),
                    <u32 as ::warpcall::KernelParam>::pack(&warpcall_call).arg(),
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
        ::warpcall::Parameter::device_ref::<f32>("stream_", "*const f32"),
        ::warpcall::Parameter::value(
            "config_",
            "u32",
            <u32 as ::warpcall::KernelParam>::DESCRIPTION,
        ),
        ::warpcall::Parameter::value(
            "warpcall_call",
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
    stream_: &(impl ::warpcall::AsStream + ?::core::marker::Sized),
    config_: ::warpcall::LaunchConfig,
    N_: u32,
) -> ::warpcall::Result<()> {
    let warpcall_call = ::warpcall::__private::Call::new(&ADD_KERNEL, stream_);
    unsafe {
        warpcall_call
            .submit(&config_, &[<u32 as ::warpcall::KernelParam>::pack(&N_).arg()])
    }
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
