//! Capturing streams into graphs, and launching these.

use std::sync::Arc;

use cudarc::driver::sys::CUgraph;

use super::CudaBackend;
use super::driver::{capture_refusal, code, cu};
use super::handles::{StreamInUse, raw_stream, refuse_reserved};
use super::owned::{Fate, OwnedGraph, OwnedStream};
use super::stream::NOT_CAPTURING;
use crate::backend::{GraphHandle, Graphs, StreamHandle};
use crate::error::{Error, Result};

/// `CU_STREAM_CAPTURE_MODE_RELAXED`.
///
/// The other modes forbid calls that may wait for the device while a stream captures, such as allocating memory or
/// loading a module, and end the capture where one is made. Kernels load at their first launch and buffers
/// are freed wherever they go out of scope, so such calls are part of ordinary code here. What must not be recorded,
/// this backend refuses itself. The mode also lets another thread end the capture, as a stream may move between threads.
const RELAXED: u32 = 2;

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
        let fate = created.capture();
        if *fate == Fate::GivenUp {
            return Err(self.unknown(OPERATION, "stream", stream.get()));
        }
        self.refuse_if_capturing(OPERATION, created)?;
        // SAFETY: the stream is held, and its context is current.
        let begin = || unsafe { cu!(self.context.driver, cuStreamBeginCapture(created.raw(), RELAXED)) };
        self.captures
            .begin(created.number(), self.id, begin)
            .map_err(|error| capture_refusal(OPERATION, error))
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
        if self.is_stream_capturing(OPERATION, &stream)? {
            return Err(Error::Capture {
                operation: OPERATION,
                problem: "the driver does not end the capture".into(),
            });
        }
        Ok(())
    }

    fn is_capturing(&self, stream: StreamHandle) -> Result<bool> {
        const OPERATION: &str = "is_capturing";
        let stream = self.stream(OPERATION, stream)?;
        self.context.bind()?;
        self.is_stream_capturing(OPERATION, &stream)
    }

    unsafe fn launch_graph(&self, graph: GraphHandle, stream: StreamHandle) -> Result<()> {
        const OPERATION: &str = "launch_graph";
        refuse_reserved(OPERATION, stream)?;
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
    fn is_stream_capturing(&self, operation: &'static str, stream: &StreamInUse) -> Result<bool> {
        // The default stream cannot capture.
        let Some(stream) = stream.created() else { return Ok(false) };
        Ok(self.capture_status(operation, stream.raw())? != NOT_CAPTURING)
    }

    /// Ends the capture that began on `stream`, and frees what waited for that; `None` where it does not capture.
    ///
    /// # Errors
    ///
    /// Where the capture began on another stream: the driver would refuse that too, and spoil the capture.
    fn end_on(&self, operation: &'static str, stream: &StreamInUse) -> Result<Option<Result<CUgraph>>> {
        let Some(stream) = stream.created() else {
            return Ok(None);
        };
        let ended = self.end_on_created(operation, stream);
        drop(self.quiet());
        ended
    }

    fn end_on_created(
        &self,
        operation: &'static str,
        stream: &OwnedStream,
    ) -> Result<Option<Result<CUgraph>>> {
        let _capture = stream.capture();
        if self.capture_status(operation, stream.raw())? == NOT_CAPTURING {
            // The driver, or another library, ended what may be noted.
            self.captures.forget(stream.number(), self.id);
            return Ok(None);
        }
        if self.captures.began_by(stream.number()) != Some(self.id) {
            return Err(Error::Capture {
                operation,
                problem: "the capture did not begin on this stream through this backend; end or abandon it where it began"
                    .into(),
            });
        }
        Ok(Some(self.take_captured(stream)))
    }

    /// Ends the capture on `stream`, which is locked for that, whatever comes of it.
    fn take_captured(&self, stream: &OwnedStream) -> Result<CUgraph> {
        let mut graph = std::ptr::null_mut();
        // SAFETY: the handle outlives the call, and the stream is held.
        let ended = unsafe { cu!(self.context.driver, cuStreamEndCapture(stream.raw(), &raw mut graph)) };
        if self.capture_status("end_capture", stream.raw()).is_ok_and(|status| status == NOT_CAPTURING) {
            self.captures.forget(stream.number(), self.id);
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

    /// Ends the capture of a stream about to be destroyed or released, on which none begins from now on. False where it
    /// was given up already. Whoever calls this then asks for [quiet](Self::quiet), to free what waited for the end.
    pub(super) fn give_up_captures(&self, stream: &OwnedStream) -> bool {
        let mut fate = stream.capture();
        if std::mem::replace(&mut *fate, Fate::GivenUp) == Fate::GivenUp {
            return false;
        }
        // A stream that only joined a capture must not end it: the driver would refuse that, and spoil the capture.
        if self.captures.began_by(stream.number()) == Some(self.id) {
            let status = self.capture_status("destroy_stream", stream.raw());
            if status.is_ok_and(|status| status != NOT_CAPTURING)
                && let Ok(graph) = self.take_captured(stream)
            {
                self.destroy_captured(graph);
            }
            self.captures.forget(stream.number(), self.id);
        }
        true
    }

    /// Ends the captures that began through this backend.
    pub(super) fn abandon_all_captures(&self) {
        for stream in self.handles.streams.all() {
            if self.captures.began_by(stream.number()) == Some(self.id) {
                self.give_up_captures(&stream);
            }
        }
    }
}
