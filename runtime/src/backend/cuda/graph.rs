//! Capturing streams into graphs, and launching these.

use std::sync::Arc;

use cudarc::driver::sys::CUgraph;

use super::CudaBackend;
use super::driver::{capture_refusal, code, cu};
use super::handles::{StreamInUse, raw_stream};
use super::owned::{CaptureState, OwnedGraph, OwnedStream};
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
        let in_use = self.stream(OPERATION, stream)?;
        let Some(created) = in_use.created() else {
            return Err(Error::Capture {
                operation: OPERATION,
                problem: "the default stream cannot be captured; capture one that `create_stream` made"
                    .into(),
            });
        };
        self.context.bind()?;
        let mut capture = created.capture();
        if *capture == CaptureState::GivenUp {
            return Err(self.unknown(OPERATION, "stream", stream.get()));
        }
        self.refuse_if_capturing(OPERATION, &in_use)?;
        // SAFETY: the stream is held, and its context is current.
        unsafe { cu!(self.context.driver, cuStreamBeginCapture(created.raw(), RELAXED)) }
            .map_err(|error| capture_refusal(OPERATION, error))?;
        // Where the driver ended an earlier one by itself, that is still counted.
        if *capture == CaptureState::None {
            *capture = CaptureState::Began;
            self.handles.count_capture();
        }
        Ok(())
    }

    fn end_capture(&self, stream: StreamHandle) -> Result<GraphHandle> {
        const OPERATION: &str = "end_capture";
        let stream = self.stream(OPERATION, stream)?;
        self.context.bind()?;
        let graph = match self.end_on(OPERATION, &stream)? {
            Some(ended) => ended.map_err(|error| capture_refusal(OPERATION, error))?,
            None => {
                return Err(Error::Capture {
                    operation: OPERATION,
                    problem: "the stream is not capturing; begin a capture first".into(),
                });
            }
        };
        let mut executable = std::ptr::null_mut();
        // SAFETY: the handle outlives the call, and the graph is live.
        let made =
            unsafe { cu!(self.context.driver, cuGraphInstantiateWithFlags(&raw mut executable, graph, 0)) };
        self.destroy_captured(graph);
        made?;
        let number = self.handles.next();
        self.handles.graphs.insert(number, OwnedGraph::new(self.context.driver, executable));
        GraphHandle::new(number).ok_or_else(|| self.unknown(OPERATION, "graph", number))
    }

    fn abandon_capture(&self, stream: StreamHandle) -> Result<()> {
        const OPERATION: &str = "abandon_capture";
        let stream = self.stream(OPERATION, stream)?;
        self.context.bind()?;
        match self.end_on(OPERATION, &stream)? {
            None => return Ok(()),
            Some(Ok(graph)) => self.destroy_captured(graph),
            // A capture that was invalid ends with an error of this kind.
            Some(Err(Error::Driver { code, .. })) if code::CAPTURE.contains(&code) => {}
            Some(Err(error)) => return Err(error),
        }
        if self.capture_status(OPERATION, &stream)? == NOT_CAPTURING {
            return Ok(());
        }
        Err(Error::Capture { operation: OPERATION, problem: "the driver does not end the capture".into() })
    }

    fn is_capturing(&self, stream: StreamHandle) -> Result<bool> {
        const OPERATION: &str = "is_capturing";
        let stream = self.stream(OPERATION, stream)?;
        self.context.bind()?;
        Ok(self.capture_status(OPERATION, &stream)? != NOT_CAPTURING)
    }

    unsafe fn launch_graph(&self, graph: GraphHandle, stream: StreamHandle) -> Result<()> {
        const OPERATION: &str = "launch_graph";
        // Not held: the caller answers for graph and stream being there until this returns.
        let raw = self.handles.graphs.look(graph.get(), OwnedGraph::raw);
        let raw = raw.ok_or_else(|| self.unknown(OPERATION, "graph", graph.get()))?;
        if stream == StreamHandle::DEFAULT {
            // That of another library's context would do, and the driver would not say so.
            self.context.bind()?;
        } else {
            self.context.bind_for_launch()?;
        }
        // SAFETY: the caller answers for graph and stream, and for the memory that the graph uses.
        let launch = || unsafe { (self.context.driver.cuGraphLaunch)(raw, raw_stream(stream)) };
        self.launched("cuGraphLaunch", launch).map_err(|error| capture_refusal(OPERATION, error))
    }

    unsafe fn destroy_graph(&self, graph: GraphHandle) -> Result<()> {
        let taken = self.take_graph("destroy_graph", graph)?;
        self.context.bind()?;
        Arc::into_inner(taken).map_or(Ok(()), OwnedGraph::destroy)
    }
}

impl CudaBackend {
    /// Ends the capture that began on `stream`; `None` where it does not capture.
    ///
    /// # Errors
    ///
    /// Where the capture began on another stream: the driver would refuse that too, and spoil the capture.
    fn end_on(&self, operation: &'static str, stream: &StreamInUse) -> Result<Option<Result<CUgraph>>> {
        let Some(stream) = stream.created() else {
            return Ok(None);
        };
        let mut capture = stream.capture();
        if self.created_capture_status(operation, stream)? == NOT_CAPTURING {
            self.forget_capture(&mut capture);
            return Ok(None);
        }
        if *capture != CaptureState::Began {
            return Err(Error::Capture {
                operation,
                problem: "the capture did not begin on this stream, which only joined it; end or abandon it where it began"
                    .into(),
            });
        }
        Ok(Some(self.take_captured(stream, &mut capture)))
    }

    /// Ends the capture on `stream`, whatever comes of it.
    fn take_captured(&self, stream: &OwnedStream, capture: &mut CaptureState) -> Result<CUgraph> {
        let mut graph = std::ptr::null_mut();
        // SAFETY: the handle outlives the call, and the stream is held.
        let ended = unsafe { cu!(self.context.driver, cuStreamEndCapture(stream.raw(), &raw mut graph)) };
        if self.created_capture_status("end_capture", stream).is_ok_and(|status| status == NOT_CAPTURING) {
            self.forget_capture(capture);
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

    /// Notes that a stream captures no more, and frees what waited for that.
    fn forget_capture(&self, capture: &mut CaptureState) {
        if *capture != CaptureState::Began {
            return;
        }
        *capture = CaptureState::None;
        if self.handles.count_capture_end() {
            self.free_deferred();
        }
    }

    /// Ends the capture of a stream about to be destroyed, on which none begins from now on. False where it was given up
    /// already.
    pub(super) fn give_up_captures(&self, stream: &OwnedStream) -> bool {
        let mut capture = stream.capture();
        if *capture == CaptureState::GivenUp {
            return false;
        }
        // A stream that only joined a capture must not end it: the driver would refuse that, and spoil the capture.
        if *capture == CaptureState::Began
            && let Ok(status) = self.created_capture_status("destroy_stream", stream)
            && status != NOT_CAPTURING
            && let Ok(graph) = self.take_captured(stream, &mut capture)
        {
            self.destroy_captured(graph);
        }
        self.forget_capture(&mut capture);
        *capture = CaptureState::GivenUp;
        true
    }

    pub(super) fn abandon_all_captures(&self) {
        for stream in self.handles.streams.all() {
            if *stream.capture() == CaptureState::Began {
                self.give_up_captures(&stream);
            }
        }
    }
}
