//! Kernels declared by their names in C++, each three times: with the source alone, with the source and an image, and
//! with neither.

#![allow(dead_code, missing_docs, unreachable_pub)]

use std::ops::Mul;

use warpcall::{HostLaunch, KernelParam};

/// A struct as the type of an instance.
#[derive(Clone, Copy, Debug, Default, PartialEq, KernelParam, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct Pair {
    pub a: f32,
    pub b: f32,
}

impl Mul for Pair {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        Self { a: self.a * other.a, b: self.b * other.b }
    }
}

#[derive(Clone, Copy, Debug, KernelParam)]
#[repr(C)]
pub struct Range {
    pub first: u32,
    pub count: u32,
}

macro_rules! declarations {
    ($($arguments:tt)+) => {
        use warpcall::kernel;

        use super::{Pair, Range, on_the_host};

        #[kernel($($arguments)+)]
        unsafe extern "C" {
            /// `output[i] = factor * input[i]` for every `i < n`.
            #[instance("scale<float>", T = f32)]
            #[instance("scale<double>", T = f64)]
            #[instance("scale<Pair,2>", T = Pair)]
            #[host(on_the_host::scale)]
            pub unsafe fn scale<T>(output: *mut T, input: *const T, factor: T, n: u32);

            #[instance("scale<float, 4>")]
            #[host(on_the_host::scale)]
            pub unsafe fn scale_by_4(output: *mut f32, input: *const f32, factor: f32, n: u32);

            #[instance("scale<int, 3>")]
            #[host(on_the_host::scale_and_1)]
            pub unsafe fn scale_special(
                output: *mut i32,
                input: *const i32,
                factor: i32,
                #[name = "count"] n: u32,
            );

            #[instance("sum<float>", T = f32, Total = f32)]
            #[instance("sum<double>", T = f64, Total = f64)]
            #[host(on_the_host::sum::<T, Total>)]
            pub unsafe fn sum<T, Total>(total: *mut Total, values: *const T, range: Range);

            #[instance("rounding::to_int<Rounding::Down>")]
            #[host(on_the_host::floor, launch)]
            pub unsafe fn floor(output: *mut i32, input: *const f32, n: u32);

            #[instance("plain::fill")]
            #[host(on_the_host::fill)]
            pub unsafe fn fill(values: *mut f32, value: f32, n: u32);
        }
    };
}

/// Compiled by NVRTC.
pub mod of_source {
    declarations!(module = "instances_of_source", source = "cuda/instances.cu");

    #[kernel(module = "instances_of_source", source = "cuda/instances.cu")]
    unsafe extern "C" {
        /// An instance of a second block, of a type that no image has.
        #[instance("scale<unsigned char>")]
        #[host(on_the_host::scale)]
        pub unsafe fn scale_bytes(output: *mut u8, input: *const u8, factor: u8, n: u32);
    }
}

/// Found in PTX.
pub mod of_image {
    declarations!(module = "instances_of_image", source = "cuda/instances.cu", image = "ptx/instances.ptx");
}

/// Found in what the program gives to the device.
pub mod given {
    declarations!(module = "instances_given");
}

pub mod on_the_host {
    use super::{HostLaunch, Mul, Range};

    pub fn scale<T: Copy + Mul<Output = T>>(output: &mut [T], input: &[T], factor: T, n: u32) {
        output.iter_mut().zip(input).take(n as usize).for_each(|(output, input)| *output = factor * *input);
    }

    pub fn scale_and_1(output: &mut [i32], input: &[i32], factor: i32, n: u32) {
        output
            .iter_mut()
            .zip(input)
            .take(n as usize)
            .for_each(|(output, input)| *output = factor * input + 1);
    }

    pub fn sum<T: Copy + Into<Total>, Total: std::iter::Sum>(
        total: &mut [Total],
        values: &[T],
        range: Range,
    ) {
        total[0] =
            values.iter().skip(range.first as usize).take(range.count as usize).map(|x| (*x).into()).sum();
    }

    #[allow(clippy::cast_possible_truncation)]
    pub fn floor(_: &HostLaunch<'_>, output: &mut [i32], input: &[f32], n: u32) {
        output
            .iter_mut()
            .zip(input)
            .take(n as usize)
            .for_each(|(output, input)| *output = input.floor() as i32);
    }

    pub fn fill(values: &mut [f32], value: f32, n: u32) {
        values[..n as usize].fill(value);
    }
}
