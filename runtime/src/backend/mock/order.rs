//! Streams, events and graphs: what orders work.

use std::time::Duration;

use super::{Call, MockBackend};
use crate::backend::{EventHandle, Events, GraphHandle, Graphs, StreamHandle, Streams};
use crate::error::Result;

#[deny(clippy::missing_trait_methods)]
impl Streams for MockBackend {
    fn synchronize(&self) -> Result<()> {
        self.enter(Call::Synchronize {})?;
        self.inner.synchronize()
    }

    fn synchronize_stream(&self, stream: StreamHandle) -> Result<()> {
        self.enter(Call::SynchronizeStream { stream })?;
        self.inner.synchronize_stream(stream)
    }

    fn create_stream(&self, priority: Option<i32>) -> Result<StreamHandle> {
        self.enter(Call::CreateStream { priority })?;
        self.inner.create_stream(priority)
    }

    unsafe fn destroy_stream(&self, stream: StreamHandle) -> Result<()> {
        self.enter(Call::DestroyStream { stream })?;
        // SAFETY: the caller uses the handle no more.
        unsafe { self.inner.destroy_stream(stream) }
    }

    fn is_stream_idle(&self, stream: StreamHandle) -> Result<bool> {
        self.enter(Call::IsStreamIdle { stream })?;
        self.inner.is_stream_idle(stream)
    }
}

#[deny(clippy::missing_trait_methods)]
impl Events for MockBackend {
    fn create_event(&self, timing: bool) -> Result<EventHandle> {
        self.enter(Call::CreateEvent { timing })?;
        self.inner.create_event(timing)
    }

    unsafe fn destroy_event(&self, event: EventHandle) -> Result<()> {
        self.enter(Call::DestroyEvent { event })?;
        // SAFETY: the caller uses the handle no more.
        unsafe { self.inner.destroy_event(event) }
    }

    fn record_event(&self, event: EventHandle, stream: StreamHandle) -> Result<()> {
        self.enter(Call::RecordEvent { event, stream })?;
        self.inner.record_event(event, stream)
    }

    fn stream_wait_event(&self, stream: StreamHandle, event: EventHandle) -> Result<()> {
        self.enter(Call::StreamWaitEvent { stream, event })?;
        self.inner.stream_wait_event(stream, event)
    }

    fn synchronize_event(&self, event: EventHandle) -> Result<()> {
        self.enter(Call::SynchronizeEvent { event })?;
        self.inner.synchronize_event(event)
    }

    fn is_event_done(&self, event: EventHandle) -> Result<bool> {
        self.enter(Call::IsEventDone { event })?;
        self.inner.is_event_done(event)
    }

    fn elapsed(&self, start: EventHandle, end: EventHandle) -> Result<Duration> {
        self.enter(Call::Elapsed { start, end })?;
        self.inner.elapsed(start, end)
    }

    fn stream_wait_stream(&self, waiting: StreamHandle, other: StreamHandle) -> Result<()> {
        self.enter(Call::StreamWaitStream { waiting, other })?;
        self.inner.stream_wait_stream(waiting, other)
    }
}

#[deny(clippy::missing_trait_methods)]
impl Graphs for MockBackend {
    fn begin_capture(&self, stream: StreamHandle) -> Result<()> {
        self.enter(Call::BeginCapture { stream })?;
        self.inner.begin_capture(stream)
    }

    fn end_capture(&self, stream: StreamHandle) -> Result<GraphHandle> {
        if let Err(error) = self.enter(Call::EndCapture { stream }) {
            // Whatever ending a capture returns, the stream is usable again after it.
            self.inner.abandon_capture(stream)?;
            return Err(error);
        }
        self.inner.end_capture(stream)
    }

    fn abandon_capture(&self, stream: StreamHandle) -> Result<()> {
        self.enter(Call::AbandonCapture { stream })?;
        self.inner.abandon_capture(stream)
    }

    fn is_capturing(&self, stream: StreamHandle) -> Result<bool> {
        self.enter(Call::IsCapturing { stream })?;
        self.inner.is_capturing(stream)
    }

    unsafe fn launch_graph(&self, graph: GraphHandle, stream: StreamHandle) -> Result<()> {
        self.enter(Call::LaunchGraph { graph, stream })?;
        // SAFETY: the caller answers for the captured memory.
        unsafe { self.inner.launch_graph(graph, stream) }
    }

    unsafe fn destroy_graph(&self, graph: GraphHandle) -> Result<()> {
        self.enter(Call::DestroyGraph { graph })?;
        // SAFETY: the caller uses the handle no more.
        unsafe { self.inner.destroy_graph(graph) }
    }
}
