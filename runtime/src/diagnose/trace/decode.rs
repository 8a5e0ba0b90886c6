//! From what was kept of a call to what is told of it.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::entry::{Entry, What};
use super::history::{History, Life, Sweep, Thing};
use super::names::Numbered;
use super::part::allocations_of;
use super::recording::{Allocation, Argument, Interval, NumberedHandle, Record, RecordedGraph, Value};
use super::timing::Clock;
use crate::argument::{DevicePtr, KernelArg, ParameterKind};
use crate::backend::{BackendId, Fill, KernelHandle};
use crate::device::CalledAt;
use crate::diagnose::args::Args;
use crate::diagnose::{Place, Transfer};
use crate::launch::{Kernel, Parameter, describe_field, describe_value, field_bytes};

/// What a graph holds, and what that names.
#[derive(Clone, Debug)]
pub(super) struct Held {
    pub(super) graph: RecordedGraph,
    pub(super) allocations: Vec<Allocation>,
    pub(super) handles: Vec<NumberedHandle>,
    /// The graphs that are launched in it, by their number: they may be destroyed before it.
    pub(super) within: Vec<(u64, Arc<Held>)>,
}

/// What decoding needs to know.
#[derive(Clone, Copy)]
pub(super) struct Known<'a> {
    pub(super) history: &'a History,
    /// The names of kernels that no declaration was given for.
    pub(super) names: &'a HashMap<(BackendId, KernelHandle), Arc<str>>,
}

impl Held {
    /// Decodes what was recorded into a graph.
    pub(super) fn new(known: Known<'_>, graph: u64, entries: &[Entry], dropped: u64) -> Self {
        let mut decoder = Decoder::new(known, Vec::new());
        let records: Vec<Record> =
            entries.iter().map(|entry| Record { captured: Some(graph), ..decoder.record(entry) }).collect();
        let named: HashSet<u64> = records.iter().flat_map(allocations_of).collect();
        let lives = known.history.lives();
        let lives = lives.filter(|life| life.memory.is_some() && named.contains(&life.number));
        let allocations = lives.filter_map(allocation).collect();
        let named: HashSet<(Numbered, u64)> = records.iter().flat_map(Record::names).collect();
        let handles = handles(known.history);
        let handles = handles.filter(|(key, _)| named.contains(key)).map(|(_, handle)| handle).collect();
        Self { graph: RecordedGraph { records, dropped }, allocations, handles, within: Vec::new() }
    }

    /// The graphs that are launched in it, and what these launch.
    pub(super) fn all_within(&self) -> Vec<(u64, &Self)> {
        let mut all = Vec::new();
        let mut rest: Vec<&(u64, Arc<Self>)> = self.within.iter().collect();
        while let Some((number, held)) = rest.pop() {
            all.push((*number, &**held));
            rest.extend(&held.within);
        }
        all
    }
}

/// The handles that numbers stand for.
pub(super) fn handles(history: &History) -> impl Iterator<Item = ((Numbered, u64), NumberedHandle)> {
    let numbered = |what: Numbered, number, backend: BackendId, handle: u64| {
        let (name, handle) = (what.as_str().into(), format!("{handle:#x}"));
        ((what, number), NumberedHandle { what: name, number, backend: backend.get(), handle })
    };
    let of_life = move |life: &Life| {
        let (thing, backend, handle) = life.key;
        let what = match thing {
            Thing::Memory | Thing::Pinned => return None,
            Thing::Stream => Numbered::Stream,
            Thing::Event => Numbered::Event,
            Thing::Graph => Numbered::Graph,
        };
        // A capture that was abandoned has made no graph.
        (handle != 0).then(|| numbered(what, life.number, backend, handle))
    };
    let strangers = history.strangers();
    let strangers = strangers
        .into_iter()
        .map(move |((backend, handle), number)| numbered(Numbered::Stream, number, backend, handle));
    history.lives().filter_map(of_life).chain(strangers)
}

/// The memory that a life is.
pub(super) fn allocation(life: &Life) -> Option<Allocation> {
    let memory = life.memory?;
    let (_, backend, address) = life.key;
    Some(Allocation {
        number: life.number,
        backend: backend.get(),
        memory: memory.kind.as_str().into(),
        bytes: memory.bytes as u64,
        address: format!("{address:#x}"),
        location: memory.location.to_string(),
    })
}

pub(super) struct Decoder<'a> {
    known: Known<'a>,
    sweep: Sweep<'a>,
    clocks: Vec<Clock>,
}

impl<'a> Decoder<'a> {
    pub(super) fn new(known: Known<'a>, clocks: Vec<Clock>) -> Self {
        Self { known, sweep: known.history.sweep(), clocks }
    }

    /// Decodes an entry. Entries come in their order.
    pub(super) fn record(&mut self, entry: &Entry) -> Record {
        self.sweep.to(entry.number);
        Record {
            number: entry.number,
            kind: entry.what.kind(),
            name: self.name(entry),
            config: match entry.what {
                What::Launch { config, .. } => Some(config),
                _ => None,
            },
            arguments: self.arguments(entry),
            stream: entry
                .backend
                .zip(entry.stream)
                .map(|(backend, stream)| self.stream(backend, stream.get())),
            captured: None,
            backend: entry.backend.map(BackendId::get),
            thread: entry.thread,
            host: Interval { start_ns: entry.start_ns, end_ns: entry.end_ns },
            device: entry.device.map(|time| time.interval(&self.clocks)),
            location: CalledAt(entry.location).to_string(),
            error: entry.error.as_deref().map(Into::into),
        }
    }

    fn name(&self, entry: &Entry) -> Cow<'static, str> {
        match &entry.what {
            What::Launch { declaration: Some(kernel), .. } => kernel.name().into(),
            What::Launch { kernel, .. } => {
                let name = entry.backend.and_then(|backend| self.known.names.get(&(backend, *kernel)));
                name.map_or_else(|| kernel.to_string(), ToString::to_string).into()
            }
            What::Graph(_) => "graph".into(),
            What::Mark(label) => label.to_string().into(),
            _ => entry.name.into(),
        }
    }

    /// The default stream is number 0. Those that the trace did not see being created come after all that it can.
    fn stream(&self, backend: BackendId, handle: u64) -> u64 {
        match self.sweep.number((Thing::Stream, backend, handle)) {
            Some(number) => number,
            None if handle == 0 => 0,
            None => self.known.history.stranger(backend, handle),
        }
    }

    fn arguments(&self, entry: &Entry) -> Vec<Argument> {
        let Some(backend) = entry.backend else { return Vec::new() };
        let handle = |thing, handle: u64| match self.sweep.number((thing, backend, handle)) {
            Some(number) => Value::from(number),
            None => format!("{handle:#x}").into(),
        };
        let one = |name: &'static str, value: Value| vec![Argument::new(name, value)];
        match &entry.what {
            What::Launch { declaration, .. } => self.launch_arguments(backend, *declaration, &entry.args),
            What::Graph(graph) | What::DestroyGraph(graph) => one("graph", handle(Thing::Graph, graph.get())),
            What::Capture(graph) => one("graph", Value::from(*graph)),
            What::Event(event) | What::WaitEvent(event) => one("event", handle(Thing::Event, event.get())),
            What::CreateStream(stream) => one("stream", Value::from(self.stream(backend, stream.get()))),
            What::WaitStream(stream) => one("other", Value::from(self.stream(backend, stream.get()))),
            What::Copy(Transfer { dst, src, bytes, .. }) => vec![
                Argument::new("dst", self.place(backend, *dst)),
                Argument::new("src", self.place(backend, *src)),
                Argument::new("bytes", *bytes),
            ],
            What::Rectangle(copy) => vec![
                Argument::new("dst", self.device(backend, copy.dst)),
                Argument::new("dst_pitch", copy.dst_pitch),
                Argument::new("src", self.device(backend, copy.src)),
                Argument::new("src_pitch", copy.src_pitch),
                Argument::new("width", copy.width),
                Argument::new("height", copy.height),
            ],
            What::Fill { dst, fill, bytes } => vec![
                Argument::new("dst", self.device(backend, *dst)),
                Argument::new(
                    "fill",
                    match fill {
                        Fill::Byte(byte) => format!("{byte:#04x}"),
                        Fill::Word(word) => format!("{word:#010x}"),
                    },
                ),
                Argument::new("bytes", *bytes),
            ],
            What::Allocate { memory, bytes, address } => {
                let mut arguments = vec![Argument::new("bytes", *bytes)];
                if let Some(address) = address {
                    let memory = match memory {
                        crate::diagnose::MemoryKind::Pinned => self.host(backend, *address),
                        _ => self.device(backend, DevicePtr::new(*address)),
                    };
                    arguments.push(Argument::new("memory", memory));
                }
                arguments
            }
            What::Free(ptr) => one("memory", self.device(backend, *ptr)),
            What::FreePinned(address) => one("memory", self.host(backend, *address)),
            What::Lookup(name) => one("name", name.to_string().into()),
            What::Mark(_) | What::Plain(_) => Vec::new(),
        }
    }

    fn launch_arguments(
        &self,
        backend: BackendId,
        declaration: Option<&'static Kernel>,
        args: &Args,
    ) -> Vec<Argument> {
        let parameters = declaration.map_or(&[][..], Kernel::parameters);
        let mut arguments = Vec::with_capacity(parameters.len());
        for (index, arg) in args.iter().enumerate() {
            let parameter = parameters.get(index);
            let name = parameter.map_or_else(|| format!("#{index}").into(), |known| known.name().into());
            let rust_type = parameter.map_or("", |known| known.rust_type());
            let value = match (arg, parameter.map(Parameter::kind)) {
                (KernelArg::Buffer(ptr), _) => self.device(backend, ptr),
                (KernelArg::Bytes(bytes), Some(ParameterKind::Struct { fields, .. }))
                    if fields.iter().all(|field| field_bytes(field, bytes.as_bytes()).is_some()) =>
                {
                    for field in fields {
                        let bytes = field_bytes(field, bytes.as_bytes()).unwrap_or_default();
                        let value = match <[u8; 8]>::try_from(bytes) {
                            Ok(address) if field.rust_type.ends_with("DevicePtr") => {
                                self.device(backend, DevicePtr::new(u64::from_le_bytes(address)))
                            }
                            _ => describe_field(field, bytes).into(),
                        };
                        let name = format!("{name}.{}", field.name);
                        arguments.push(Argument {
                            name: name.into(),
                            rust_type: field.rust_type.into(),
                            value,
                        });
                    }
                    continue;
                }
                // A vector is none of the numbers, and is told by its digits; so is what nobody declared.
                (KernelArg::Bytes(bytes), kind) => {
                    describe_value(kind.unwrap_or(ParameterKind::Vector), bytes.as_bytes()).into()
                }
            };
            arguments.push(Argument { name, rust_type: rust_type.into(), value });
        }
        arguments
    }

    fn place(&self, backend: BackendId, place: Place) -> Value {
        match place {
            Place::Device(ptr) => self.device(backend, ptr),
            Place::Host(address) => self.host(backend, address as u64),
        }
    }

    fn device(&self, backend: BackendId, ptr: DevicePtr) -> Value {
        if ptr.is_null() {
            return "null".into();
        }
        match self.sweep.memory((Thing::Memory, backend, ptr.address())) {
            Some((allocation, offset)) => Value::Memory { allocation, offset },
            None => Value::Address { address: ptr.to_string() },
        }
    }

    fn host(&self, backend: BackendId, address: u64) -> Value {
        match self.sweep.memory((Thing::Pinned, backend, address)) {
            Some((allocation, offset)) => Value::Memory { allocation, offset },
            None => Value::Host { host: format!("{address:#x}") },
        }
    }
}
