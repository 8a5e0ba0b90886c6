/// Elementwise.
///
/// The kernels of `tests/files/bound.cu`.
///
/// # Not bound
///
/// - `fill` (tests/files/bound.cu:7): it is a template: declare its instances in an `extern "C"` block, as in `#[instance("fill<float, 4>")]`
pub(crate) mod elementwise {
    use super::Params;
    #[allow(clippy::all, clippy::pedantic)]
    #[allow(dead_code, unreachable_pub, rustdoc::all)]
    #[cfg_attr(
        not(doctest),
        doc = " Scales each row.\n\n In CUDA it is `scale_rows(float* values, const float* by, Params params)` (tests/files/bound.cu:4)."
    )]
    ///
    /// # Errors
    ///
    /// `scale_rows` cannot be resolved, or its launch is refused.
    ///
    /// # Safety
    ///
    /// `scale_rows` is CUDA code. It must stay inside the memory it is given, with this configuration and these values, and nothing else may use that memory until the stream has run the launch.
    #[inline]
    #[track_caller]
    pub unsafe fn launch_scale_rows(
        stream_: &(impl ::warpcall::AsStream + ?::core::marker::Sized),
        config_: ::warpcall::LaunchConfig,
        values: &mut (impl ::warpcall::DeviceMut<
            ::core::primitive::f32,
        > + ?::core::marker::Sized),
        by: &(impl ::warpcall::DeviceRef<
            ::core::primitive::f32,
        > + ?::core::marker::Sized),
        params: Params,
    ) -> ::warpcall::Result<()> {
        let warpcall_call = ::warpcall::__private::Call::new(&SCALE_ROWS, stream_);
        unsafe {
            warpcall_call
                .submit(
                    &config_,
                    &[
                        warpcall_call.device_mut::<::core::primitive::f32>(values),
                        warpcall_call.device_ref::<::core::primitive::f32>(by),
                        <Params as ::warpcall::KernelParam>::pack(&params).arg(),
                    ],
                )
        }
    }
    #[allow(dead_code, unreachable_pub, rustdoc::all)]
    /// The kernel `scale_rows` of the module `bound`, which [`launch_scale_rows`] launches.
    #[allow(dead_code)]
    pub static SCALE_ROWS: ::warpcall::Kernel = ::warpcall::Kernel::new(
        ::warpcall::Module::new("bound")
            .with_source(
                "tests/files/bound.cu",
                ::core::include_str!(
                    ::core::concat!(::core::env!("CARGO_MANIFEST_DIR"),
                    "/tests/files/bound.cu")
                ),
            ),
        "scale_rows",
        &[
            ::warpcall::Parameter::device_mut::<
                ::core::primitive::f32,
            >("values", "*mut f32"),
            ::warpcall::Parameter::device_ref::<
                ::core::primitive::f32,
            >("by", "*const f32"),
            ::warpcall::Parameter::value(
                "params",
                "Params",
                <Params as ::warpcall::KernelParam>::DESCRIPTION,
            ),
        ],
    );
    #[allow(dead_code, clippy::all, clippy::pedantic)]
    const _: () = {
        const _: () = {
            const __WARPCALL_FOUND: ::warpcall::ParameterDescription = <Params as ::warpcall::KernelParam>::DESCRIPTION;
            {
                const __WARPCALL_MESSAGE: ::warpcall::__private::proof::Message = ::warpcall::__private::proof::structure(
                    &__WARPCALL_FOUND,
                    &[
                        ::warpcall::__private::proof::Expected {
                            name: "rows",
                            words: &["u32"],
                            extents: &[],
                            offset: 0,
                            size: 4,
                            shown: "`unsigned int rows` at offset 0, in the struct at tests/files/bound.cu:1",
                            remedy: "; write `rows: u32`",
                            members: &[],
                        },
                        ::warpcall::__private::proof::Expected {
                            name: "scale",
                            words: &["f32"],
                            extents: &[],
                            offset: 4,
                            size: 4,
                            shown: "`float scale` at offset 4, in the struct at tests/files/bound.cu:1",
                            remedy: "; write `scale: f32`",
                            members: &[],
                        },
                    ],
                    "Params",
                    "`scale_rows` takes `Params params` (tests/files/bound.cu:4)",
                );
                if !__WARPCALL_MESSAGE.is_empty() {
                    ::core::panic!("{}", __WARPCALL_MESSAGE.text())
                }
            }
            const __WARPCALL_MESSAGE: ::warpcall::__private::proof::Message = ::warpcall::__private::proof::layout(
                __WARPCALL_FOUND.size,
                __WARPCALL_FOUND.align,
                &[(8, 4)],
                ::warpcall::__private::proof::Subject {
                    head: "parameter `params` is declared `Params`",
                    expected: "`scale_rows` takes `Params params` (tests/files/bound.cu:4), 8 bytes aligned to 4",
                },
            );
            if !__WARPCALL_MESSAGE.is_empty() {
                ::core::panic!("{}", __WARPCALL_MESSAGE.text())
            }
        };
    };
    const _: () = {
        #[deprecated(
            note = "1 kernel of tests/files/bound.cu cannot be bound\n  `fill` (tests/files/bound.cu:7): it is a template: declare its instances in an `extern \"C\"` block, as in `#[instance(\"fill<float, 4>\")]`\n`skip(\"…\")` in the attribute leaves a kernel out without a word\nnothing is deprecated: it is the lint by which `#[kernel]` can warn, and `#[allow(deprecated)]` on the module silences it"
        )]
        const NOT_BOUND: () = ();
        NOT_BOUND
    };
}
