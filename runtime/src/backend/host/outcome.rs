/// What a host function may return: nothing, or a `Result` of nothing.
///
/// The error is whatever converts into [`anyhow::Error`]: that, [`warpcall::Error`](crate::Error), or an error type of the function's own.
/// The launch, or the call that waits for it, returns it as
/// [`Error::HostFunctionFailed`](crate::Error::HostFunctionFailed), which names the kernel.
///
/// ```
/// use warpcall::{Error, Gpu, Kernel, KernelLaunch, Module, Parameter};
///
/// fn invert(values: &mut [f32]) -> anyhow::Result<()> {
///     for value in values {
///         anyhow::ensure!(*value != 0.0, "zero has no inverse");
///         *value = 1.0 / *value;
///     }
///     Ok(())
/// }
///
/// static INVERT: Kernel = Kernel::new(
///     Module::new("invert"),
///     "invert",
///     &[Parameter::device_mut::<f32>("values", "*mut f32")],
/// )
/// .with_host(|call| call.run(|call| call.outcome(invert(call.slice_mut::<f32, _>(0)?))));
///
/// let gpu = Gpu::host()?;
/// let mut values = gpu.zeros::<f32>(4)?;
/// // SAFETY: `invert` writes what it is given.
/// let launched = unsafe {
///     KernelLaunch::new(&*gpu, INVERT.resolve(&*gpu)?).arg_ptr(&mut values).launch(&gpu.default_stream())
/// };
/// let error = launched.unwrap_err();
/// assert!(matches!(error, Error::HostFunctionFailed { .. }));
/// assert_eq!(error.to_string(), "kernel `invert`: its host function failed: zero has no inverse");
/// # Ok::<(), Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "a host function cannot return `{Self}`",
    label = "returns `{Self}`, where a kernel returns nothing",
    note = "a host function returns `()`, or `Result<(), E>` where `E` converts into `anyhow::Error`; results go into the memory that the kernel writes"
)]
pub trait HostOutcome {
    /// As a result.
    ///
    /// # Errors
    ///
    /// That of the function.
    fn into_result(self) -> anyhow::Result<()>;
}

impl HostOutcome for () {
    #[inline]
    fn into_result(self) -> anyhow::Result<()> {
        Ok(())
    }
}

impl<E: Into<anyhow::Error>> HostOutcome for Result<(), E> {
    fn into_result(self) -> anyhow::Result<()> {
        self.map_err(Into::into)
    }
}
