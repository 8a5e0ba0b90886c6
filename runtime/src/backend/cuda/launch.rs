//! Launching: the driver's call, and before it no more than must be.

use std::ffi::c_void;

use super::CudaBackend;
use super::driver::{Code, LaunchAttribute, LaunchConfigEx, code};
use super::function::KernelRecord;
use super::handles::{pointer, raw_stream, refuse_reserved};
use crate::backend::{DeviceInfo, KernelHandle, Launch, LaunchKernels, StreamHandle};
use crate::error::{Error, Result};
use crate::launch::LaunchConfig;

/// Of `CUlaunchAttributeID`.
mod attribute {
    use std::ffi::c_uint;

    pub(super) const COOPERATIVE: c_uint = 2;
    pub(super) const CLUSTER_DIMENSION: c_uint = 4;
    pub(super) const PROGRAMMATIC_STREAM_SERIALIZATION: c_uint = 6;
    pub(super) const PRIORITY: c_uint = 8;
}

impl LaunchKernels for CudaBackend {
    unsafe fn launch(&self, launch: &Launch<'_>) -> Result<()> {
        if launch.declaration.is_none() {
            // SAFETY: the caller's handle is one that this backend resolved.
            check_undeclared(unsafe { self.resolved(launch.kernel) }?, launch)?;
        }
        // SAFETY: one valid pointer an argument, to as many bytes as it has; the caller answers for the rest.
        unsafe { self.launch_raw(launch.kernel, launch.config, launch.stream, launch.params) }
    }

    #[inline]
    unsafe fn launch_raw(
        &self,
        kernel: KernelHandle,
        config: &LaunchConfig,
        stream: StreamHandle,
        params: &[*mut c_void],
    ) -> Result<()> {
        // SAFETY: the caller's handle is one that this backend resolved.
        let record = unsafe { self.resolved(kernel) }?;
        if record.parameter_count.is_some_and(|count| count as usize != params.len()) {
            return Err(wrong_count(record, params.len()));
        }
        refuse_reserved("launch", stream)?;
        self.context.bind_for_launch()?;
        if config.shared_mem > 0 && !record.function.allows_dynamic(config.shared_mem) {
            record.function.raise_dynamic(self)?;
        }
        if config.has_attributes() {
            // SAFETY: as below.
            return unsafe { self.launch_with_attributes(record, config, stream, params) };
        }
        // SAFETY: the function is loaded; the caller answers for the parameters, the stream, and what the kernel does.
        let launch = || unsafe {
            (self.context.driver.cuLaunchKernel)(
                record.raw,
                config.grid.x,
                config.grid.y,
                config.grid.z,
                config.block.x,
                config.block.y,
                config.block.z,
                config.shared_mem,
                raw_stream(stream),
                params.as_ptr().cast_mut(),
                std::ptr::null_mut(),
            )
        };
        self.launched("cuLaunchKernel", launch)
    }
}

impl CudaBackend {
    /// The record behind a handle, which is not looked up.
    ///
    /// # Safety
    ///
    /// A CUDA backend that is open resolved the handle.
    #[inline]
    unsafe fn resolved(&self, kernel: KernelHandle) -> Result<&KernelRecord> {
        // SAFETY: such a handle is the address of a record, kept until the backend that resolved it is dropped.
        let record = unsafe { &*pointer::<KernelRecord>(kernel.get()) };
        if record.backend == self.id {
            Ok(record)
        } else {
            Err(self.unknown("launch", "kernel", kernel.get()))
        }
    }

    /// A launch that asks for more than a grid, a block and shared memory.
    ///
    /// # Safety
    ///
    /// As for `launch_raw`; and `record` is this backend's.
    #[cold]
    #[inline(never)]
    unsafe fn launch_with_attributes(
        &self,
        record: &KernelRecord,
        config: &LaunchConfig,
        stream: StreamHandle,
        params: &[*mut c_void],
    ) -> Result<()> {
        if config.cooperative && !self.features.cooperative {
            return Err(self.unsupported("cooperative launches"));
        }
        if config.cluster.is_some() && !self.features.clusters {
            return Err(self.unsupported("clusters"));
        }
        let Some(launch_ex) = self.context.driver.cuLaunchKernelEx else {
            // SAFETY: as for this function.
            return unsafe { self.launch_without_ex(record, config, stream, params) };
        };
        let mut attributes = [LaunchAttribute::new(0, [0; 3]); 4];
        let mut count = 0_u8;
        let mut add = |id, value| {
            attributes[usize::from(count)] = LaunchAttribute::new(id, value);
            count += 1;
        };
        if let Some(cluster) = config.cluster {
            add(attribute::CLUSTER_DIMENSION, cluster.to_array());
        }
        if config.cooperative {
            add(attribute::COOPERATIVE, [1, 0, 0]);
        }
        if config.programmatic {
            add(attribute::PROGRAMMATIC_STREAM_SERIALIZATION, [1, 0, 0]);
        }
        if let Some(priority) = config.priority {
            self.check_priority(priority)?;
            add(attribute::PRIORITY, [priority.cast_unsigned(), 0, 0]);
        }
        let request = LaunchConfigEx {
            grid: config.grid.to_array(),
            block: config.block.to_array(),
            shared_mem: config.shared_mem,
            stream: raw_stream(stream),
            attributes: attributes.as_mut_ptr(),
            attribute_count: count.into(),
        };
        // SAFETY: the function is loaded, the attributes outlive the call; the caller answers for the rest.
        let launch = || unsafe {
            launch_ex(&raw const request, record.raw, params.as_ptr().cast_mut(), std::ptr::null_mut())
        };
        self.launched("cuLaunchKernelEx", launch)
    }

    /// What a driver older than CUDA 11.8 can do of the attributes: a cooperative launch.
    ///
    /// # Safety
    ///
    /// As for `launch_raw`; and `record` is this backend's.
    unsafe fn launch_without_ex(
        &self,
        record: &KernelRecord,
        config: &LaunchConfig,
        stream: StreamHandle,
        params: &[*mut c_void],
    ) -> Result<()> {
        if config.cluster.is_some() || config.programmatic || config.priority.is_some() {
            return Err(self.unsupported("launch attributes (the driver is older than CUDA 11.8)"));
        }
        // SAFETY: the function is loaded; the caller answers for the rest.
        let launch = || unsafe {
            (self.context.driver.cuLaunchCooperativeKernel)(
                record.raw,
                config.grid.x,
                config.grid.y,
                config.grid.z,
                config.block.x,
                config.block.y,
                config.block.z,
                config.shared_mem,
                raw_stream(stream),
                params.as_ptr().cast_mut(),
            )
        };
        self.launched("cuLaunchCooperativeKernel", launch)
    }

    /// Launches; once more where the thread had lost the context to another library, so that nothing was launched.
    #[inline]
    pub(super) fn launched(&self, call: &'static str, mut launch: impl FnMut() -> Code) -> Result<()> {
        let code = launch();
        if code == code::SUCCESS { Ok(()) } else { self.after_refusal(call, code, &mut launch) }
    }

    #[cold]
    #[inline(never)]
    fn after_refusal(&self, call: &'static str, code: Code, launch: &mut dyn FnMut() -> Code) -> Result<()> {
        let may_be_context = matches!(code, code::INVALID_CONTEXT | code::INVALID_HANDLE);
        if may_be_context && self.context.rebind() {
            return self.context.driver.check(call, launch());
        }
        Err(self.context.driver.error(call, code))
    }

    /// Priorities outside the device's range are cut to it by the driver without a word.
    fn check_priority(&self, priority: i32) -> Result<()> {
        let (first, last) = self.features.priorities;
        if (first..=last).contains(&priority) {
            return Ok(());
        }
        Err(Error::InvalidArgument {
            operation: "launch",
            what: "the priority".into(),
            found: priority.to_string().into(),
            expected: format!("{first} (first) to {last} (last) on this device").into(),
        })
    }
}

/// Compares arguments that no declaration was compared with against what the loaded kernel takes.
fn check_undeclared(record: &KernelRecord, launch: &Launch<'_>) -> Result<()> {
    let Ok(parameters) = &record.function.parameters else {
        return Ok(());
    };
    if parameters.len() != launch.args.len() {
        return Err(wrong_count(record, launch.args.len()));
    }
    for (index, (parameter, arg)) in parameters.iter().zip(launch.args).enumerate() {
        if parameter.size != arg.len() {
            return Err(Error::Argument {
                kernel: record.function.name.as_str().into(),
                parameter: format!("#{index}").into(),
                expected: format!("{} bytes", parameter.size),
                found: format!("{} bytes", arg.len()),
            });
        }
    }
    Ok(())
}

#[cold]
#[inline(never)]
fn wrong_count(record: &KernelRecord, found: usize) -> Error {
    let function = &record.function;
    Error::ArgumentCount {
        kernel: match record.declaration {
            Some(kernel) => kernel.to_string().into(),
            None => format!("{} of module {}", function.name, function.module).into(),
        },
        expected: function.parameters.as_ref().map_or(0, Vec::len),
        found,
    }
}
