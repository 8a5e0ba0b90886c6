#[allow(clippy::all, clippy::pedantic)]
/// Launches the kernel `kinds` of the module `kinds`.
///
/// # Errors
///
/// `kinds` cannot be resolved, or its launch is refused.
///
/// # Safety
///
/// `kinds` is CUDA code. It must stay inside the memory it is given, with this configuration and these values, and nothing else may use that memory until the stream has run the launch.
#[inline]
#[track_caller]
pub unsafe fn launch_kinds<'memory>(
    stream_: &(impl ::warpcall::AsStream + ?::core::marker::Sized),
    config_: ::warpcall::LaunchConfig,
    read: &(impl ::warpcall::DeviceRef<half::f16> + ?::core::marker::Sized),
    write: &mut (impl ::warpcall::DeviceMut<u64> + ?::core::marker::Sized),
    untyped: &(impl ::warpcall::DeviceRef<::warpcall::Void> + ?::core::marker::Sized),
    untyped_write: &mut (impl ::warpcall::DeviceMut<
        ::warpcall::Void,
    > + ?::core::marker::Sized),
    table: &(impl ::warpcall::DeviceRef<::warpcall::DevicePtr> + ?::core::marker::Sized),
    bias: impl ::core::convert::Into<::warpcall::NullableRef<'memory, f32>>,
    mask: impl ::core::convert::Into<::warpcall::NullableMut<'memory, u8>>,
    flag: bool,
    vector: warpcall::Float4,
    params: Params,
    map: &TensorMap,
) -> ::warpcall::Result<()> {
    let warpcall_call = ::warpcall::__private::Call::new(&KINDS, stream_);
    unsafe {
        warpcall_call
            .submit(
                &config_,
                &[
                    warpcall_call.device_ref::<half::f16>(read),
                    warpcall_call.device_mut::<u64>(write),
                    warpcall_call.device_ref::<::warpcall::Void>(untyped),
                    warpcall_call.device_mut::<::warpcall::Void>(untyped_write),
                    warpcall_call.device_ref::<::warpcall::DevicePtr>(table),
                    warpcall_call.nullable_ref::<f32>(::core::convert::Into::into(bias)),
                    warpcall_call.nullable_mut::<u8>(::core::convert::Into::into(mask)),
                    <bool as ::warpcall::KernelParam>::pack(&flag).arg(),
                    <warpcall::Float4 as ::warpcall::KernelParam>::pack(&vector).arg(),
                    <Params as ::warpcall::KernelParam>::pack(&params).arg(),
                    ::warpcall::__private::tensor_map::<TensorMap>(map),
                ],
            )
    }
}
/// The kernel `kinds` of the module `kinds`, which [`launch_kinds`] launches.
#[allow(dead_code)]
pub static KINDS: ::warpcall::Kernel = ::warpcall::Kernel::new(
    ::warpcall::Module::new("kinds")
        .with_image(
            "tests/files/norm.ptx",
            ::core::include_bytes!(
                ::core::concat!(::core::env!("CARGO_MANIFEST_DIR"),
                "/tests/files/norm.ptx")
            ),
        ),
    "kinds",
    &[
        ::warpcall::Parameter::device_ref::<half::f16>("read", "*const half::f16"),
        ::warpcall::Parameter::device_mut::<u64>("write", "*mut u64"),
        ::warpcall::Parameter::device_ref::<c_void>("untyped", "*const c_void"),
        ::warpcall::Parameter::device_mut::<
            core::ffi::c_void,
        >("untyped_write", "*mut core::ffi::c_void"),
        ::warpcall::Parameter::device_ref::<
            ::warpcall::DevicePtr,
        >("table", "*const *const f32"),
        ::warpcall::Parameter::device_ref::<f32>("bias", "*const f32").nullable(),
        ::warpcall::Parameter::device_mut::<u8>("mask", "*mut u8").nullable(),
        ::warpcall::Parameter::value(
            "flag",
            "bool",
            <bool as ::warpcall::KernelParam>::DESCRIPTION,
        ),
        ::warpcall::Parameter::value(
            "vector",
            "warpcall::Float4",
            <warpcall::Float4 as ::warpcall::KernelParam>::DESCRIPTION,
        ),
        ::warpcall::Parameter::value(
            "params",
            "Params",
            <Params as ::warpcall::KernelParam>::DESCRIPTION,
        ),
        ::warpcall::Parameter::tensor_map("map"),
    ],
);
#[allow(dead_code, clippy::all, clippy::pedantic)]
const _: () = {
    const _: () = {
        const __WARPCALL_FOUND: ::warpcall::ParameterDescription = <Params as ::warpcall::KernelParam>::DESCRIPTION;
        const __WARPCALL_MESSAGE: ::warpcall::__private::proof::Message = ::warpcall::__private::proof::value(
            &__WARPCALL_FOUND,
            12,
            4,
            ::warpcall::__private::proof::ImageClass::Bytes,
            ::warpcall::__private::proof::Subject {
                head: "parameter `params` is declared `Params`",
                expected: "`kinds` takes a value of 12 bytes aligned to 4 (the image tests/files/norm.ptx for sm_75)",
            },
        );
        if !__WARPCALL_MESSAGE.is_empty() {
            ::core::panic!("{}", __WARPCALL_MESSAGE.text())
        }
    };
};
