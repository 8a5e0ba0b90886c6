use std::ffi::c_void;

use super::{Call, MockBackend, RecordedArg, RecordedLaunch};
use crate::argument::{DevicePtr, ParameterKind, pack_kernel_args};
use crate::backend::{DeviceInfo, Fill, GpuBackend, KernelHandle, Launch, LaunchKernels, StreamHandle};
use crate::error::{Error, Result};
use crate::launch::{Kernel, LaunchConfig, Parameter, check_arguments};

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
            self.check_stream("launch", launch.stream)?;
            let mut buffers = 0..;
            let pointers = launch.args.iter().map(|arg| {
                let ptr = arg.as_buffer()?;
                Some((ptr, buffers.next().and_then(|buffer| launch.reach(buffer))))
            });
            return self.check_pointers("launch", launch.declaration.or(known.declaration), pointers);
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
        // SAFETY: there is one pointer a parameter, to as many initialised bytes as the declaration tells.
        let args = fitting.map(|declaration| unsafe { read_params(declaration, params) });
        self.enter(Call::LaunchRaw {
            kernel,
            config: *config,
            stream,
            params: params.len(),
            args: args.clone(),
        })?;

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
            self.check_stream("launch_raw", stream)?;
            let pointers = args.iter().flatten().map(|arg| match arg {
                RecordedArg::Buffer(ptr) => Some((*ptr, None)),
                RecordedArg::Bytes(_) => None,
            });
            return self.check_pointers("launch_raw", declaration, pointers);
        }
        let kernel = self.inner_kernel(&known)?;
        // SAFETY: the caller answers for the parameters, and the kernel is the one that was asked for.
        unsafe { self.inner.launch_raw(kernel, config, stream, params) }
    }
}

impl MockBackend {
    /// That a stream is live, for a launch that is not run.
    fn check_stream(&self, operation: &'static str, stream: StreamHandle) -> Result<()> {
        // An operation on no bytes does nothing but look its stream up.
        match self.inner.memset_async(stream, DevicePtr::NULL, Fill::Byte(0), 0) {
            Err(Error::UnknownHandle { what, handle, .. }) => {
                Err(Error::UnknownHandle { operation, what, handle, backend: self.label() })
            }
            outcome => outcome,
        }
    }

    /// That no pointer of a launch that is not run is stale, nor null without leave. Each comes with its extent, where
    /// that is known.
    fn check_pointers(
        &self,
        operation: &'static str,
        declaration: Option<&'static Kernel>,
        pointers: impl Iterator<Item = Option<(DevicePtr, Option<usize>)>>,
    ) -> Result<()> {
        for (index, pointer) in pointers.enumerate() {
            let Some((ptr, extent)) = pointer else { continue };
            let parameter = declaration.and_then(|kernel| Some((kernel, kernel.parameters().get(index)?)));
            if ptr.is_null() {
                match parameter {
                    Some((kernel, parameter)) if !may_be_null(parameter, extent) => {
                        return Err(Error::Argument {
                            kernel: kernel.name().into(),
                            parameter: parameter.name().into(),
                            expected: format!(
                                "device memory (`{}`); declare the parameter `#[nullable]` if the kernel can do without",
                                parameter.rust_type()
                            ),
                            found: "the null pointer, which an empty buffer has too where its length is not passed along"
                                .into(),
                        });
                    }
                    _ => continue,
                }
            }
            let Some(problem) =
                self.host.as_ref().map(|host| host.stale(operation, ptr)).transpose()?.flatten()
            else {
                continue;
            };
            let operation = match parameter {
                Some((kernel, parameter)) => {
                    format!("kernel `{}`, parameter `{}`", kernel.name(), parameter.name())
                }
                None => format!("{operation}, argument {index}"),
            };
            return Err(Error::Memory {
                operation: operation.into(),
                ptr,
                bytes: extent.unwrap_or(0),
                problem,
            });
        }
        Ok(())
    }

    fn recorded(&self, launch: &Launch<'_>) -> RecordedLaunch {
        let known = self.kernels.get(launch.kernel);
        let declaration = launch.declaration.or(known.as_ref().and_then(|known| known.declaration));
        let (module, kernel) =
            known.map_or_else(Default::default, |known| (known.module.clone(), known.name.clone()));
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

/// Whether a parameter takes a null pointer: where it is declared so, and from an empty buffer, which has no memory.
fn may_be_null(parameter: &Parameter, extent: Option<usize>) -> bool {
    matches!(parameter.kind(), ParameterKind::Pointer { nullable: true, .. }) || extent == Some(0)
}

/// The arguments behind raw pointers.
///
/// # Safety
///
/// There are as many pointers as parameters, each valid for reads of its parameter's size, and those bytes are initialised.
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
