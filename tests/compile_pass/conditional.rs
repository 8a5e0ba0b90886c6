//! Attributes of a declaration hold of what it generates.
#![deny(warnings)]
#![allow(clippy::non_minimal_cfg)]

#[warpcall::kernel(module = "conditional")]
unsafe extern "C" {
    #[cfg(any())]
    pub unsafe fn absent(x: DoesNotExist);
    #[cfg(all())]
    pub unsafe fn either(x: u32);
    #[cfg(not(all()))]
    pub unsafe fn either(x: u64);
    #[cfg_attr(all(), cfg(any()))]
    pub unsafe fn absent_by_attribute(x: DoesNotExist);
    #[deprecated = "use `either`"]
    pub unsafe fn old(x: u32);
    #[doc(hidden)]
    pub unsafe fn hidden();
    #[allow(unused)]
    unsafe fn unused_and_private();
    pub(super) unsafe fn seen_by_the_parent();
}

#[warpcall::kernel(module = "conditional")]
#[cfg(any())]
unsafe extern "C" {
    pub unsafe fn absent(x: DoesNotExist);
}

#[derive(Clone, Copy, warpcall::KernelParam)]
#[repr(C)]
pub struct Fields {
    #[cfg(any())]
    pub absent: DoesNotExist,
    pub present: u32,
}
