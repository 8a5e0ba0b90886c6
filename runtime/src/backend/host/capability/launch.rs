use std::ffi::c_void;
use std::panic::Location;

use smallvec::SmallVec;

use crate::backend::host::HostBackend;
use crate::backend::host::argument::OwnedArgument;
use crate::backend::host::work::{PendingLaunch, Work};
use crate::backend::{GpuBackend, KernelHandle, Launch, LaunchKernels, StreamHandle};
use crate::error::{Error, Result};
use crate::launch::{Kernel, LaunchConfig, check_arguments, explain};

impl LaunchKernels for HostBackend {
    unsafe fn launch(&self, launch: &Launch<'_>) -> Result<()> {
        let kernel = self.known("launch", launch.kernel)?;
        check_arguments(kernel, launch.args)?;
        let mut buffers = 0..;
        let arguments = kernel.parameters().iter().zip(launch.args).map(|(parameter, arg)| {
            let extent = arg.as_buffer().and_then(|_| launch.reach(buffers.next()?));
            OwnedArgument::of(parameter, arg, extent)
        });
        self.submit(kernel, launch.config, launch.stream, arguments.collect())
            .map_err(|error| explain(self, launch, error))
    }

    unsafe fn launch_raw(
        &self,
        handle: KernelHandle,
        config: &LaunchConfig,
        stream: StreamHandle,
        params: &[*mut c_void],
    ) -> Result<()> {
        let kernel = self.known("launch", handle)?;
        let parameters = kernel.parameters();
        if params.len() != parameters.len() {
            return Err(Error::ArgumentCount {
                kernel: kernel.to_string().into(),
                expected: parameters.len(),
                found: params.len(),
            });
        }
        let mut arguments = Vec::with_capacity(params.len());
        for (parameter, place) in parameters.iter().zip(params) {
            if place.is_null() {
                return Err(Error::Argument {
                    kernel: kernel.name().into(),
                    parameter: parameter.name().into(),
                    expected: format!(
                        "a pointer to {} bytes (`{}`)",
                        parameter.size(),
                        parameter.rust_type()
                    ),
                    found: "a null pointer to them".into(),
                });
            }
            // SAFETY: the caller answers for each pointer.
            arguments.push(unsafe { OwnedArgument::read(parameter, *place) });
        }
        let args: SmallVec<[_; 16]> = arguments.iter().map(OwnedArgument::as_arg).collect();
        let launch = Launch {
            kernel: handle,
            declaration: Some(kernel),
            config,
            stream,
            args: &args,
            params,
            extents: &[],
            location: Location::caller(),
        };
        self.submit(kernel, config, stream, arguments.clone()).map_err(|error| explain(self, &launch, error))
    }
}

impl HostBackend {
    /// Enqueues a launch whose arguments fit the declaration.
    fn submit(
        &self,
        kernel: &'static Kernel,
        config: &LaunchConfig,
        stream: StreamHandle,
        arguments: Vec<OwnedArgument>,
    ) -> Result<()> {
        // Taken apart whole, so that an attribute that comes to be is decided on here. A cooperative
        // launch and clusters hold, since the function stands for all blocks at once; an overlap with the launch
        // before is allowed, not asked for; a priority is kept with the work.
        let LaunchConfig {
            grid,
            block,
            shared_mem: _,
            cluster,
            cooperative: _,
            programmatic: _,
            priority: _,
        } = *config;
        if grid.is_empty() || block.is_empty() || cluster.is_some_and(crate::Dim3::is_empty) {
            return Err(Error::EmptyLaunch { kernel: kernel.name().into(), config: Box::new(*config) });
        }
        (self as &dyn GpuBackend).check_config(config)?;
        let Some(function) = kernel.host() else {
            return Err(Error::NoHostFunction { kernel: kernel.name().into() });
        };
        let launch = PendingLaunch { kernel, function, config: *config, arguments };
        self.gate.enter("launch")?.enqueue("launch", stream, Work::Launch(launch))
    }
}
