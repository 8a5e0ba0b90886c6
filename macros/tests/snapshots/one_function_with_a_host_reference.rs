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
    stream: &(impl crate::gpu::AsStream + ?::core::marker::Sized),
    config: crate::gpu::LaunchConfig,
    x: &mut (impl crate::gpu::DeviceMut<f32> + ?::core::marker::Sized),
    raw: &mut (impl crate::gpu::DeviceMut<crate::gpu::Void> + ?::core::marker::Sized),
    bias: impl ::core::convert::Into<crate::gpu::NullableRef<'memory, f32>>,
    map: &TensorMap,
    factor: f32,
) -> crate::gpu::Result<()> {
    let call = crate::gpu::__private::Call::new(&SCALE, stream);
    unsafe {
        call.submit(
            &config,
            &[
                call.device_mut::<f32>(x),
                call.device_mut::<crate::gpu::Void>(raw),
                call.nullable_ref::<f32>(::core::convert::Into::into(bias)),
                crate::gpu::__private::tensor_map(map),
                <f32 as crate::gpu::KernelParam>::pack(&factor).arg(),
            ],
        )
    }
}
#[cfg(feature = "gpu")]
/// The kernel `scale` of the module `m`, which [`launch_scale`] launches.
#[allow(dead_code)]
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
    .with_host(|call| {
        call
            .run(|call| {
                let argument_0 = call.slice_mut::<f32, _>(0usize)?;
                let argument_1 = call.slice_mut::<::core::primitive::u8, _>(1usize)?;
                let argument_2 = call.nullable_slice::<f32, _>(2usize)?;
                let argument_3 = call.tensor_map(3usize)?;
                let argument_4 = call.value::<f32>(4usize)?;
                call.outcome(
                    reference::scale(
                        call.launch(),
                        argument_0,
                        argument_1,
                        argument_2,
                        argument_3,
                        argument_4,
                    ),
                )
            })
    });
