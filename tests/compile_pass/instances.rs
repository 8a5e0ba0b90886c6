//! Families where a user may write one: under lints, with a visibility, under conditions, in another crate's name.

#![allow(missing_docs)]

pub mod gpu {
    pub use warpcall::*;
}

pub struct Marker;

pub mod inner {
    use super::gpu::kernel;

    pub type Element = f32;

    #[kernel(module = "m", crate = crate::instances::gpu)]
    unsafe extern "C" {
        /// Of a type by another name, and of a path.
        #[instance("fill<float>", T = Element)]
        #[instance("fill<double>", T = core::primitive::f64)]
        pub(crate) unsafe fn fill<T>(values: *mut T, #[nullable] mask: *const [T; 4], value: T);

        #[cfg(any())]
        #[instance("fill<Missing>", T = Missing)]
        pub unsafe fn missing<T>(values: *mut T);

        /// The type is not passed by value, so it need not be a parameter.
        #[instance("clear<Marker>", T = super::Marker)]
        pub unsafe fn clear<T>(values: *mut T, n: u32);

        /// No argument says what `T` is.
        #[instance("warm_up<float, int>", T = f32, U = i32)]
        #[instance("warm_up<int, float>", T = i32, U = f32)]
        #[allow(non_camel_case_types)]
        unsafe fn warm_up<T, U>(n: u32);
    }

    /// Uses it all.
    pub fn names() -> Vec<&'static str> {
        let call = |stream: &super::gpu::Stream| {
            // SAFETY: it is not called.
            unsafe { launch_warm_up::<f32, i32>(stream, super::gpu::LaunchConfig::new(1, 1), 1) }
        };
        let _ = call;
        let all = FILL.iter().chain(&CLEAR).chain(&WARM_UP);
        all.map(|kernel| kernel.name()).collect()
    }
}

/// A bound in another module.
pub(crate) fn kernel_of<T: inner::FillInstance>() -> &'static gpu::Kernel {
    T::KERNEL
}
