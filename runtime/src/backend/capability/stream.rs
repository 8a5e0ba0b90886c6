use super::DeviceInfo;
use crate::backend::StreamHandle;
use crate::error::Result;

/// Streams, and waiting for what was enqueued.
///
/// The default stream is always there. A stream that was created does not wait for it.
pub trait Streams: DeviceInfo {
    /// Waits until everything enqueued on the device is done.
    ///
    /// # Errors
    ///
    /// What the device found wrong while executing; or where a stream is capturing, whose capture goes on. That may also be
    /// the stream of another backend on the same device.
    #[track_caller]
    fn synchronize(&self) -> Result<()>;

    /// Waits until everything enqueued on `stream` is done.
    ///
    /// # Errors
    ///
    /// What the device found wrong while executing; or where the stream is capturing, and goes on to do so.
    #[track_caller]
    fn synchronize_stream(&self, stream: StreamHandle) -> Result<()>;

    /// Creates a stream. Lower priorities go first; `None` is the device's default.
    ///
    /// # Errors
    ///
    /// Where the driver refuses, or the backend has the default stream alone.
    #[track_caller]
    fn create_stream(&self, priority: Option<i32>) -> Result<StreamHandle> {
        let _ = priority;
        Err(self.unsupported("streams besides the default one"))
    }

    /// Destroys a stream. What was enqueued on it still runs.
    ///
    /// # Errors
    ///
    /// Where `stream` is no live stream of this backend, or is the default stream.
    ///
    /// # Safety
    ///
    /// The handle is not used after this call, also not by a [`Stream`](crate::Stream) that owns it.
    #[track_caller]
    unsafe fn destroy_stream(&self, stream: StreamHandle) -> Result<()> {
        let _ = stream;
        Err(self.unsupported("streams besides the default one"))
    }

    /// Whether everything enqueued on `stream` is done. Does not wait.
    ///
    /// # Errors
    ///
    /// As for [`synchronize_stream`](Self::synchronize_stream).
    #[track_caller]
    fn is_stream_idle(&self, stream: StreamHandle) -> Result<bool> {
        let _ = stream;
        Err(self.unsupported("asking whether a stream is idle"))
    }
}
