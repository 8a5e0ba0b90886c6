#[allow(clippy::all, clippy::pedantic)]
#[cfg(unix)]
#[allow(non_upper_case_globals)]
#[doc(hidden)]
#[expect(clippy::missing_errors_doc)]
#[cfg_attr(test, must_use)]
/// Launches the kernel `a` of the module `m`.
///
/// # Errors
///
/// `a` cannot be resolved, or its launch is refused.
///
/// # Safety
///
/// `a` is CUDA code. It must stay inside the memory it is given, with this configuration and these values, and nothing else may use that memory until the stream has run the launch.
#[inline]
#[track_caller]
unsafe fn launch_a(
    stream_: &(impl ::warpcall::AsStream + ?::core::marker::Sized),
    config_: ::warpcall::LaunchConfig,
) -> ::warpcall::Result<()> {
    let warpcall_call = ::warpcall::__private::Call::new(&A, stream_);
    unsafe { warpcall_call.submit(&config_, &[]) }
}
#[cfg(unix)]
#[allow(non_upper_case_globals)]
#[doc(hidden)]
/// The kernel `a` of the module `m`, which [`launch_a`] launches.
#[allow(dead_code)]
static A: ::warpcall::Kernel = ::warpcall::Kernel::new(
    ::warpcall::Module::new("m"),
    "a",
    &[],
);
#[allow(clippy::all, clippy::pedantic)]
#[cfg(unix)]
#[allow(non_upper_case_globals)]
/// Launches the kernel `b` of the module `m`.
///
/// # Errors
///
/// `b` cannot be resolved, or its launch is refused.
///
/// # Safety
///
/// `b` is CUDA code. It must stay inside the memory it is given, with this configuration and these values, and nothing else may use that memory until the stream has run the launch.
#[inline]
#[track_caller]
unsafe fn launch_b(
    stream_: &(impl ::warpcall::AsStream + ?::core::marker::Sized),
    config_: ::warpcall::LaunchConfig,
) -> ::warpcall::Result<()> {
    let warpcall_call = ::warpcall::__private::Call::new(&B, stream_);
    unsafe { warpcall_call.submit(&config_, &[]) }
}
#[cfg(unix)]
#[allow(non_upper_case_globals)]
/// The kernel `b` of the module `m`, which [`launch_b`] launches.
#[allow(dead_code)]
static B: ::warpcall::Kernel = ::warpcall::Kernel::new(
    ::warpcall::Module::new("m"),
    "b",
    &[],
);
