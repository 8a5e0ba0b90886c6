//! A part of a trace: its own calls, and what these need of the rest.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::{Range, RangeInclusive};

use super::names::Numbered;
use super::recording::{Kind, NumberedHandle, Record, RecordedGraph, Recording, Value};

impl Recording {
    /// One recording a step, where [`mark`](super::Trace::mark) with this label begins each. What is before the first is left
    /// out.
    ///
    /// A step has the graphs that were captured in it, and those that it launches, so that it can be
    /// [expanded](Self::expanded). What was recorded into a graph before the step is no call of it.
    pub fn steps(&self, label: &str) -> Vec<Self> {
        let is_begin = |record: &Record| record.kind == Kind::Mark && record.name == label;
        let begins = self.records.iter().enumerate().filter(|(_, record)| is_begin(record));
        let mut bounds: Vec<usize> = begins.map(|(place, _)| place).collect();
        bounds.push(self.records.len());
        let spans = self.lifetimes();
        bounds.windows(2).map(|bounds| self.step(bounds[0]..bounds[1], &spans)).collect()
    }

    fn step(&self, places: Range<usize>, lifetimes: &HashMap<u64, RangeInclusive<u64>>) -> Self {
        let records = self.records[places.clone()].to_vec();
        let first = records.first().map_or(0, |record| record.number);
        let last = match self.records.get(places.end) {
            Some(next) => next.number.saturating_sub(1),
            None => self.calls.as_ref().map_or(u64::MAX, |calls| *calls.end()),
        };
        let untimed = if self.untimed > 0 { untimed(&records) } else { 0 };
        let calls = first..=last;
        let needed = self.needed_graphs(&records, &calls).into_iter();
        let graphs = needed.filter_map(|number| Some((number, self.graphs.get(&number)?.clone()))).collect();
        let mut step = Self { records, graphs, calls: Some(calls), dropped: 0, untimed, ..self.about() };
        let held = step.graphs.values().flat_map(|graph| &graph.records);
        let named: HashSet<u64> = held.flat_map(allocations_of).collect();
        let is_live = |number: u64| {
            let lifetime = lifetimes.get(&number);
            lifetime.is_none_or(|lifetime| *lifetime.start() <= last && *lifetime.end() >= first)
        };
        let memory = self.allocations.iter();
        let memory = memory.filter(|memory| is_live(memory.number) || named.contains(&memory.number));
        step.allocations = memory.cloned().collect();
        step.handles = step.named_handles(&self.handles).cloned().collect();
        step
    }

    /// The trace itself, without its calls and what they name.
    fn about(&self) -> Self {
        Self {
            trace: self.trace,
            began_unix_ns: self.began_unix_ns,
            problems: self.problems.clone(),
            backends: self.backends.clone(),
            ..Self::default()
        }
    }

    /// The calls that allocated and freed memory, by its number. What was there before has none that allocated it.
    fn lifetimes(&self) -> HashMap<u64, RangeInclusive<u64>> {
        let mut lifetimes = HashMap::new();
        for record in &self.records {
            let Some(number) = record.memory() else { continue };
            let lifetime = lifetimes.entry(number).or_insert(0..=u64::MAX);
            *lifetime = if record.name.starts_with("free") {
                *lifetime.start()..=record.number
            } else {
                record.number..=*lifetime.end()
            };
        }
        lifetimes
    }

    /// The graphs that these calls capture or launch, also from within another graph.
    pub(super) fn needed_graphs(&self, records: &[Record], calls: &RangeInclusive<u64>) -> BTreeSet<u64> {
        let is_captured_here = |graph: &RecordedGraph| {
            let first = graph.records.partition_point(|record| record.number < *calls.start());
            graph.records.get(first).is_some_and(|record| record.number <= *calls.end())
        };
        let captured = self.graphs.iter().filter(|(_, graph)| is_captured_here(graph));
        let mut left: Vec<u64> = captured.map(|(number, _)| *number).collect();
        left.extend(records.iter().filter_map(|record| record.graph().or_else(|| graph_made(record))));
        let mut needed = BTreeSet::new();
        while let Some(number) = left.pop() {
            if needed.insert(number)
                && let Some(graph) = self.graphs.get(&number)
            {
                left.extend(graph.records.iter().filter_map(Record::graph));
            }
        }
        needed
    }

    /// Those of `handles` that a call here names.
    pub(super) fn named_handles<'a>(
        &self,
        handles: &'a [NumberedHandle],
    ) -> impl Iterator<Item = &'a NumberedHandle> + use<'a> {
        let held = self.graphs.values().flat_map(|graph| &graph.records);
        let names = self.records.iter().chain(held).flat_map(Record::names);
        let named: HashSet<(&str, u64)> = names.map(|(what, number)| (what.as_str(), number)).collect();
        handles.iter().filter(move |handle| named.contains(&(&*handle.what, handle.number)))
    }
}

/// How many pieces of work have no device time.
pub(super) fn untimed(records: &[Record]) -> u64 {
    let is_untimed =
        |record: &&Record| record.kind.is_work() && record.device.is_none() && record.error.is_none();
    records.iter().filter(is_untimed).count() as u64
}

/// The allocations that a call names.
pub(super) fn allocations_of(record: &Record) -> impl Iterator<Item = u64> {
    record.arguments.iter().filter_map(|argument| match argument.value {
        Value::Memory { allocation, .. } => Some(allocation),
        _ => None,
    })
}

/// The graph whose capture a call begins or ends, or that an expanded call was captured into.
fn graph_made(record: &Record) -> Option<u64> {
    record.makes().filter(|(what, _)| *what == Numbered::Graph).map(|(_, number)| number)
}
