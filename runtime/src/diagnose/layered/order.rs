//! Streams, events and graphs.

use std::time::Duration;

use super::{Layered, pass, work};
use crate::backend::{EventHandle, Events, GraphHandle, Graphs, StreamHandle, Streams};
use crate::diagnose::{Layer, Operation};
use crate::error::Result;

#[deny(clippy::missing_trait_methods)]
impl<L: Layer> Streams for Layered<L> {
    fn synchronize(&self) -> Result<()> {
        pass!(self, "synchronize", Operation::Synchronize, call => call.inner.synchronize())
    }

    fn synchronize_stream(&self, stream: StreamHandle) -> Result<()> {
        pass!(self, "synchronize_stream", Operation::SynchronizeStream(stream), call => {
            call.inner.synchronize_stream(stream)
        })
    }

    fn create_stream(&self, priority: Option<i32>) -> Result<StreamHandle> {
        pass!(self, "create_stream", Operation::CreateStream { priority }, call => {
            call.inner.create_stream(priority)
        })
    }

    unsafe fn destroy_stream(&self, stream: StreamHandle) -> Result<()> {
        // SAFETY: the caller uses the handle no more.
        pass!(self, "destroy_stream", Operation::DestroyStream(stream), call => unsafe {
            call.inner.destroy_stream(stream)
        })
    }

    fn is_stream_idle(&self, stream: StreamHandle) -> Result<bool> {
        pass!(self, "is_stream_idle", Operation::IsStreamIdle(stream), call => {
            call.inner.is_stream_idle(stream)
        })
    }
}

#[deny(clippy::missing_trait_methods)]
impl<L: Layer> Events for Layered<L> {
    fn create_event(&self, timing: bool) -> Result<EventHandle> {
        pass!(self, "create_event", Operation::CreateEvent { timing }, call => call.inner.create_event(timing))
    }

    unsafe fn destroy_event(&self, event: EventHandle) -> Result<()> {
        // SAFETY: the caller uses the handle no more.
        pass!(self, "destroy_event", Operation::DestroyEvent(event), call => unsafe {
            call.inner.destroy_event(event)
        })
    }

    fn record_event(&self, event: EventHandle, stream: StreamHandle) -> Result<()> {
        pass!(self, "record_event", Operation::RecordEvent { event, stream }, call => {
            call.inner.record_event(event, stream)
        })
    }

    fn stream_wait_event(&self, stream: StreamHandle, event: EventHandle) -> Result<()> {
        pass!(self, "stream_wait_event", Operation::StreamWaitEvent { stream, event }, call => {
            call.inner.stream_wait_event(stream, event)
        })
    }

    fn synchronize_event(&self, event: EventHandle) -> Result<()> {
        pass!(self, "synchronize_event", Operation::SynchronizeEvent(event), call => {
            call.inner.synchronize_event(event)
        })
    }

    fn is_event_done(&self, event: EventHandle) -> Result<bool> {
        pass!(self, "is_event_done", Operation::IsEventDone(event), call => call.inner.is_event_done(event))
    }

    fn elapsed(&self, start: EventHandle, end: EventHandle) -> Result<Duration> {
        pass!(self, "elapsed", Operation::Elapsed { start, end }, call => call.inner.elapsed(start, end))
    }

    fn stream_wait_stream(&self, waiting: StreamHandle, other: StreamHandle) -> Result<()> {
        pass!(self, "stream_wait_stream", Operation::StreamWaitStream { waiting, other }, call => {
            call.inner.stream_wait_stream(waiting, other)
        })
    }
}

#[deny(clippy::missing_trait_methods)]
impl<L: Layer> Graphs for Layered<L> {
    fn begin_capture(&self, stream: StreamHandle) -> Result<()> {
        pass!(self, "begin_capture", Operation::BeginCapture(stream), call => call.inner.begin_capture(stream))
    }

    fn end_capture(&self, stream: StreamHandle) -> Result<GraphHandle> {
        pass!(self, "end_capture", Operation::EndCapture(stream), call => call.inner.end_capture(stream))
    }

    fn abandon_capture(&self, stream: StreamHandle) -> Result<()> {
        pass!(self, "abandon_capture", Operation::AbandonCapture(stream), call => {
            call.inner.abandon_capture(stream)
        })
    }

    fn is_capturing(&self, stream: StreamHandle) -> Result<bool> {
        pass!(self, "is_capturing", Operation::IsCapturing(stream), call => call.inner.is_capturing(stream))
    }

    unsafe fn launch_graph(&self, graph: GraphHandle, stream: StreamHandle) -> Result<()> {
        // SAFETY: the caller answers for what the graph does.
        work!(self, "launch_graph", Operation::LaunchGraph { graph, stream }, call => unsafe {
            call.inner.launch_graph(graph, stream)
        })
    }

    unsafe fn destroy_graph(&self, graph: GraphHandle) -> Result<()> {
        // SAFETY: the caller uses the handle no more.
        pass!(self, "destroy_graph", Operation::DestroyGraph(graph), call => unsafe {
            call.inner.destroy_graph(graph)
        })
    }
}
