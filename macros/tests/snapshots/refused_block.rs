::core::compile_error! {
    "kernel `right` is declared `safe`, but that takes contracts on lengths and geometry, which are not supported yet\nhelp: declare it `unsafe fn`; its caller vouches for them"
}
::core::compile_error! {
    "parameter `x` of `wrong` is `&[f32]`, a Rust slice, but a kernel sees device memory through a pointer\nhelp: write `*const f32`"
}
#[allow(unused, missing_docs, non_snake_case, clippy::all, clippy::pedantic)]
pub unsafe fn launch_wrong<'memory>(
    _: &(impl ::warpcall::AsStream + ?::core::marker::Sized),
    _: ::warpcall::LaunchConfig,
    _: impl ::core::marker::Sized,
    _: &mut (impl ::warpcall::DeviceMut<f32> + ?::core::marker::Sized),
    _: impl ::core::convert::Into<::warpcall::NullableRef<'memory, f32>>,
    _: u32,
) -> ::warpcall::Result<()> {
    loop {}
}
#[allow(unused, missing_docs, non_upper_case_globals)]
pub static WRONG: ::warpcall::Kernel = ::warpcall::Kernel::new(
    ::warpcall::Module::new("wrong"),
    "wrong",
    &[],
);
#[allow(unused, missing_docs, non_snake_case, clippy::all, clippy::pedantic)]
pub fn launch_right<'memory>(
    _: &(impl ::warpcall::AsStream + ?::core::marker::Sized),
    _: ::warpcall::LaunchConfig,
    _: u32,
) -> ::warpcall::Result<()> {
    loop {}
}
#[allow(unused, missing_docs, non_upper_case_globals)]
pub static RIGHT: ::warpcall::Kernel = ::warpcall::Kernel::new(
    ::warpcall::Module::new("right"),
    "right",
    &[],
);
