//! Which call of one recording is which of another.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt::Write as _;
use std::hash::Hash;
use std::time::{Duration, Instant};

use similar::{Algorithm, DiffOp, capture_diff_slices_deadline};

use super::names::Numbered;
use super::recording::{Allocation, Argument, Record, Recording, Value};

/// After this long, the rest is aligned roughly. It takes sequences of tens of thousands of calls that have little in common.
const PATIENCE: Duration = Duration::from_secs(5);

/// A pair of calls, by their places.
pub(super) type Pair = (usize, usize);

/// How numbers and addresses of one recording are those of another.
pub(super) struct Correspondence {
    /// From the second to the first.
    allocations: HashMap<u64, u64>,
    backends: HashMap<u32, u32>,
    numbers: HashMap<(Numbered, u64), u64>,
    same_trace: bool,
    deadline: Instant,
}

impl Correspondence {
    pub(super) fn new(before: &Recording, after: &Recording) -> Self {
        let same_trace = before.trace == after.trace;
        let numbers = |recording: &Recording| -> Vec<u32> {
            recording.backends.iter().map(|backend| backend.number).collect()
        };
        let backends = numbers(after).into_iter().zip(numbers(before)).filter(|_| !same_trace).collect();
        let deadline = Instant::now() + PATIENCE;
        let allocations = allocations(before, after, same_trace, deadline);
        let of_kind = |what| numbers_of(what, before, after, same_trace, deadline);
        let numbers = [Numbered::Stream, Numbered::Event, Numbered::Graph].into_iter().flat_map(of_kind);
        Self { allocations, backends, numbers: numbers.collect(), same_trace, deadline }
    }

    /// The number that a stream, event or graph of the second recording has in the first.
    pub(super) fn number(&self, what: Numbered, after: u64) -> u64 {
        self.numbers.get(&(what, after)).copied().unwrap_or(after)
    }

    /// The number that an allocation of the second recording has in the first; where it has none, one that none has there.
    fn allocation(&self, after: u64) -> u64 {
        self.allocations.get(&after).copied().unwrap_or(u64::MAX - after)
    }

    fn backend(&self, after: Option<u32>) -> Option<u32> {
        after.map(|after| self.backends.get(&after).copied().unwrap_or(after))
    }

    /// Whether an argument is the same as one of a call of the second recording.
    pub(super) fn same(&self, before: &Argument, record: &Record, after: &Argument) -> bool {
        match (&before.value, &*self.in_before(record, after)) {
            (Value::Host { .. }, Value::Host { .. }) => true,
            (Value::Address { .. }, Value::Address { .. }) if !self.same_trace => true,
            (before, after) => before == after,
        }
    }

    /// The pairs of calls that are the same one. Neither place goes back.
    pub(super) fn align(&self, before: &[&Record], after: &[&Record]) -> Vec<Pair> {
        let kinds_before: Vec<_> = before.iter().map(|record| kind(record, record.backend)).collect();
        let kinds_after: Vec<_> =
            after.iter().map(|record| kind(record, self.backend(record.backend))).collect();
        if kinds_before == kinds_after {
            return (0..before.len()).map(|index| (index, index)).collect();
        }
        // First those that are the same altogether, then, between them, those of one kernel or operation.
        let whole_before: Vec<_> = before.iter().map(|record| self.whole(record, None)).collect();
        let whole_after: Vec<_> = after.iter().map(|record| self.whole(record, Some(self))).collect();
        let mut pairs = Vec::new();
        for op in compare(&whole_before, &whole_after, self.deadline) {
            let (of_before, of_after) = (op.old_range(), op.new_range());
            match op {
                DiffOp::Equal { .. } => pairs.extend(of_before.zip(of_after)),
                DiffOp::Replace { .. } => {
                    let (from_before, from_after) = (of_before.start, of_after.start);
                    let rest = compare(&kinds_before[of_before], &kinds_after[of_after], self.deadline);
                    for op in rest.into_iter().filter(|op| matches!(op, DiffOp::Equal { .. })) {
                        let places = op.old_range().zip(op.new_range());
                        pairs.extend(places.map(|(old, new)| (from_before + old, from_after + new)));
                    }
                }
                DiffOp::Delete { .. } | DiffOp::Insert { .. } => {}
            }
        }
        pairs
    }

    /// All of a call that is compared, in words of the first recording.
    pub(super) fn whole(&self, record: &Record, of_after: Option<&Self>) -> String {
        let backend = of_after.map_or(record.backend, |this| this.backend(record.backend));
        let number = |what, number: Option<u64>| {
            number.map(|number| of_after.map_or(number, |this| this.number(what, number)))
        };
        let stream = number(Numbered::Stream, record.stream);
        let captured = number(Numbered::Graph, record.captured);
        let mut text = format!("{:?} {:?} {stream:?} {captured:?}", kind(record, backend), record.config);
        for argument in &record.arguments {
            let value = match of_after {
                Some(this) => this.in_before(record, argument),
                None => Cow::Borrowed(&argument.value),
            };
            let _ = match &*value {
                Value::Host { .. } => write!(text, " {}=host", argument.name),
                Value::Address { .. } if !self.same_trace => write!(text, " {}=address", argument.name),
                other => write!(text, " {}={other}", argument.name),
            };
        }
        text
    }

    /// What an argument of the second recording is in words of the first.
    fn in_before<'v>(&self, record: &Record, argument: &'v Argument) -> Cow<'v, Value> {
        if let Value::Memory { allocation, offset } = argument.value {
            return Cow::Owned(Value::Memory { allocation: self.allocation(allocation), offset });
        }
        match record.numbered(argument) {
            Some((what, number)) => Cow::Owned(Value::from(self.number(what, number))),
            None => Cow::Borrowed(&argument.value),
        }
    }
}

/// What calls have in common that are compared with each other.
fn kind(record: &Record, backend: Option<u32>) -> (super::Kind, &str, Option<u32>) {
    (record.kind, &record.name, backend)
}

/// Which memory of the second recording is which of the first: in one trace, by number; what has no namesake there, and that of
/// another trace, by the order of allocations and their lengths.
fn allocations(
    before: &Recording,
    after: &Recording,
    same_trace: bool,
    deadline: Instant,
) -> HashMap<u64, u64> {
    let numbers = |recording: &Recording| -> HashSet<u64> {
        recording.allocations.iter().map(|allocation| allocation.number).collect()
    };
    let (known_before, known_after) = (numbers(before), numbers(after));
    let in_both = |allocation: &&Allocation| {
        same_trace && known_before.contains(&allocation.number) && known_after.contains(&allocation.number)
    };
    let mut found: HashMap<u64, u64> =
        after.allocations.iter().filter(in_both).map(|same| (same.number, same.number)).collect();
    let rest = |recording: &'_ Recording| -> Vec<(u64, (String, u64))> {
        let rest = recording.allocations.iter().filter(|allocation| !in_both(allocation));
        rest.map(|memory| (memory.number, (memory.memory.to_string(), memory.bytes))).collect()
    };
    let (rest_before, rest_after) = (rest(before), rest(after));
    let (numbers_before, keys_before): (Vec<_>, Vec<_>) = rest_before.into_iter().unzip();
    let (numbers_after, keys_after): (Vec<_>, Vec<_>) = rest_after.into_iter().unzip();
    for op in compare(&keys_before, &keys_after, deadline) {
        // Memory of another length at the same place is the same memory, of a larger batch perhaps.
        if let DiffOp::Equal { .. } | DiffOp::Replace { .. } = op {
            let places = op.old_range().zip(op.new_range());
            found.extend(places.map(|(old, new)| (numbers_after[new], numbers_before[old])));
        }
    }
    found
}

/// The streams, events or graphs of one recording.
struct Numbers {
    /// All that calls name.
    named: HashSet<u64>,
    /// Those among them that were made or captured meanwhile, in their order.
    made: Vec<u64>,
}

impl Numbers {
    fn new(what: Numbered, recording: &Recording) -> Self {
        let all = recording.all();
        let of_kind = |(found, number): (Numbered, u64)| (found == what).then_some(number);
        let made: BTreeSet<u64> =
            all.iter().filter_map(|record| record.makes()).filter_map(of_kind).collect();
        let named = all.iter().flat_map(|record| record.names()).filter_map(of_kind).collect();
        Self { named, made: made.into_iter().collect() }
    }

    /// Those that were made meanwhile and that have no namesake in the other recording.
    fn without_namesakes(&self, other: &Self, same_trace: bool) -> Vec<u64> {
        let is_namesake = |number: &u64| {
            let was_there = other.made.binary_search(number).is_err();
            other.named.contains(number) && (same_trace || was_there)
        };
        self.made.iter().copied().filter(|number| !is_namesake(number)).collect()
    }
}

/// Which numbers of the second recording are other ones in the first. A number is the same one wherever it is named in one trace; what
/// was made in both recordings meanwhile is the same by the order in which it was made.
fn numbers_of(
    what: Numbered,
    before: &Recording,
    after: &Recording,
    same_trace: bool,
    deadline: Instant,
) -> Vec<((Numbered, u64), u64)> {
    let (of_before, of_after) = (Numbers::new(what, before), Numbers::new(what, after));
    let rest_before = of_before.without_namesakes(&of_after, same_trace);
    let rest_after = of_after.without_namesakes(&of_before, same_trace);
    let keys = |recording: &Recording, numbers: &[u64]| -> Vec<String> {
        let key = |number| if what == Numbered::Graph { holds(recording, number) } else { String::new() };
        numbers.iter().map(|number| key(*number)).collect()
    };
    let (keys_before, keys_after) = (keys(before, &rest_before), keys(after, &rest_after));
    let mut found = HashMap::new();
    for op in compare(&keys_before, &keys_after, deadline) {
        if let DiffOp::Equal { .. } | DiffOp::Replace { .. } = op {
            let places = op.old_range().zip(op.new_range());
            found.extend(places.map(|(old, new)| (rest_after[new], rest_before[old])));
        }
    }
    // One that is none of the first is not taken for what has its number there.
    let taken: HashSet<u64> = found.values().copied().collect();
    for number in rest_after {
        if taken.contains(&number) {
            found.entry(number).or_insert(u64::MAX - number);
        }
    }
    found.into_iter().map(|(after, before)| ((what, after), before)).collect()
}

/// What a graph holds, by name.
fn holds(recording: &Recording, graph: u64) -> String {
    let records = recording.graphs.get(&graph).map_or(&[][..], |graph| &graph.records);
    records.iter().map(|record| &*record.name).collect::<Vec<_>>().join(" ")
}

fn compare<T: Hash + Ord>(before: &[T], after: &[T], deadline: Instant) -> Vec<DiffOp> {
    capture_diff_slices_deadline(Algorithm::Myers, before, after, Some(deadline))
}
