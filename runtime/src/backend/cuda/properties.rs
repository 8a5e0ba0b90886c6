//! What the device is, asked once.

use std::ffi::c_int;

use super::driver::{Driver, cu};
use crate::backend::{DeviceLimits, DeviceProperties};
use crate::error::Result;
use crate::launch::Dim3;

/// The numbers of `CUdevice_attribute` that are asked for. Numbers, since bindings of an older CUDA lack the later names.
mod attribute {
    use std::ffi::c_int;

    pub(super) const MAX_THREADS_PER_BLOCK: c_int = 1;
    pub(super) const MAX_BLOCK_DIM: [c_int; 3] = [2, 3, 4];
    pub(super) const MAX_GRID_DIM: [c_int; 3] = [5, 6, 7];
    pub(super) const MAX_SHARED_MEMORY_PER_BLOCK: c_int = 8;
    pub(super) const WARP_SIZE: c_int = 10;
    pub(super) const MAX_PITCH: c_int = 11;
    pub(super) const MAX_REGISTERS_PER_BLOCK: c_int = 12;
    pub(super) const MULTIPROCESSOR_COUNT: c_int = 16;
    pub(super) const COMPUTE_CAPABILITY_MAJOR: c_int = 75;
    pub(super) const COMPUTE_CAPABILITY_MINOR: c_int = 76;
    pub(super) const MANAGED_MEMORY: c_int = 83;
    pub(super) const COOPERATIVE_LAUNCH: c_int = 95;
    pub(super) const MAX_SHARED_MEMORY_PER_BLOCK_OPTIN: c_int = 97;
    pub(super) const CLUSTER_LAUNCH: c_int = 120;
    pub(super) const TENSOR_MAP_ACCESS: c_int = 127;
}

/// What the device can do beyond what every device can.
#[derive(Clone, Copy, Debug)]
#[allow(clippy::struct_excessive_bools)] // Each stands for itself.
pub(super) struct DeviceFeatures {
    pub(super) cooperative: bool,
    pub(super) clusters: bool,
    pub(super) tensor_maps: bool,
    pub(super) managed_memory: bool,
    pub(super) compute_capability: (u32, u32),
    pub(super) max_pitch: usize,
    /// The lowest and the highest number a stream's priority may have; lower numbers go first.
    pub(super) priorities: (c_int, c_int),
}

impl DeviceFeatures {
    /// The architecture's number: 90 for compute capability 9.0.
    pub(super) fn architecture(&self) -> u32 {
        self.compute_capability.0 * 10 + self.compute_capability.1
    }
}

/// What `device` is and can do. Its context is current.
pub(super) fn ask(driver: &'static Driver, device: c_int) -> Result<(DeviceProperties, DeviceFeatures)> {
    let ask = |attribute: c_int| -> Result<u32> {
        let mut value = 0;
        // SAFETY: the number outlives the call.
        unsafe { cu!(driver, cuDeviceGetAttribute(&raw mut value, attribute, device)) }?;
        Ok(u32::try_from(value).unwrap_or(0))
    };
    // A driver that does not know an attribute has nothing of what it stands for.
    let has = |attribute: c_int| ask(attribute).unwrap_or(0) != 0;
    let dim3 = |[x, y, z]: [c_int; 3]| -> Result<Dim3> { Ok(Dim3 { x: ask(x)?, y: ask(y)?, z: ask(z)? }) };

    let shared_mem = ask(attribute::MAX_SHARED_MEMORY_PER_BLOCK)?;
    let compute_capability =
        (ask(attribute::COMPUTE_CAPABILITY_MAJOR)?, ask(attribute::COMPUTE_CAPABILITY_MINOR)?);
    let mut properties = DeviceProperties::new(name(driver, device)?);
    properties.compute_capability = Some(compute_capability);
    properties.multiprocessors = ask(attribute::MULTIPROCESSOR_COUNT)?;
    properties.warp_size = ask(attribute::WARP_SIZE)?;
    // SAFETY: the number outlives the call.
    unsafe { cu!(driver, cuDeviceTotalMem(&raw mut properties.total_memory, device)) }?;
    properties.limits = DeviceLimits {
        max_grid: dim3(attribute::MAX_GRID_DIM)?,
        max_block: dim3(attribute::MAX_BLOCK_DIM)?,
        max_threads_per_block: ask(attribute::MAX_THREADS_PER_BLOCK)?,
        max_shared_mem_per_block: ask(attribute::MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)
            .unwrap_or(shared_mem)
            .max(shared_mem),
        max_registers_per_block: ask(attribute::MAX_REGISTERS_PER_BLOCK)?,
    };

    let (mut last, mut first) = (0, 0);
    // SAFETY: the numbers outlive the call, and the device's context is current.
    unsafe { cu!(driver, cuCtxGetStreamPriorityRange(&raw mut last, &raw mut first)) }?;
    let features = DeviceFeatures {
        cooperative: has(attribute::COOPERATIVE_LAUNCH),
        clusters: has(attribute::CLUSTER_LAUNCH),
        tensor_maps: has(attribute::TENSOR_MAP_ACCESS),
        managed_memory: has(attribute::MANAGED_MEMORY),
        compute_capability,
        max_pitch: ask(attribute::MAX_PITCH)? as usize,
        priorities: (first, last),
    };
    Ok((properties, features))
}

fn name(driver: &'static Driver, device: c_int) -> Result<String> {
    let mut name = [0_u8; 256];
    // SAFETY: the driver writes at most as many bytes as are told.
    unsafe { cu!(driver, cuDeviceGetName(name.as_mut_ptr().cast(), 256, device)) }?;
    let end = name.iter().position(|byte| *byte == 0).unwrap_or(name.len());
    Ok(String::from_utf8_lossy(&name[..end]).into_owned())
}
