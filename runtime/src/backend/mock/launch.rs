use std::ffi::c_void;

use super::{Call, MockBackend, RecordedArg, RecordedLaunch};
use crate::argument::{DevicePtr, pack_kernel_args};
use crate::backend::{GpuBackend, KernelHandle, Launch, LaunchKernels, StreamHandle};
use crate::error::{Error, Result};
use crate::launch::{Kernel, LaunchConfig, check_arguments};

#[deny(clippy::missing_trait_methods)]
impl LaunchKernels for MockBackend {
    unsafe fn launch(&self, launch: &Launch<'_>) -> Result<()> {
        self.enter(Call::Launch { launch: Box::new(self.recorded(launch)) })?;
        let known = self.known_kernel("launch", launch.kernel)?;
        if let Some(declaration) = launch.declaration.or(known.declaration) {
            check_arguments(declaration, launch.args)?;
        }
        (self as &dyn GpuBackend).check_config(launch.config)?;
        if !self.runs_kernels() {
            return Ok(());
        }
        let kernel = self.inner_kernel(&known)?;
        // SAFETY: the caller answers for the arguments, and the kernel is the one that was asked for.
        unsafe { self.inner.launch(&Launch { kernel, ..*launch }) }
    }

    unsafe fn launch_raw(
        &self,
        kernel: KernelHandle,
        config: &LaunchConfig,
        stream: StreamHandle,
        params: &[*mut c_void],
    ) -> Result<()> {
        let known = self.kernels.get(kernel);
        let declaration = known.as_ref().and_then(|known| known.declaration);
        let fitting = declaration.filter(|declaration| declaration.parameters().len() == params.len());
        // SAFETY: there is one pointer a parameter, valid for reads of its size, which the declaration tells.
        let args = fitting.map(|declaration| unsafe { read_params(declaration, params) });
        self.enter(Call::LaunchRaw { kernel, config: *config, stream, params: params.len(), args })?;

        let known = self.known_kernel("launch_raw", kernel)?;
        if let Some(declaration) = declaration.filter(|_| fitting.is_none()) {
            return Err(Error::ArgumentCount {
                kernel: declaration.to_string().into(),
                expected: declaration.parameters().len(),
                found: params.len(),
            });
        }
        (self as &dyn GpuBackend).check_config(config)?;
        if !self.runs_kernels() {
            return Ok(());
        }
        let kernel = self.inner_kernel(&known)?;
        // SAFETY: the caller answers for the parameters, and the kernel is the one that was asked for.
        unsafe { self.inner.launch_raw(kernel, config, stream, params) }
    }
}

impl MockBackend {
    fn recorded(&self, launch: &Launch<'_>) -> RecordedLaunch {
        let known = self.kernels.get(launch.kernel);
        let declaration = launch.declaration.or(known.as_ref().and_then(|known| known.declaration));
        let (module, kernel) = known.map_or_else(Default::default, |known| (known.module, known.name));
        let packed = pack_kernel_args(launch.args);
        RecordedLaunch {
            module,
            kernel,
            handle: launch.kernel,
            config: *launch.config,
            stream: launch.stream,
            parameters: declaration.map(Kernel::parameters),
            args: launch.args.iter().map(RecordedArg::from).collect(),
            slots: packed.slots().to_vec(),
            starts: packed.starts().to_vec(),
            location: launch.location,
        }
    }
}

/// The arguments behind raw pointers.
///
/// # Safety
///
/// There are as many pointers as parameters, each valid for reads of its parameter's size.
unsafe fn read_params(declaration: &Kernel, params: &[*mut c_void]) -> Vec<RecordedArg> {
    let parameters = declaration.parameters().iter().zip(params);
    let args = parameters.map(|(parameter, param)| {
        // SAFETY: the caller vouches for as many bytes.
        let bytes = unsafe { std::slice::from_raw_parts(param.cast::<u8>(), parameter.size()) };
        match <[u8; 8]>::try_from(bytes) {
            Ok(address) if parameter.is_pointer() => {
                RecordedArg::Buffer(DevicePtr::new(u64::from_le_bytes(address)))
            }
            _ => RecordedArg::Bytes(bytes.to_vec()),
        }
    });
    args.collect()
}
