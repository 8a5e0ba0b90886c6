use std::marker::PhantomData;

use crate::error::Result;

/// What the host backend runs for a kernel; `#[host(path)]` generates it around a plain function.
pub type HostFunction = fn(&HostCall<'_>) -> Result<()>;

/// One launch on the host: its arguments, decoded.
pub struct HostCall<'a>(PhantomData<&'a ()>);

/// What a host function may know of its launch.
pub struct HostLaunch<'a>(PhantomData<&'a ()>);
