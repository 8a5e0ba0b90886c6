#[allow(clippy::all, clippy::pedantic)]
/// Root-mean-square normalisation, one block a row.
///
/// # Errors
///
/// `rms_norm` cannot be resolved, or its launch is refused.
///
/// # Safety
///
/// `rms_norm` is CUDA code. It must stay inside the memory it is given, with this configuration and these values, and nothing else may use that memory until the stream has run the launch.
#[inline]
#[track_caller]
pub unsafe fn launch_rms_norm(
    stream_: &(impl ::warpcall::AsStream + ?::core::marker::Sized),
    config_: ::warpcall::LaunchConfig,
    output: &mut (impl ::warpcall::DeviceMut<f32> + ?::core::marker::Sized),
    input: &(impl ::warpcall::DeviceRef<f32> + ?::core::marker::Sized),
    hidden_size: u32,
    eps: f32,
) -> ::warpcall::Result<()> {
    let warpcall_call = ::warpcall::__private::Call::new(&RMS_NORM, stream_);
    unsafe {
        warpcall_call
            .submit(
                &config_,
                &[
                    warpcall_call.device_mut::<f32>(output),
                    warpcall_call.device_ref::<f32>(input),
                    <u32 as ::warpcall::KernelParam>::pack(&hidden_size).arg(),
                    <f32 as ::warpcall::KernelParam>::pack(&eps).arg(),
                ],
            )
    }
}
/// The kernel `rms_norm` of the module `norm`, which [`launch_rms_norm`] launches.
#[allow(dead_code)]
pub static RMS_NORM: ::warpcall::Kernel = ::warpcall::Kernel::new(
    ::warpcall::Module::new("norm")
        .with_source(
            "tests/files/norm.cu",
            ::core::include_str!(
                ::core::concat!(::core::env!("CARGO_MANIFEST_DIR"),
                "/tests/files/norm.cu")
            ),
        ),
    "rms_norm",
    &[
        ::warpcall::Parameter::device_mut::<f32>("output", "*mut f32"),
        ::warpcall::Parameter::device_ref::<f32>("input", "*const f32"),
        ::warpcall::Parameter::value(
            "hidden_size",
            "u32",
            <u32 as ::warpcall::KernelParam>::DESCRIPTION,
        ),
        ::warpcall::Parameter::value(
            "eps",
            "f32",
            <f32 as ::warpcall::KernelParam>::DESCRIPTION,
        ),
    ],
);
