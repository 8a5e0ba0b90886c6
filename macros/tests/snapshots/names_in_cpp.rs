#[allow(clippy::all, clippy::pedantic)]
/// Launches the kernel `scale<float, 4>` of the module `scale`.
///
/// # Errors
///
/// `scale<float, 4>` cannot be resolved, or its launch is refused.
///
/// # Safety
///
/// `scale<float, 4>` is CUDA code. It must stay inside the memory it is given, with this configuration and these values, and nothing else may use that memory until the stream has run the launch.
#[inline]
#[track_caller]
pub unsafe fn launch_scale_f32x4(
    stream_: &(impl ::warpcall::AsStream + ?::core::marker::Sized),
    config_: ::warpcall::LaunchConfig,
    output: &mut (impl ::warpcall::DeviceMut<f32> + ?::core::marker::Sized),
    input: &(impl ::warpcall::DeviceRef<f32> + ?::core::marker::Sized),
    factor: f32,
    n: u32,
) -> ::warpcall::Result<()> {
    let warpcall_call = ::warpcall::__private::Call::new(&SCALE_F32X4, stream_);
    unsafe {
        warpcall_call
            .submit(
                &config_,
                &[
                    warpcall_call.device_mut::<f32>(output),
                    warpcall_call.device_ref::<f32>(input),
                    <f32 as ::warpcall::KernelParam>::pack(&factor).arg(),
                    <u32 as ::warpcall::KernelParam>::pack(&n).arg(),
                ],
            )
    }
}
/// The kernel `scale<float, 4>` of the module `scale`, which [`launch_scale_f32x4`] launches.
#[allow(dead_code)]
pub static SCALE_F32X4: ::warpcall::Kernel = ::warpcall::Kernel::new(
    ::warpcall::Module::new("scale")
        .with_source(
            "tests/files/scale.cu",
            ::core::include_str!(
                ::core::concat!(::core::env!("CARGO_MANIFEST_DIR"),
                "/tests/files/scale.cu")
            ),
        )
        .with_cpp_names(&["scale<float, 4>"]),
    "scale<float, 4>",
    &[
        ::warpcall::Parameter::device_mut::<f32>("output", "*mut f32"),
        ::warpcall::Parameter::device_ref::<f32>("input", "*const f32"),
        ::warpcall::Parameter::value(
            "factor",
            "f32",
            <f32 as ::warpcall::KernelParam>::DESCRIPTION,
        ),
        ::warpcall::Parameter::value(
            "n",
            "u32",
            <u32 as ::warpcall::KernelParam>::DESCRIPTION,
        ),
    ],
);
#[allow(clippy::all, clippy::pedantic)]
#[cfg(unix)]
/// Launches the kernel `fft::plain` of the module `scale`.
///
/// # Errors
///
/// `fft::plain` cannot be resolved, or its launch is refused.
///
/// # Safety
///
/// `fft::plain` is CUDA code. It must stay inside the memory it is given, with this configuration and these values, and nothing else may use that memory until the stream has run the launch.
#[inline]
#[track_caller]
unsafe fn launch_plain(
    stream_: &(impl ::warpcall::AsStream + ?::core::marker::Sized),
    config_: ::warpcall::LaunchConfig,
    values: &mut (impl ::warpcall::DeviceMut<f32> + ?::core::marker::Sized),
) -> ::warpcall::Result<()> {
    let warpcall_call = ::warpcall::__private::Call::new(&PLAIN, stream_);
    unsafe { warpcall_call.submit(&config_, &[warpcall_call.device_mut::<f32>(values)]) }
}
#[cfg(unix)]
/// The kernel `fft::plain` of the module `scale`, which [`launch_plain`] launches.
#[allow(dead_code)]
static PLAIN: ::warpcall::Kernel = ::warpcall::Kernel::new(
    ::warpcall::Module::new("scale")
        .with_source(
            "tests/files/scale.cu",
            ::core::include_str!(
                ::core::concat!(::core::env!("CARGO_MANIFEST_DIR"),
                "/tests/files/scale.cu")
            ),
        )
        .with_cpp_names(&["scale<float, 4>", "fft::plain"]),
    "fft::plain",
    &[::warpcall::Parameter::device_mut::<f32>("values", "*mut f32")],
);
