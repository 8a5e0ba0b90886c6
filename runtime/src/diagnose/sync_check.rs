use super::{Call, Layer, Operation};
use crate::backend::StreamHandle;
use crate::error::{Error, Result};
use crate::launch::describe_launch;

/// Waits after every launch, so that what a kernel does wrong on the device is the error of its own launch.
///
/// Without it, a fault comes back from whichever call waits next. With it, the error is [`Error::Fault`]: the kernel, its
/// configuration, its arguments by name, and where it was launched. Launches into a capture are not waited for, since
/// they do not execute then; the launch of the graph is.
///
/// ```
/// use warpcall::{Error, Gpu, LaunchConfig, kernel};
///
/// #[kernel(module = "test")]
/// unsafe extern "C" {
///     #[host(stops)]
///     unsafe fn faulty(rows: u32);
/// }
///
/// fn stops(rows: u32) {
///     panic!("{rows} rows are too many");
/// }
///
/// // Delayed, as a device is: without the layer the launch succeeds, and the next synchronisation fails.
/// let gpu = Gpu::builder().host_delayed().sync_check().open()?;
/// let stream = gpu.create_stream()?;
/// // SAFETY: the kernel uses no memory.
/// let error = unsafe { launch_faulty(&stream, LaunchConfig::new(1, 32), 7) }.unwrap_err();
/// assert!(matches!(error, Error::Fault { .. }));
/// assert!(error.to_string().starts_with("faulty<<<[1,1,1],[32,1,1]>>>(rows=7), launched at "));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct SyncCheck;

// SAFETY: memory is left to the backend underneath.
unsafe impl Layer for SyncCheck {
    fn name(&self) -> &'static str {
        "synchronous checking"
    }

    fn verify(&self, call: &Call<'_>) -> Result<()> {
        match call.operation {
            Operation::Launch(launch) => wait(call, launch.stream, || describe_launch(call.inner, launch)),
            Operation::LaunchRaw { config, stream, .. } => {
                wait(call, stream, || format!("{}{config}, with untyped arguments", call.subject()).into())
            }
            Operation::LaunchGraph { graph, stream } => {
                wait(call, stream, || format!("graph {graph}").into())
            }
            _ => Ok(()),
        }
    }
}

fn wait(call: &Call<'_>, stream: StreamHandle, what: impl FnOnce() -> Box<str>) -> Result<()> {
    match call.inner.is_capturing(stream) {
        Ok(true) => return Ok(()),
        Ok(false) | Err(Error::Unsupported { .. }) => {}
        Err(error) => return Err(error),
    }
    call.inner.synchronize_stream(stream).map_err(|source| Error::Fault {
        launch: what(),
        location: call.place(),
        source: Box::new(source),
    })
}
