//! Launching: what is declared, how it is configured, and the one way to a backend.

mod builder;
mod call;
mod config;
mod explain;
pub(crate) mod generated;
mod kernel;
mod module;
mod submit;

pub use builder::KernelLaunch;
pub use call::Call;
pub use config::{Dim3, LaunchConfig, div_ceil};
pub(crate) use explain::{
    describe_declared, describe_field, describe_launch, describe_value, explain, field_bytes,
};
pub use kernel::{Kernel, Parameter};
#[cfg(feature = "cuda")]
pub(crate) use module::is_same;
pub use module::{Header, Image, Module, Source};
pub(crate) use submit::check_arguments;
