#[allow(clippy::all, clippy::pedantic)]
#[cfg(feature = "gpu")]
#[deprecated]
/// Scales.
///
/// # Safety
///
/// `x` holds as many elements as the grid has threads.
///
/// # Errors
///
/// `scale` cannot be resolved, or its launch is refused.
#[inline]
#[track_caller]
pub(crate) unsafe fn launch_scale<'memory>(
    stream_: &(impl crate::gpu::AsStream + ?::core::marker::Sized),
    config_: crate::gpu::LaunchConfig,
    x: &mut (impl crate::gpu::DeviceMut<f32> + ?::core::marker::Sized),
    raw: &mut (impl crate::gpu::DeviceMut<crate::gpu::Void> + ?::core::marker::Sized),
    bias: impl ::core::convert::Into<crate::gpu::NullableRef<'memory, f32>>,
    map: &TensorMap,
    factor: f32,
) -> crate::gpu::Result<()> {
    let warpcall_call = crate::gpu::__private::Call::new(&SCALE, stream_);
    unsafe {
        warpcall_call
            .submit(
                &config_,
                &[
                    warpcall_call.device_mut::<f32>(x),
                    warpcall_call.device_mut::<crate::gpu::Void>(raw),
                    warpcall_call.nullable_ref::<f32>(::core::convert::Into::into(bias)),
                    crate::gpu::__private::tensor_map::<TensorMap>(map),
                    <f32 as crate::gpu::KernelParam>::pack(&factor).arg(),
                ],
            )
    }
}
#[cfg(feature = "gpu")]
/// The kernel `scale` of the module `m`, which [`launch_scale`] launches.
#[allow(dead_code, clippy::all, clippy::pedantic)]
pub(crate) static SCALE: crate::gpu::Kernel = crate::gpu::Kernel::new(
        crate::gpu::Module::new("m"),
        "_Z5scalePfPKvf",
        &[
            crate::gpu::Parameter::device_mut::<f32>("x", "*mut f32"),
            crate::gpu::Parameter::device_mut::<c_void>("raw", "*mut c_void"),
            crate::gpu::Parameter::device_ref::<f32>("bias", "*const f32").nullable(),
            crate::gpu::Parameter::tensor_map("map"),
            crate::gpu::Parameter::value(
                "factor",
                "f32",
                <f32 as crate::gpu::KernelParam>::DESCRIPTION,
            ),
        ],
    )
    .with_host(|warpcall_call| {
        warpcall_call
            .run(|warpcall_call| {
                fn warpcall_one_argument_for_each_parameter_after_launch<
                    A0,
                    A1,
                    A2,
                    A3,
                    A4,
                    A5,
                    R,
                >(
                    warpcall_function: impl ::core::ops::FnOnce(
                        A0,
                        A1,
                        A2,
                        A3,
                        A4,
                        A5,
                    ) -> R,
                    warpcall_value_0: A0,
                    warpcall_value_1: A1,
                    warpcall_value_2: A2,
                    warpcall_value_3: A3,
                    warpcall_value_4: A4,
                    warpcall_value_5: A5,
                ) -> R {
                    warpcall_function(
                        warpcall_value_0,
                        warpcall_value_1,
                        warpcall_value_2,
                        warpcall_value_3,
                        warpcall_value_4,
                        warpcall_value_5,
                    )
                }
                let warpcall_type_3 = crate::gpu::__private::HostType::new();
                let warpcall_type_4 = crate::gpu::__private::HostType::new();
                let warpcall_host = |
                    warpcall_argument_0,
                    warpcall_argument_1,
                    warpcall_argument_2,
                    warpcall_argument_3,
                    warpcall_argument_4|
                {
                    warpcall_type_3.is(&warpcall_argument_3);
                    warpcall_type_4.is(&warpcall_argument_4);
                    warpcall_call
                        .outcome(
                            warpcall_one_argument_for_each_parameter_after_launch(
                                reference::scale,
                                warpcall_call.launch(),
                                warpcall_argument_0,
                                warpcall_argument_1,
                                warpcall_argument_2,
                                warpcall_argument_3,
                                warpcall_argument_4,
                            ),
                        )
                };
                let warpcall_argument_0 = warpcall_call.slice_mut::<f32, _>(0usize)?;
                let warpcall_argument_1 = warpcall_call
                    .slice_mut::<::core::primitive::u8, _>(1usize)?;
                let warpcall_argument_2 = crate::gpu::__private::host_nullable_slice::<
                    f32,
                    _,
                >(warpcall_call, 2usize)?;
                let warpcall_argument_3 = warpcall_call.tensor_map(3usize)?;
                let warpcall_argument_3 = warpcall_type_3
                    .tensor_map(warpcall_argument_3);
                let warpcall_argument_4 = warpcall_call.value::<f32>(4usize)?;
                let warpcall_argument_4 = warpcall_type_4.value(warpcall_argument_4);
                warpcall_host(
                    warpcall_argument_0,
                    warpcall_argument_1,
                    warpcall_argument_2,
                    warpcall_argument_3,
                    warpcall_argument_4,
                )
            })
    });
