//! What is copied out of the trace under its lock, to be decoded afterwards.

use std::collections::{BTreeMap, HashMap};
use std::ops::RangeInclusive;
use std::sync::Arc;

use super::Shared;
use super::captures::Capture;
use super::decode::{Decoder, Held, Known, allocation, handles};
use super::entry::Entry;
use super::history::History;
use super::part::untimed;
use super::recording::{Recording, TracedBackend};
use super::state::State;
use super::timing::Clock;
use crate::backend::{BackendId, KernelHandle};

pub(super) struct Snapshot {
    entries: Vec<Entry>,
    dropped: u64,
    calls: Option<RangeInclusive<u64>>,
    history: History,
    names: HashMap<(BackendId, KernelHandle), Arc<str>>,
    graphs: Vec<(u64, Arc<Held>)>,
    /// What captures that go on have recorded so far, with the numbers of their graphs.
    captures: Vec<(u64, Vec<Entry>, u64)>,
    clocks: Vec<Clock>,
    problems: Vec<String>,
    backends: Vec<TracedBackend>,
}

impl State {
    /// A copy of what there is; with `take`, the calls themselves, which are kept no more.
    pub(super) fn snapshot(&mut self, take: bool, process_ends: bool) -> Snapshot {
        let history = self.history.clone();
        let graphs = self.graphs.iter().map(|(number, held)| (*number, Arc::clone(held))).collect();
        let captures = self.captures.all().map(Capture::so_far).collect();
        let calls = (self.taken > 0).then(|| self.taken + 1..=self.calls);
        let (entries, dropped) = if take { self.ring.take() } else { (self.ring.copy(), self.ring.dropped) };
        if take {
            self.taken = self.calls;
            self.forget();
        }
        let mut problems = self.problems.clone();
        problems.extend(self.unread(process_ends).map(Into::into));
        Snapshot {
            entries,
            dropped,
            calls,
            history,
            names: self.names.clone(),
            graphs,
            captures,
            clocks: self.clocks.clone(),
            problems,
            backends: self.backends.iter().map(|(backend, _)| backend.clone()).collect(),
        }
    }
}

impl Snapshot {
    pub(super) fn decode(self, shared: &Shared) -> Recording {
        let known = Known { history: &self.history, names: &self.names };
        let mut decoder = Decoder::new(known, self.clocks);
        let records: Vec<_> = self.entries.iter().map(|entry| decoder.record(entry)).collect();
        let begun = self
            .captures
            .iter()
            .map(|(graph, entries, dropped)| (*graph, Arc::new(Held::new(known, *graph, entries, *dropped))));
        let whole: Vec<_> = self.graphs.into_iter().chain(begun).collect();
        let mut held: BTreeMap<u64, &Held> = BTreeMap::new();
        for (number, whole) in &whole {
            held.insert(*number, whole);
            held.extend(whole.all_within());
        }
        // By number; what a graph names may be there twice.
        let mut allocations: BTreeMap<u64, _> =
            self.history.lives().filter_map(allocation).map(|found| (found.number, found)).collect();
        let mut named: BTreeMap<_, _> = held
            .values()
            .flat_map(|held| &held.handles)
            .map(|handle| ((handle.what.clone(), handle.number), handle.clone()))
            .collect();
        named
            .extend(handles(&self.history).map(|(_, handle)| ((handle.what.clone(), handle.number), handle)));
        for held in held.values() {
            allocations.extend(held.allocations.iter().map(|found| (found.number, found.clone())));
        }
        let mut recording = Recording {
            trace: shared.id,
            began_unix_ns: shared.began_unix_ns,
            dropped: self.dropped,
            untimed: if shared.options.device_times { untimed(&records) } else { 0 },
            problems: self.problems,
            backends: self.backends,
            calls: self.calls,
            handles: Vec::new(),
            allocations: allocations.into_values().collect(),
            records,
            graphs: held.into_iter().map(|(number, held)| (number, held.graph.clone())).collect(),
        };
        if let Some(calls) = &recording.calls {
            let needed = recording.needed_graphs(&recording.records, calls);
            recording.graphs.retain(|number, _| needed.contains(number));
        }
        let all: Vec<_> = named.into_values().collect();
        recording.handles = recording.named_handles(&all).cloned().collect();
        recording
    }
}
