//! Declarations that a macro of the user's writes.
#![deny(warnings)]

macro_rules! unary {
    ($module:literal, $name:ident, $element:ty, $pointer:ty, $symbol:literal) => {
        #[warpcall::kernel(module = $module)]
        unsafe extern "C" {
            #[link_name = $symbol]
            pub unsafe fn $name(
                n: usize,
                x: *const $element,
                y: $pointer,
                #[nullable] z: $pointer,
                last: $element,
            );
        }
    };
}

unary!("unary", uexp_f32, f32, *mut f32, "uexp_f32");
unary!("unary", uexp_f16, half::f16, *mut half::f16, "uexp_half");

/// In a function.
pub fn inside_a_function() -> &'static warpcall::Kernel {
    #[warpcall::kernel(module = "local")]
    unsafe extern "C" {
        unsafe fn local(n: u32);
    }
    fn launch(stream: &warpcall::StreamRef<'_>) -> warpcall::Result<()> {
        // SAFETY: never called.
        unsafe { launch_local(stream, warpcall::LaunchConfig::new(1, 1), 1) }
    }
    let _ = launch;
    &LOCAL
}
