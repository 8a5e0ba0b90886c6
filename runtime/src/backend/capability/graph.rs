use super::DeviceInfo;
use crate::backend::{GraphHandle, StreamHandle};
use crate::error::Result;

/// Graphs: work recorded once from a stream and launched as one many times.
pub trait Graphs: DeviceInfo {
    /// From now on, records what is enqueued on `stream` instead of executing it. Streams that wait for an event
    /// recorded on it join in.
    ///
    /// # Errors
    ///
    /// Where the stream is capturing already, or the backend has no graphs.
    #[track_caller]
    fn begin_capture(&self, stream: StreamHandle) -> Result<()> {
        let _ = stream;
        Err(self.unsupported("graphs"))
    }

    /// Ends the recording that began on `stream` and makes a graph of it, ready to be launched.
    ///
    /// # Errors
    ///
    /// Where the stream is not capturing, a stream that joined was not joined back, or something
    /// forbidden was called in between. The stream is usable again in each case. Where the capture began on another
    /// stream, it goes on.
    #[track_caller]
    fn end_capture(&self, stream: StreamHandle) -> Result<GraphHandle> {
        let _ = stream;
        Err(self.unsupported("graphs"))
    }

    /// Drops the recording that began on `stream`, if there is one. The stream is usable again.
    ///
    /// # Errors
    ///
    /// Where the driver refuses.
    #[track_caller]
    fn abandon_capture(&self, stream: StreamHandle) -> Result<()> {
        let _ = stream;
        Err(self.unsupported("graphs"))
    }

    /// Whether `stream` is capturing.
    ///
    /// # Errors
    ///
    /// Where the driver refuses.
    #[track_caller]
    fn is_capturing(&self, stream: StreamHandle) -> Result<bool> {
        let _ = stream;
        Err(self.unsupported("graphs"))
    }

    /// Enqueues all that the graph recorded on `stream`. It executes after the earlier work on that stream, and after the earlier launches
    /// of the same graph on whichever stream, as `cuGraphLaunch` says.
    ///
    /// # Errors
    ///
    /// Where the graph is no live graph of this backend, or the driver refuses.
    ///
    /// # Safety
    ///
    /// - `graph` is one that this backend made and that was not destroyed; `stream` is its default stream, or one that it
    ///   created or adopted and that was not destroyed.
    /// - What was promised for each launch and copy in it holds again: the memory they use is still there, also
    ///   that of the host, and nothing that is safe uses it in between.
    #[track_caller]
    unsafe fn launch_graph(&self, graph: GraphHandle, stream: StreamHandle) -> Result<()> {
        let _ = (graph, stream);
        Err(self.unsupported("graphs"))
    }

    /// Destroys a graph. Launches of it that are enqueued still run.
    ///
    /// # Errors
    ///
    /// Where `graph` is no live graph of this backend.
    ///
    /// # Safety
    ///
    /// The handle is not used after this call, also not by a [`Graph`](crate::Graph) that owns it.
    #[track_caller]
    unsafe fn destroy_graph(&self, graph: GraphHandle) -> Result<()> {
        let _ = graph;
        Err(self.unsupported("graphs"))
    }
}
