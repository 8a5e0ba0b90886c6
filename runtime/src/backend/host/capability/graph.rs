use std::sync::Arc;

use super::capture_error;
use crate::backend::host::HostBackend;
use crate::backend::host::capture::Capture;
use crate::backend::host::state::{Graph, State};
use crate::backend::host::stream::DEFAULT;
use crate::backend::host::work::Work;
use crate::backend::{GraphHandle, Graphs, StreamHandle};
use crate::error::Result;

impl Graphs for HostBackend {
    fn begin_capture(&self, stream: StreamHandle) -> Result<()> {
        const NAME: &str = "begin_capture";
        let mut state = self.gate.enter(NAME)?;
        let number = state.stream(NAME, stream)?;
        if number == DEFAULT {
            return Err(capture_error(
                NAME,
                "the default stream cannot be captured; use a stream that was created",
            ));
        }
        if state.streams.live(number).is_some_and(|stream| stream.capture.is_some()) {
            return Err(capture_error(NAME, "the stream is capturing already; end or abandon that first"));
        }
        let capture = state.handle();
        state.captures.insert(capture, Capture::new(number));
        if let Some(stream) = state.streams.get_mut(number) {
            stream.capture = Some(capture);
        }
        Ok(())
    }

    fn end_capture(&self, stream: StreamHandle) -> Result<GraphHandle> {
        const NAME: &str = "end_capture";
        let mut state = self.gate.enter(NAME)?;
        let number = state.stream(NAME, stream)?;
        let Some(capture) = take_capture(NAME, &mut state, number)? else {
            return Err(capture_error(NAME, "the stream is not capturing; begin a capture on it first"));
        };
        if let Some(reason) = capture.invalid {
            return Err(capture_error(NAME, format!("the capture became invalid because {reason}")));
        }
        let unjoined = capture.unjoined();
        if !unjoined.is_empty() {
            let (streams, each) = if unjoined.len() == 1 { ("stream", "it") } else { ("streams", "each") };
            let unjoined: Vec<_> = unjoined.iter().map(|stream| format!("{stream:#x}")).collect();
            return Err(capture_error(
                NAME,
                format!(
                    "the work of the {streams} {} was not joined back; record an event on {each} and let the stream that the capture began on wait for it",
                    unjoined.join(", ")
                ),
            ));
        }
        // Never the number of the capture, though nothing would confuse them.
        let graph = state.handle();
        state.graphs.insert(graph, Graph { nodes: capture.nodes.into(), latest: None });
        Ok(GraphHandle::new(graph).expect("a backend's first handle is not zero"))
    }

    fn abandon_capture(&self, stream: StreamHandle) -> Result<()> {
        const NAME: &str = "abandon_capture";
        let mut state = self.gate.enter(NAME)?;
        let number = state.stream(NAME, stream)?;
        take_capture(NAME, &mut state, number).map(drop)
    }

    fn is_capturing(&self, stream: StreamHandle) -> Result<bool> {
        const NAME: &str = "is_capturing";
        let state = self.gate.enter(NAME)?;
        let number = state.stream(NAME, stream)?;
        Ok(state.streams.live(number).is_some_and(|stream| stream.capture.is_some()))
    }

    unsafe fn launch_graph(&self, graph: GraphHandle, stream: StreamHandle) -> Result<()> {
        const NAME: &str = "launch_graph";
        let mut state = self.gate.enter(NAME)?;
        let number = state.stream(NAME, stream)?;
        let Some(Graph { nodes, latest }) = state.graphs.get(&graph.get()) else {
            return Err(state.unknown(NAME, "graph", graph.get()));
        };
        let (nodes, latest) = (Arc::clone(nodes), *latest);
        state.forbid_capturing(NAME, number, "a graph cannot be recorded in another")?;
        if let Some(earlier) = latest.filter(|mark| mark.stream != number && !state.streams.reached(*mark)) {
            state.enqueue(NAME, stream, Work::Wait(earlier))?;
        }
        let launched = state.enqueue(NAME, stream, Work::Graph(nodes));
        let end = state.streams.end_of(number);
        if let Some(graph) = state.graphs.get_mut(&graph.get()) {
            graph.latest = Some(end);
        }
        launched
    }

    unsafe fn destroy_graph(&self, graph: GraphHandle) -> Result<()> {
        const NAME: &str = "destroy_graph";
        let mut state = self.gate.enter(NAME)?;
        match state.graphs.remove(&graph.get()) {
            Some(_) => Ok(()),
            None => Err(state.unknown(NAME, "graph", graph.get())),
        }
    }
}

/// Ends the capture that began on a stream; `None` where it does not capture. One that began elsewhere goes on.
fn take_capture(name: &'static str, state: &mut State, stream: u64) -> Result<Option<Capture>> {
    let Some(number) = state.streams.live(stream).and_then(|stream| stream.capture) else {
        return Ok(None);
    };
    if let Some(Capture { origin, .. }) = state.captures.get(&number).filter(|it| it.origin != stream) {
        let problem = format!("the capture began on stream {origin:#x}; end or abandon it there");
        return Err(capture_error(name, problem));
    }
    state.streams.leave_capture(number);
    Ok(state.captures.remove(&number))
}
