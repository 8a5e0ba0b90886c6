#[allow(clippy::all, clippy::pedantic)]
#[cfg(feature = "gpu")]
/// Launches the kernel `convert` of the module `m`.
///
/// The types of the arguments choose the instance, among those that [`ConvertInstance`] is implemented for.
///
/// # Errors
///
/// `convert` cannot be resolved, or its launch is refused.
///
/// # Safety
///
/// `convert` is CUDA code. It must stay inside the memory it is given, with this configuration and these values, and nothing else may use that memory until the stream has run the launch.
#[inline]
#[track_caller]
pub(crate) unsafe fn launch_convert<T: ConvertInstance<U>, U: ::warpcall::KernelParam>(
    stream_: &(impl ::warpcall::AsStream + ?::core::marker::Sized),
    config_: ::warpcall::LaunchConfig,
    output: &mut (impl ::warpcall::ElementMut<U> + ?::core::marker::Sized),
    input: &(impl ::warpcall::ElementRef<T> + ?::core::marker::Sized),
    zero: U,
    table: &(impl ::warpcall::ElementRef<[T; 4]> + ?::core::marker::Sized),
) -> ::warpcall::Result<()> {
    let warpcall_call = ::warpcall::__private::Call::new(
        <T as ConvertInstance<U>>::KERNEL,
        stream_,
    );
    unsafe {
        warpcall_call
            .submit(
                &config_,
                &[
                    warpcall_call.device_mut::<U>(output),
                    warpcall_call.device_ref::<T>(input),
                    <U as ::warpcall::KernelParam>::pack(&zero).arg(),
                    warpcall_call.device_ref::<[T; 4]>(table),
                ],
            )
    }
}
#[cfg(feature = "gpu")]
/// The instances of the kernel `convert` of the module `m`, one of which [`launch_convert`] launches: `f32` and `i32` (`convert<float, int>`), `i32` and `f32` (`convert<int, float>`).
#[allow(dead_code)]
pub(crate) static CONVERT: [&::warpcall::Kernel; 2usize] = {
    static WARPCALL_INSTANCE_0: ::warpcall::Kernel = ::warpcall::Kernel::new(
        ::warpcall::Module::new("m")
            .with_cpp_names(&["convert<float, int>", "convert<int, float>"]),
        "convert<float, int>",
        &[
            ::warpcall::Parameter::device_mut::<i32>("output", "*mut i32"),
            ::warpcall::Parameter::device_ref::<f32>("input", "*const f32"),
            ::warpcall::Parameter::value(
                "zero",
                "i32",
                <i32 as ::warpcall::KernelParam>::DESCRIPTION,
            ),
            ::warpcall::Parameter::device_ref::<[f32; 4]>("table", "*const [f32; 4]"),
        ],
    );
    static WARPCALL_INSTANCE_1: ::warpcall::Kernel = ::warpcall::Kernel::new(
        ::warpcall::Module::new("m")
            .with_cpp_names(&["convert<float, int>", "convert<int, float>"]),
        "convert<int, float>",
        &[
            ::warpcall::Parameter::device_mut::<f32>("output", "*mut f32"),
            ::warpcall::Parameter::device_ref::<i32>("input", "*const i32"),
            ::warpcall::Parameter::value(
                "zero",
                "f32",
                <f32 as ::warpcall::KernelParam>::DESCRIPTION,
            ),
            ::warpcall::Parameter::device_ref::<[i32; 4]>("table", "*const [i32; 4]"),
        ],
    );
    [&WARPCALL_INSTANCE_0, &WARPCALL_INSTANCE_1]
};
#[cfg(feature = "gpu")]
/// A type for which the kernel `convert` has an instance: `f32` and `i32` (`convert<float, int>`), `i32` and `f32` (`convert<int, float>`).
///
/// Code that is generic over the type has this as its bound, and calls [`launch_convert`].
///
/// # Safety
///
/// `KERNEL` takes the declared parameters, with this type in their place.
#[allow(dead_code, clippy::all, clippy::pedantic, non_camel_case_types)]
#[diagnostic::on_unimplemented(
    message = "the kernel `convert` has no instance for `{Self}` and `{U}`",
    label = "no instance for `{Self}` and `{U}`",
    note = "there are instances for `f32` and `i32` (`convert<float, int>`), `i32` and `f32` (`convert<int, float>`); declare another with `#[instance(\"…\", T = …)]`"
)]
pub(crate) unsafe trait ConvertInstance<U>: ::warpcall::Pod {
    /// The instance.
    const KERNEL: &'static ::warpcall::Kernel;
}
#[cfg(feature = "gpu")]
#[diagnostic::do_not_recommend]
unsafe impl ConvertInstance<i32> for f32 {
    const KERNEL: &'static ::warpcall::Kernel = CONVERT[0usize];
}
#[cfg(feature = "gpu")]
#[diagnostic::do_not_recommend]
unsafe impl ConvertInstance<f32> for i32 {
    const KERNEL: &'static ::warpcall::Kernel = CONVERT[1usize];
}
