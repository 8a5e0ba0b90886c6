//! The backend that runs on the host, without a GPU.

mod call;

pub use call::{HostCall, HostFunction, HostLaunch};
