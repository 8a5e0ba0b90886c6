//! The macros of warpcall.

#![warn(missing_docs)]

mod crate_path;
mod kernel;
mod param;
mod refusal;
mod report;
mod site;
#[cfg(test)]
mod tests;
mod text;
mod types;

use proc_macro::TokenStream;

use crate::site::Site;

/// Declares CUDA kernels.
#[proc_macro_attribute]
pub fn kernel(arguments: TokenStream, item: TokenStream) -> TokenStream {
    kernel::kernel(arguments.into(), &item.into(), &Site::current()).into()
}

/// Makes a `#[repr(C)]` struct a kernel parameter.
#[proc_macro_derive(KernelParam, attributes(kernel_param))]
pub fn derive_kernel_param(item: TokenStream) -> TokenStream {
    param::kernel_param(item.into()).into()
}
