::core::compile_error! {
    "kernel `scale` is generic over `T`, but no `#[instance]` says for which types it is compiled\nhelp: write `#[instance(\"scale<float>\", T = f32)]` for each type that it is compiled for"
}
#[cfg(unix)]
#[allow(unused, missing_docs, non_snake_case, clippy::all, clippy::pedantic)]
pub unsafe fn launch_scale<'memory, T, U>(
    _: &(impl ::warpcall::AsStream + ?::core::marker::Sized),
    _: ::warpcall::LaunchConfig,
    _: &mut (impl ::warpcall::ElementMut<T> + ?::core::marker::Sized),
    _: &(impl ::warpcall::ElementRef<U> + ?::core::marker::Sized),
    _: T,
) -> ::warpcall::Result<()> {
    loop {}
}
#[cfg(unix)]
#[allow(unused, missing_docs, non_upper_case_globals)]
pub static SCALE: [&::warpcall::Kernel; 0] = [];
#[cfg(unix)]
#[allow(unused, missing_docs, clippy::all, clippy::pedantic)]
pub unsafe trait ScaleInstance<U> {
    const KERNEL: &'static ::warpcall::Kernel;
}
#[cfg(unix)]
#[allow(non_camel_case_types)]
unsafe impl<warpcall_Any: ?::core::marker::Sized, U> ScaleInstance<U> for warpcall_Any {
    const KERNEL: &'static ::warpcall::Kernel = loop {};
}
