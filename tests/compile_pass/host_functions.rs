//! Kernels with the function that the host backend runs, in every form such a function can have.
#![deny(warnings, clippy::all, clippy::pedantic)]
#![allow(clippy::needless_pass_by_value)]

use std::{cell::Cell, ffi::c_void};

use warpcall::{HostLaunch, KernelParam, TensorMap, kernel};

/// A parameter by value.
#[derive(Clone, Copy, Debug, KernelParam)]
#[repr(C)]
pub struct Params {
    /// One of its fields.
    pub factor: f32,
}

/// The functions, in a module of their own.
pub mod reference {
    use super::{Cell, HostLaunch, Params, TensorMap};

    /// Every kind of parameter.
    #[allow(clippy::too_many_arguments, clippy::missing_panics_doc)]
    pub fn every_kind(
        read: &[f32],
        write: &mut [f32],
        untyped: &[u8],
        bias: Option<&[f32]>,
        mask: Option<&mut [u32]>,
        params: Params,
        map: &TensorMap,
        count: usize,
    ) {
        let bias = bias.map_or(0.0, |bias| bias[0]);
        if let Some(mask) = mask {
            mask[0] = u32::from(untyped[0]);
        }
        assert_eq!(map.slots().len(), 16);
        for (write, read) in write.iter_mut().zip(read).take(count) {
            *write = read * params.factor + bias;
        }
    }

    /// Memory that both parameters reach, and the launch.
    pub fn in_place<T: Copy>(_launch: &HostLaunch<'_>, write: &[Cell<T>], read: &[Cell<T>]) {
        write[0].set(read[0].get());
    }
}

#[kernel(module = "host_functions")]
unsafe extern "C" {
    /// Plain.
    #[host(reference::every_kind)]
    pub unsafe fn every_kind(
        read: *const f32,
        write: *mut f32,
        untyped: *const c_void,
        #[nullable] bias: *const f32,
        #[nullable] mask: *mut u32,
        params: Params,
        map: TensorMap,
        count: usize,
    );

    /// With the launch, and a parameter called like what is generated.
    #[host(reference::in_place::<f64>, launch)]
    pub unsafe fn in_place(call: *mut f64, launch: *const f64);

    /// Without parameters.
    #[host(core::hint::spin_loop)]
    pub unsafe fn nothing();
}
