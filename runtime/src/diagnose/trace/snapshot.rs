//! What is copied out of the trace under its lock, to be decoded afterwards.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::Shared;
use super::decode::{Decoder, Held, allocation};
use super::entry::Entry;
use super::history::History;
use super::recording::{Kind, Recording, TracedBackend};
use super::state::State;
use crate::backend::{BackendId, KernelHandle};

pub(super) struct Snapshot {
    entries: Vec<Entry>,
    dropped: u64,
    history: History,
    names: HashMap<(BackendId, KernelHandle), Arc<str>>,
    graphs: Vec<(u64, Arc<Held>)>,
    to_host: HashMap<BackendId, i64>,
    problems: Vec<String>,
    backends: Vec<TracedBackend>,
}

impl State {
    /// A copy of what there is; with `take`, the calls themselves, which are kept no more.
    pub(super) fn snapshot(&mut self, take: bool) -> Snapshot {
        let history = self.history.clone();
        let graphs = self.graphs.iter().map(|(number, held)| (*number, Arc::clone(held))).collect();
        let (entries, dropped) = if take { self.ring.take() } else { (self.ring.copy(), self.ring.dropped) };
        if take {
            self.forget();
        }
        let to_host =
            |(backend, timing): (&BackendId, &super::timing::Timing)| Some((*backend, timing.to_host?));
        Snapshot {
            entries,
            dropped,
            history,
            names: self.names.clone(),
            graphs,
            to_host: self.timings.iter().filter_map(to_host).collect(),
            problems: self.problems.clone(),
            backends: self.backends.iter().map(|(backend, _)| backend.clone()).collect(),
        }
    }
}

impl Snapshot {
    pub(super) fn decode(self, shared: &Shared) -> Recording {
        let mut decoder = Decoder::new(self.history.sweep(), &self.names, self.to_host);
        let records: Vec<_> = self.entries.iter().map(|entry| decoder.record(entry)).collect();
        let is_work = |kind| matches!(kind, Kind::Launch | Kind::GraphLaunch | Kind::Copy | Kind::Fill);
        let untimed = records
            .iter()
            .filter(|record| is_work(record.kind) && record.device.is_none() && record.error.is_none())
            .count();
        // By number; the memory that a graph names may be there twice.
        let mut allocations: BTreeMap<u64, _> =
            self.history.lives().filter_map(allocation).map(|found| (found.number, found)).collect();
        for (_, held) in &self.graphs {
            allocations.extend(held.allocations.iter().map(|found| (found.number, found.clone())));
        }
        Recording {
            trace: shared.id,
            began_unix_ns: shared.began_unix_ns,
            dropped: self.dropped,
            untimed: if shared.options.device_times { untimed as u64 } else { 0 },
            problems: self.problems,
            backends: self.backends,
            allocations: allocations.into_values().collect(),
            records,
            graphs: self.graphs.into_iter().map(|(number, held)| (number, held.graph.clone())).collect(),
        }
    }
}
