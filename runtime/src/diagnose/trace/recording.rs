use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::RangeInclusive;

use crate::launch::LaunchConfig;

/// What a [`Trace`](super::Trace) saw, decoded.
///
/// It is written as [text](Self::write_text); with the feature `json`, also as JSON lines (`write_json_lines`), which can be read back
/// (`read_json_lines`), and in the Trace Event format (`write_trace_events`), which Perfetto opens.
///
/// Times are nanoseconds since the trace began.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Recording {
    /// The same in all recordings of one trace, whose numbers of memory, streams and graphs mean the same.
    pub trace: u64,
    /// When the trace began, in nanoseconds since 1970.
    pub began_unix_ns: u64,
    /// How many calls the trace had no more room for. They are the oldest.
    pub dropped: u64,
    /// How many pieces of work have no device time although it was asked for.
    pub untimed: u64,
    /// Why there are device times missing.
    pub problems: Vec<String>,
    /// The backends that were traced.
    pub backends: Vec<TracedBackend>,
    /// The numbers of the calls that this is a part of; `None` of a trace from its begin. What a graph holds besides was recorded
    /// before or after, and is no call of this part.
    pub calls: Option<RangeInclusive<u64>>,
    /// The handles of the streams, events and graphs that are named here by number.
    pub handles: Vec<NumberedHandle>,
    /// The memory that was live, or was freed while a call that is recorded here may have named it. By number.
    pub allocations: Vec<Allocation>,
    /// The calls in the order in which they returned, without those that were recorded into a graph.
    pub records: Vec<Record>,
    /// What was recorded into each graph, by its number; of a capture that goes on, what it has so far. Captures are numbered from
    /// 1. A part has the graphs that were captured or are launched in it.
    pub graphs: BTreeMap<u64, RecordedGraph>,
}

/// A backend that was traced.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct TracedBackend {
    /// Its [id](crate::BackendId).
    pub number: u32,
    /// Its kind: `cuda`.
    pub kind: String,
    /// The name of its device.
    pub device: String,
}

/// Which handle a number stands for, so that what a trace says of `stream 1` can be compared with what an error or a
/// [hazard](crate::diagnose::Hazard) says of the stream `0x100000001`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct NumberedHandle {
    /// `stream`, `event` or `graph`.
    pub what: Cow<'static, str>,
    /// Its number, which no other of its kind has in this trace.
    pub number: u64,
    /// Whose it is.
    pub backend: u32,
    /// The handle, as errors print it: `0x100000001`. One that was destroyed may be given out again.
    pub handle: String,
}

/// Memory that was allocated.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Allocation {
    /// Counts all allocations of the trace, from 1.
    pub number: u64,
    /// Whose it is.
    pub backend: u32,
    /// `device`, `managed` or `pinned`.
    pub memory: Cow<'static, str>,
    /// Its length.
    pub bytes: u64,
    /// Where it starts, as `0x7f00`; of pinned memory, on the host.
    pub address: String,
    /// Where it was allocated.
    pub location: String,
}

/// What a capture recorded.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct RecordedGraph {
    /// The calls, in their order.
    pub records: Vec<Record>,
    /// How many calls there was no room for.
    pub dropped: u64,
}

/// One call.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Record {
    /// Counts all calls of the trace, from 1.
    pub number: u64,
    /// What it is.
    pub kind: Kind,
    /// The kernel; `graph`; the label of a mark; else the method of the backend: `copy_to_device_async`.
    pub name: Cow<'static, str>,
    /// How a kernel is launched.
    #[cfg_attr(
        feature = "json",
        serde(default, skip_serializing_if = "Option::is_none", with = "super::json::config")
    )]
    pub config: Option<LaunchConfig>,
    /// The arguments of a kernel by name, each field of a struct as `params.field`; of any other call, what it was given.
    #[cfg_attr(feature = "json", serde(default, skip_serializing_if = "Vec::is_empty"))]
    pub arguments: Vec<Argument>,
    /// The stream in whose order it is: 0 is the default stream, those that were created count from 1, in their order. Their
    /// handles are in [`Recording::handles`].
    #[cfg_attr(feature = "json", serde(skip_serializing_if = "Option::is_none"))]
    pub stream: Option<u64>,
    /// The graph that it was recorded into, instead of being executed.
    #[cfg_attr(feature = "json", serde(skip_serializing_if = "Option::is_none"))]
    pub captured: Option<u64>,
    /// The [id](crate::BackendId) of the backend; a mark has none.
    #[cfg_attr(feature = "json", serde(skip_serializing_if = "Option::is_none"))]
    pub backend: Option<u32>,
    /// The thread that called. Counts the threads that called a traced backend, from 1.
    pub thread: u32,
    /// From the call to its return.
    pub host: Interval,
    /// When the device executed it, on the host's clock.
    #[cfg_attr(feature = "json", serde(skip_serializing_if = "Option::is_none"))]
    pub device: Option<Interval>,
    /// Where the caller's code asked for it: `src/main.rs:10:5`; of what was dropped, the word `dropped`.
    pub location: String,
    /// The error that it returned.
    #[cfg_attr(feature = "json", serde(skip_serializing_if = "Option::is_none"))]
    pub error: Option<String>,
}

/// What a call is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "json", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Kind {
    /// A launch of a kernel.
    Launch,
    /// A launch of a graph.
    GraphLaunch,
    /// A copy.
    Copy,
    /// A memset.
    Fill,
    /// Allocating or freeing memory.
    Memory,
    /// A stream or an event: creating, destroying, ordering.
    Order,
    /// Waiting on the host for the device.
    Wait,
    /// Beginning or ending a capture, or destroying a graph.
    Capture,
    /// Looking a kernel up, which may load or compile it.
    Lookup,
    /// A [mark](super::Trace::mark) of the program's own.
    Mark,
}

impl Kind {
    /// The kind in one word: `launch`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Launch => "launch",
            Self::GraphLaunch => "graph launch",
            Self::Copy => "copy",
            Self::Fill => "fill",
            Self::Memory => "memory",
            Self::Order => "order",
            Self::Wait => "wait",
            Self::Capture => "capture",
            Self::Lookup => "lookup",
            Self::Mark => "mark",
        }
    }

    /// Whether the device does it, so that it can have a device time.
    pub(super) fn is_work(self) -> bool {
        matches!(self, Self::Launch | Self::GraphLaunch | Self::Copy | Self::Fill)
    }
}

/// A time and another that is not before it, in nanoseconds since the trace began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize))]
pub struct Interval {
    /// Its begin.
    pub start_ns: u64,
    /// Its end.
    pub end_ns: u64,
}

impl Interval {
    /// From begin to end, in nanoseconds.
    pub fn duration_ns(self) -> u64 {
        self.end_ns.saturating_sub(self.start_ns)
    }
}

/// An argument by name.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Argument {
    /// The parameter, or `#2` where the declaration is not known.
    pub name: Cow<'static, str>,
    /// Its type as declared; empty where it is not known.
    #[cfg_attr(feature = "json", serde(rename = "type", default, skip_serializing_if = "str::is_empty"))]
    pub rust_type: Cow<'static, str>,
    /// What was passed.
    pub value: Value,
}

impl Argument {
    pub(super) fn new(name: impl Into<Cow<'static, str>>, value: impl Into<Value>) -> Self {
        Self { name: name.into(), rust_type: Cow::Borrowed(""), value: value.into() }
    }

    /// Whether this is a value and no memory.
    pub fn is_scalar(&self) -> bool {
        matches!(self.value, Value::Text(_))
    }
}

/// What was passed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "json", serde(untagged))]
#[non_exhaustive]
pub enum Value {
    /// A value, as Rust writes it; as hexadecimal digits where it is no number. A tensor map is the words `tensor map`.
    Text(Cow<'static, str>),
    /// In memory that the trace saw being allocated.
    Memory {
        /// The number of the allocation.
        allocation: u64,
        /// Bytes from its start.
        offset: u64,
    },
    /// At an address of the device, in memory that the trace does not know.
    Address {
        /// As `0x7f00`.
        address: String,
    },
    /// At an address of the host.
    Host {
        /// As `0x7f00`.
        host: String,
    },
}

impl From<u64> for Value {
    fn from(number: u64) -> Self {
        Self::Text(number.to_string().into())
    }
}

impl From<usize> for Value {
    fn from(number: usize) -> Self {
        Self::Text(number.to_string().into())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text.into())
    }
}

impl From<&'static str> for Value {
    fn from(text: &'static str) -> Self {
        Self::Text(text.into())
    }
}

/// `#3+64` of memory that is known; an address of memory that is not; else the value.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::Memory { allocation, offset } => write!(f, "#{allocation}+{offset}"),
            Self::Address { address } => f.write_str(address),
            Self::Host { host } => write!(f, "host {host}"),
        }
    }
}

/// `eps=1e-5f32`, with the type of a number.
impl fmt::Display for Argument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_number = self.is_scalar()
            && matches!(
                &*self.rust_type,
                "i8" | "i16"
                    | "i32"
                    | "i64"
                    | "isize"
                    | "u8"
                    | "u16"
                    | "u32"
                    | "u64"
                    | "usize"
                    | "f32"
                    | "f64"
            );
        write!(f, "{}={}{}", self.name, self.value, if is_number { &self.rust_type } else { "" })
    }
}

/// The call in one line: `rms_norm<<<[4,1,1],[256,1,1]>>>(output=#3+0, hidden_size=4096u32, eps=1e-5f32)`.
impl fmt::Display for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        if let Some(config) = &self.config {
            write!(f, "{config}")?;
        }
        if self.kind == Kind::Mark {
            return Ok(());
        }
        f.write_str("(")?;
        for (index, argument) in self.arguments.iter().enumerate() {
            write!(f, "{}{argument}", if index > 0 { ", " } else { "" })?;
        }
        f.write_str(")")
    }
}

impl Recording {
    /// All calls by number, those that were recorded into graphs included; of graphs that were captured before a
    /// [part](Self::calls) of the trace, none.
    pub fn all(&self) -> Vec<&Record> {
        let is_call =
            |record: &&Record| self.calls.as_ref().is_none_or(|calls| calls.contains(&record.number));
        self.in_order(self.held().filter(is_call))
    }

    /// All records by number, whichever call they are of.
    #[cfg(feature = "json")]
    pub(super) fn all_records(&self) -> Vec<&Record> {
        self.in_order(self.held())
    }

    /// What graphs hold.
    fn held(&self) -> impl Iterator<Item = &Record> {
        self.graphs.values().flat_map(|graph| &graph.records)
    }

    fn in_order<'a>(&'a self, held: impl Iterator<Item = &'a Record>) -> Vec<&'a Record> {
        let mut all: Vec<_> = self.records.iter().chain(held).collect();
        // What graphs hold is put in its place. An expanded recording has nothing to be put, and is no more in this order.
        if !self.graphs.is_empty() {
            all.sort_by_key(|record| record.number);
        }
        all
    }

    /// The launches of kernels, in order; not those that were recorded into graphs.
    pub fn launches(&self) -> impl Iterator<Item = &Record> {
        self.records.iter().filter(|record| record.kind == Kind::Launch)
    }

    /// The graph that a launch of one launches, where the trace saw it being captured.
    pub fn graph_of(&self, launch: &Record) -> Option<&RecordedGraph> {
        self.graphs.get(&launch.graph()?)
    }

    /// The same with every launch of a graph replaced by what the graph holds: what the device is given to execute.
    ///
    /// A graph that the trace did not see being captured stays one record.
    #[must_use]
    pub fn expanded(&self) -> Self {
        let mut records = Vec::with_capacity(self.records.len());
        for record in &self.records {
            self.expand(record.clone(), &mut Vec::new(), &mut records);
        }
        Self { records, graphs: BTreeMap::new(), ..self.clone() }
    }

    /// Adds a call, or what the graph holds that it launches. `within` are the graphs that it is part of: a file could say that a
    /// graph launches itself.
    fn expand(&self, record: Record, within: &mut Vec<u64>, into: &mut Vec<Record>) {
        let number = record.graph().filter(|number| record.error.is_none() && !within.contains(number));
        let Some((number, graph)) = number.and_then(|number| Some((number, self.graphs.get(&number)?)))
        else {
            into.push(record);
            return;
        };
        within.push(number);
        for held in graph.records.iter().filter(|held| held.error.is_none()) {
            let held = Record { host: record.host, stream: record.stream, ..held.clone() };
            self.expand(held, within, into);
        }
        within.pop();
    }
}

impl Record {
    /// The number of the graph, where this launches one that the trace saw being captured.
    pub fn graph(&self) -> Option<u64> {
        let graph = self.argument("graph").filter(|_| self.kind == Kind::GraphLaunch)?;
        self.numbered(graph).map(|(_, number)| number)
    }

    /// The argument of this name.
    pub fn argument(&self, name: &str) -> Option<&Argument> {
        self.arguments.iter().find(|argument| argument.name == name)
    }
}
