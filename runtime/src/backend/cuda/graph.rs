//! Capturing streams into graphs, and launching these.

use cudarc::driver::sys::{CUgraph, CUgraphExec};

use super::CudaBackend;
use super::driver::{capture_refusal, code, cu};
use super::handles::{address, raw_stream};
use crate::backend::{GraphHandle, Graphs, StreamHandle};
use crate::error::{Error, Result};

/// `CU_STREAM_CAPTURE_MODE_RELAXED`.
///
/// The other modes forbid calls that may wait for the device while a stream captures, such as allocating memory or
/// loading a module, and end the capture where one is made. Kernels load at their first launch and buffers
/// are freed wherever they go out of scope, so such calls are part of ordinary code here. What must not be recorded,
/// this backend refuses itself. The mode also lets another thread end the capture, as a stream may move between threads.
const RELAXED: u32 = 2;
/// `CU_STREAM_CAPTURE_STATUS_NONE`.
const NOT_CAPTURING: u32 = 0;

impl Graphs for CudaBackend {
    fn begin_capture(&self, stream: StreamHandle) -> Result<()> {
        const OPERATION: &str = "begin_capture";
        if stream == StreamHandle::DEFAULT {
            return Err(Error::Capture {
                operation: OPERATION,
                problem: "the default stream cannot be captured; capture one that `create_stream` made"
                    .into(),
            });
        }
        let raw = self.stream(OPERATION, stream)?;
        self.context.bind()?;
        self.refuse_if_capturing(OPERATION, stream)?;
        // SAFETY: the stream is live, and its context is current.
        unsafe { cu!(self.context.driver, cuStreamBeginCapture(raw, RELAXED)) }
            .map_err(|error| capture_refusal(OPERATION, error))?;
        self.handles.note_capture(stream);
        Ok(())
    }

    fn end_capture(&self, stream: StreamHandle) -> Result<GraphHandle> {
        const OPERATION: &str = "end_capture";
        self.stream(OPERATION, stream)?;
        self.context.bind()?;
        if self.capture_status(OPERATION, stream)? == NOT_CAPTURING {
            self.forget_capture(stream);
            return Err(Error::Capture {
                operation: OPERATION,
                problem: "the stream is not capturing; begin a capture first".into(),
            });
        }
        self.refuse_joined(OPERATION, stream)?;
        let graph = self.take_captured(stream).map_err(|error| capture_refusal(OPERATION, error))?;
        let mut executable = std::ptr::null_mut();
        // SAFETY: the handle outlives the call, and the graph is live.
        let made =
            unsafe { cu!(self.context.driver, cuGraphInstantiateWithFlags(&raw mut executable, graph, 0)) };
        self.destroy_captured(graph);
        made?;
        let handle = address(executable);
        self.handles.graphs.insert(handle, ());
        GraphHandle::new(handle).ok_or_else(|| self.unknown(OPERATION, "graph", handle))
    }

    fn abandon_capture(&self, stream: StreamHandle) -> Result<()> {
        const OPERATION: &str = "abandon_capture";
        self.stream(OPERATION, stream)?;
        self.context.bind()?;
        if self.capture_status(OPERATION, stream)? == NOT_CAPTURING {
            self.forget_capture(stream);
            return Ok(());
        }
        self.refuse_joined(OPERATION, stream)?;
        match self.take_captured(stream) {
            Ok(graph) => self.destroy_captured(graph),
            // A capture that was invalid ends with an error of this kind.
            Err(Error::Driver { code, .. }) if code::CAPTURE.contains(&code) => {}
            Err(error) => return Err(error),
        }
        if self.capture_status(OPERATION, stream)? == NOT_CAPTURING {
            return Ok(());
        }
        Err(Error::Capture { operation: OPERATION, problem: "the driver does not end the capture".into() })
    }

    fn is_capturing(&self, stream: StreamHandle) -> Result<bool> {
        const OPERATION: &str = "is_capturing";
        self.stream(OPERATION, stream)?;
        self.context.bind()?;
        Ok(self.capture_status(OPERATION, stream)? != NOT_CAPTURING)
    }

    unsafe fn launch_graph(&self, graph: GraphHandle, stream: StreamHandle) -> Result<()> {
        const OPERATION: &str = "launch_graph";
        let graph = self.graph(OPERATION, graph)?;
        let stream = self.stream(OPERATION, stream)?;
        self.context.bind()?;
        // SAFETY: graph and stream are live; the caller answers for the memory that the graph uses.
        unsafe { cu!(self.context.driver, cuGraphLaunch(graph, stream)) }
            .map_err(|error| capture_refusal(OPERATION, error))
    }

    unsafe fn destroy_graph(&self, graph: GraphHandle) -> Result<()> {
        let raw: CUgraphExec = self.graph("destroy_graph", graph)?;
        self.context.bind()?;
        self.handles.graphs.remove(graph.get());
        // SAFETY: the graph is live, and the caller does not use it again. The driver lets its launches run on.
        unsafe { cu!(self.context.driver, cuGraphExecDestroy(raw)) }
    }
}

impl CudaBackend {
    /// Refuses to end a capture on a stream on which it did not begin: the driver would refuse it too, and spoil it.
    fn refuse_joined(&self, operation: &'static str, stream: StreamHandle) -> Result<()> {
        if self.handles.began_capture(stream) {
            return Ok(());
        }
        Err(Error::Capture {
            operation,
            problem: "the capture did not begin on this stream, which only joined it; end or abandon it where it began"
                .into(),
        })
    }

    /// Ends the capture on `stream`, whatever comes of it.
    fn take_captured(&self, stream: StreamHandle) -> Result<CUgraph> {
        let mut graph = std::ptr::null_mut();
        // SAFETY: the handle outlives the call, and the stream is live.
        let ended =
            unsafe { cu!(self.context.driver, cuStreamEndCapture(raw_stream(stream), &raw mut graph)) };
        if self.capture_status("end_capture", stream).is_ok_and(|status| status == NOT_CAPTURING) {
            self.forget_capture(stream);
        }
        match ended {
            Ok(()) => Ok(graph),
            Err(error) => {
                self.destroy_captured(graph);
                Err(error)
            }
        }
    }

    fn destroy_captured(&self, graph: CUgraph) {
        if !graph.is_null() {
            // SAFETY: the graph was just captured, and only what was instantiated from it is used on.
            let _ = unsafe { cu!(self.context.driver, cuGraphDestroy(graph)) };
        }
    }

    /// Notes that `stream` captures no more, and frees what waited for that.
    fn forget_capture(&self, stream: StreamHandle) {
        if self.handles.note_capture_end(stream) {
            self.free_deferred();
        }
    }

    /// A stream about to be destroyed captures no more.
    pub(super) fn end_capture_of_destroyed(&self, stream: StreamHandle) {
        if let Ok(status) = self.capture_status("destroy_stream", stream)
            && status != NOT_CAPTURING
            && let Ok(graph) = self.take_captured(stream)
        {
            self.destroy_captured(graph);
        }
        self.forget_capture(stream);
    }

    pub(super) fn abandon_all_captures(&self) {
        for stream in self.handles.capturing() {
            self.end_capture_of_destroyed(StreamHandle::new(stream));
        }
    }
}
