//! What a call names by number.

use super::recording::{Argument, Kind, Record, Value};

/// What has a number of its own, beside memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Numbered {
    Stream,
    Event,
    Graph,
}

impl Numbered {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Stream => "stream",
            Self::Event => "event",
            Self::Graph => "graph",
        }
    }
}

impl Record {
    /// What an argument names.
    pub(super) fn numbered(&self, argument: &Argument) -> Option<(Numbered, u64)> {
        // A parameter of a kernel may be called like these.
        if !matches!(self.kind, Kind::GraphLaunch | Kind::Order | Kind::Wait | Kind::Capture) {
            return None;
        }
        let what = match &*argument.name {
            "stream" | "other" => Numbered::Stream,
            "event" => Numbered::Event,
            "graph" => Numbered::Graph,
            _ => return None,
        };
        match &argument.value {
            Value::Text(number) => Some((what, number.parse().ok()?)),
            _ => None,
        }
    }

    /// All that it names, its stream and the graph that it was recorded into included.
    pub(super) fn names(&self) -> impl Iterator<Item = (Numbered, u64)> {
        let stream = self.stream.map(|number| (Numbered::Stream, number));
        let graph = self.captured.map(|number| (Numbered::Graph, number));
        let arguments = self.arguments.iter().filter_map(|argument| self.numbered(argument));
        stream.into_iter().chain(graph).chain(arguments)
    }

    /// What it makes, or is recorded into.
    pub(super) fn makes(&self) -> Option<(Numbered, u64)> {
        if let Some(graph) = self.captured {
            return Some((Numbered::Graph, graph));
        }
        match &*self.name {
            "create_stream" | "create_event" | "begin_capture" | "end_capture" => {
                self.arguments.iter().find_map(|argument| self.numbered(argument))
            }
            _ => None,
        }
    }

    /// The allocation that it allocates or frees.
    pub(super) fn memory(&self) -> Option<u64> {
        match self.argument("memory")?.value {
            Value::Memory { allocation, .. } if self.kind == Kind::Memory && self.error.is_none() => {
                Some(allocation)
            }
            _ => None,
        }
    }
}
