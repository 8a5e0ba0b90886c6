#[allow(clippy::all, clippy::pedantic)]
/// `output[i] = factor * input[i]`.
///
/// The types of the arguments choose the instance, among those that [`ScaleInstance`] is implemented for.
///
/// # Errors
///
/// `scale` cannot be resolved, or its launch is refused.
///
/// # Safety
///
/// `scale` is CUDA code. It must stay inside the memory it is given, with this configuration and these values, and nothing else may use that memory until the stream has run the launch.
#[inline]
#[track_caller]
pub unsafe fn launch_scale<'memory, T: ScaleInstance>(
    stream_: &(impl ::warpcall::AsStream + ?::core::marker::Sized),
    config_: ::warpcall::LaunchConfig,
    output: &mut (impl ::warpcall::ElementMut<T> + ?::core::marker::Sized),
    input: impl ::core::convert::Into<::warpcall::NullableRef<'memory, T>>,
    factor: T,
    n: u32,
) -> ::warpcall::Result<()> {
    let warpcall_call = ::warpcall::__private::Call::new(
        <T as ScaleInstance>::KERNEL,
        stream_,
    );
    unsafe {
        warpcall_call
            .submit(
                &config_,
                &[
                    warpcall_call.device_mut::<T>(output),
                    warpcall_call.nullable_ref::<T>(::core::convert::Into::into(input)),
                    <T as ::warpcall::KernelParam>::pack(&factor).arg(),
                    <u32 as ::warpcall::KernelParam>::pack(&n).arg(),
                ],
            )
    }
}
/// The instances of the kernel `scale` of the module `scale`, one of which [`launch_scale`] launches: `f32` (`scale<float, 4>`), `core::primitive::f64` (`scale<double>`).
#[allow(dead_code, clippy::all, clippy::pedantic)]
pub static SCALE: [&::warpcall::Kernel; 2usize] = {
    static WARPCALL_INSTANCE_0: ::warpcall::Kernel = ::warpcall::Kernel::new(
            ::warpcall::Module::new("scale")
                .with_image(
                    "tests/files/scale.ptx",
                    ::core::include_bytes!(
                        ::core::concat!(::core::env!("CARGO_MANIFEST_DIR"),
                        "/tests/files/scale.ptx")
                    ),
                )
                .with_cpp_names(&["scale<float, 4>", "scale<double>"]),
            "scale<float, 4>",
            &[
                ::warpcall::Parameter::device_mut::<f32>("output", "*mut f32"),
                ::warpcall::Parameter::device_ref::<f32>("input", "*const f32")
                    .nullable(),
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
        )
        .with_symbol("_Z5scaleIfLi4EEvPT_PKS0_S0_j")
        .with_host(|warpcall_call| {
            warpcall_call
                .run(|warpcall_call| {
                    fn warpcall_one_argument_for_each_parameter_without_launch<
                        A0,
                        A1,
                        A2,
                        A3,
                        R,
                    >(
                        warpcall_function: impl ::core::ops::FnOnce(A0, A1, A2, A3) -> R,
                        warpcall_value_0: A0,
                        warpcall_value_1: A1,
                        warpcall_value_2: A2,
                        warpcall_value_3: A3,
                    ) -> R {
                        warpcall_function(
                            warpcall_value_0,
                            warpcall_value_1,
                            warpcall_value_2,
                            warpcall_value_3,
                        )
                    }
                    let warpcall_type_2 = ::warpcall::__private::HostType::new();
                    let warpcall_type_3 = ::warpcall::__private::HostType::new();
                    let warpcall_host = |
                        warpcall_argument_0,
                        warpcall_argument_1,
                        warpcall_argument_2,
                        warpcall_argument_3|
                    {
                        warpcall_type_2.is(&warpcall_argument_2);
                        warpcall_type_3.is(&warpcall_argument_3);
                        warpcall_call
                            .outcome(
                                warpcall_one_argument_for_each_parameter_without_launch(
                                    reference::scale::<f32>,
                                    warpcall_argument_0,
                                    warpcall_argument_1,
                                    warpcall_argument_2,
                                    warpcall_argument_3,
                                ),
                            )
                    };
                    let warpcall_argument_0 = warpcall_call.slice_mut::<f32, _>(0usize)?;
                    let warpcall_argument_1 = ::warpcall::__private::host_nullable_slice::<
                        f32,
                        _,
                    >(warpcall_call, 1usize)?;
                    let warpcall_argument_2 = warpcall_call.value::<f32>(2usize)?;
                    let warpcall_argument_2 = warpcall_type_2.value(warpcall_argument_2);
                    let warpcall_argument_3 = warpcall_call.value::<u32>(3usize)?;
                    let warpcall_argument_3 = warpcall_type_3.value(warpcall_argument_3);
                    warpcall_host(
                        warpcall_argument_0,
                        warpcall_argument_1,
                        warpcall_argument_2,
                        warpcall_argument_3,
                    )
                })
        });
    static WARPCALL_INSTANCE_1: ::warpcall::Kernel = ::warpcall::Kernel::new(
            ::warpcall::Module::new("scale")
                .with_image(
                    "tests/files/scale.ptx",
                    ::core::include_bytes!(
                        ::core::concat!(::core::env!("CARGO_MANIFEST_DIR"),
                        "/tests/files/scale.ptx")
                    ),
                )
                .with_cpp_names(&["scale<float, 4>", "scale<double>"]),
            "scale<double>",
            &[
                ::warpcall::Parameter::device_mut::<
                    core::primitive::f64,
                >("output", "*mut core::primitive::f64"),
                ::warpcall::Parameter::device_ref::<
                    core::primitive::f64,
                >("input", "*const core::primitive::f64")
                    .nullable(),
                ::warpcall::Parameter::value(
                    "factor",
                    "core::primitive::f64",
                    <core::primitive::f64 as ::warpcall::KernelParam>::DESCRIPTION,
                ),
                ::warpcall::Parameter::value(
                    "n",
                    "u32",
                    <u32 as ::warpcall::KernelParam>::DESCRIPTION,
                ),
            ],
        )
        .with_symbol("_Z5scaleIdLi1EEvPT_PKS0_S0_j")
        .with_host(|warpcall_call| {
            warpcall_call
                .run(|warpcall_call| {
                    fn warpcall_one_argument_for_each_parameter_without_launch<
                        A0,
                        A1,
                        A2,
                        A3,
                        R,
                    >(
                        warpcall_function: impl ::core::ops::FnOnce(A0, A1, A2, A3) -> R,
                        warpcall_value_0: A0,
                        warpcall_value_1: A1,
                        warpcall_value_2: A2,
                        warpcall_value_3: A3,
                    ) -> R {
                        warpcall_function(
                            warpcall_value_0,
                            warpcall_value_1,
                            warpcall_value_2,
                            warpcall_value_3,
                        )
                    }
                    let warpcall_type_2 = ::warpcall::__private::HostType::new();
                    let warpcall_type_3 = ::warpcall::__private::HostType::new();
                    let warpcall_host = |
                        warpcall_argument_0,
                        warpcall_argument_1,
                        warpcall_argument_2,
                        warpcall_argument_3|
                    {
                        warpcall_type_2.is(&warpcall_argument_2);
                        warpcall_type_3.is(&warpcall_argument_3);
                        warpcall_call
                            .outcome(
                                warpcall_one_argument_for_each_parameter_without_launch(
                                    reference::scale::<core::primitive::f64>,
                                    warpcall_argument_0,
                                    warpcall_argument_1,
                                    warpcall_argument_2,
                                    warpcall_argument_3,
                                ),
                            )
                    };
                    let warpcall_argument_0 = warpcall_call
                        .slice_mut::<core::primitive::f64, _>(0usize)?;
                    let warpcall_argument_1 = ::warpcall::__private::host_nullable_slice::<
                        core::primitive::f64,
                        _,
                    >(warpcall_call, 1usize)?;
                    let warpcall_argument_2 = warpcall_call
                        .value::<core::primitive::f64>(2usize)?;
                    let warpcall_argument_2 = warpcall_type_2.value(warpcall_argument_2);
                    let warpcall_argument_3 = warpcall_call.value::<u32>(3usize)?;
                    let warpcall_argument_3 = warpcall_type_3.value(warpcall_argument_3);
                    warpcall_host(
                        warpcall_argument_0,
                        warpcall_argument_1,
                        warpcall_argument_2,
                        warpcall_argument_3,
                    )
                })
        });
    [&WARPCALL_INSTANCE_0, &WARPCALL_INSTANCE_1]
};
/// A type for which the kernel `scale` has an instance: `f32` (`scale<float, 4>`), `core::primitive::f64` (`scale<double>`).
///
/// Code that is generic over the type has this as its bound, and calls [`launch_scale`].
///
/// # Safety
///
/// `KERNEL` takes the declared parameters, with this type in their place.
#[allow(dead_code, clippy::all, clippy::pedantic, non_camel_case_types)]
#[diagnostic::on_unimplemented(
    message = "the kernel `scale` has no instance for `{Self}`",
    label = "no instance for `{Self}`",
    note = "there are instances for `f32` (`scale<float, 4>`), `core::primitive::f64` (`scale<double>`); declare another with `#[instance(\"…\", T = …)]`"
)]
pub unsafe trait ScaleInstance: ::warpcall::KernelParam + ::warpcall::Pod {
    /// The instance.
    const KERNEL: &'static ::warpcall::Kernel;
}
#[diagnostic::do_not_recommend]
unsafe impl ScaleInstance for f32 {
    const KERNEL: &'static ::warpcall::Kernel = SCALE[0usize];
}
#[diagnostic::do_not_recommend]
unsafe impl ScaleInstance for core::primitive::f64 {
    const KERNEL: &'static ::warpcall::Kernel = SCALE[1usize];
}
const _: &[::core::primitive::u8] = ::core::include_bytes!(
    ::core::concat!(::core::env!("CARGO_MANIFEST_DIR"), "/tests/files/scale.cu")
);
