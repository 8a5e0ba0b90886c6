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
        mod __warpcall {}
        const _: () = {
            const FOUND: ::warpcall::ParameterDescription = <Params as ::warpcall::KernelParam>::DESCRIPTION;
            const FIELDS: &[::warpcall::FieldDescription] = match FOUND.kind {
                ::warpcall::ParameterKind::Struct { fields, .. } => fields,
                _ => &[],
            };
            const ALL: [__warpcall::Found; FIELDS.len()] = {
                let mut all = [const { __warpcall::Found::NONE }; FIELDS.len()];
                let mut index = 0;
                while index < FIELDS.len() {
                    let ::warpcall::FieldDescription {
                        name,
                        rust_type,
                        offset,
                        size,
                        ..
                    } = FIELDS[index];
                    all[index] = __warpcall::Found {
                        name,
                        rust_type,
                        offset,
                        size,
                    };
                    index += 1;
                }
                all
            };
            const EXPECTED: &[__warpcall::Expected] = &[
                __warpcall::Expected {
                    name: "rows",
                    words: &["u32"],
                    offset: 0,
                    size: 4,
                    shown: "`unsigned int rows` at offset 0, in the struct at tests/files/bound.cu:1",
                    remedy: "; write `rows: u32`",
                },
                __warpcall::Expected {
                    name: "scale",
                    words: &["f32"],
                    offset: 4,
                    size: 4,
                    shown: "`float scale` at offset 4, in the struct at tests/files/bound.cu:1",
                    remedy: "; write `scale: f32`",
                },
            ];
            const DIFFERENCE: __warpcall::Difference = __warpcall::difference(
                &ALL,
                EXPECTED,
            );
            const WORDS: [&::core::primitive::str; 9] = __warpcall::words(
                &DIFFERENCE,
                &ALL,
                EXPECTED,
                "Params",
                "`scale_rows` takes `Params params` (tests/files/bound.cu:4)",
            );
            const TEXT: [::core::primitive::u8; __warpcall::length(&WORDS)] = __warpcall::join(
                &WORDS,
            );
            if !TEXT.is_empty() {
                ::core::panic!("{}", __warpcall::text(& TEXT))
            }
            if !((FOUND.size == 8 && FOUND.align == 4)) {
                const SIZE: [::core::primitive::u8; __warpcall::digits(FOUND.size)] = __warpcall::decimal(
                    FOUND.size,
                );
                const ALIGN: [::core::primitive::u8; __warpcall::digits(FOUND.align)] = __warpcall::decimal(
                    FOUND.align,
                );
                const PARTS: [&::core::primitive::str; 5] = [
                    "parameter `params` is declared `Params`, which has ",
                    __warpcall::text(&SIZE),
                    " bytes aligned to ",
                    __warpcall::text(&ALIGN),
                    ", but `scale_rows` takes `Params params` (tests/files/bound.cu:4), 8 bytes aligned to 4",
                ];
                const MESSAGE: [::core::primitive::u8; __warpcall::length(&PARTS)] = __warpcall::join(
                    &PARTS,
                );
                ::core::panic!("{}", __warpcall::text(& MESSAGE))
            }
        };
    };
    const _: () = {
        #[deprecated(
            note = "1 kernel of tests/files/bound.cu cannot be bound\n  `fill` (tests/files/bound.cu:7): it is a template: declare its instances in an `extern \"C\"` block, as in `#[instance(\"fill<float, 4>\")]`\n`skip(\"…\")` in the attribute leaves a kernel out without a word"
        )]
        const NOT_BOUND: () = ();
        NOT_BOUND
    };
}
