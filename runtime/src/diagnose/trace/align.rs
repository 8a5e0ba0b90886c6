//! Which call of one recording is which of another.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;
use std::hash::Hash;
use std::time::{Duration, Instant};

use similar::{Algorithm, DiffOp, capture_diff_slices_deadline};

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
        Self { allocations, backends, same_trace, deadline }
    }

    /// The number that an allocation of the second recording has in the first; where it has none, one that none has there.
    fn allocation(&self, after: u64) -> u64 {
        self.allocations.get(&after).copied().unwrap_or(u64::MAX - after)
    }

    fn backend(&self, after: Option<u32>) -> Option<u32> {
        after.map(|after| self.backends.get(&after).copied().unwrap_or(after))
    }

    /// Whether two arguments pass the same.
    pub(super) fn same(&self, before: &Value, after: &Value) -> bool {
        match (before, after) {
            (Value::Host { .. }, Value::Host { .. }) => true,
            (Value::Address { .. }, Value::Address { .. }) if !self.same_trace => true,
            (before, Value::Memory { allocation, offset }) => {
                *before == Value::Memory { allocation: self.allocation(*allocation), offset: *offset }
            }
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
        let Record { config, stream, captured, .. } = record;
        let mut text = format!("{:?} {config:?} {stream:?} {captured:?}", kind(record, backend));
        for Argument { name, value, .. } in &record.arguments {
            let value = match value {
                Value::Memory { allocation, offset } => {
                    let allocation = of_after.map_or(*allocation, |this| this.allocation(*allocation));
                    format!("#{allocation}+{offset}")
                }
                Value::Host { .. } => "host".into(),
                Value::Address { .. } if !self.same_trace => "address".into(),
                other => other.to_string(),
            };
            let _ = write!(text, " {name}={value}");
        }
        text
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

fn compare<T: Hash + Ord>(before: &[T], after: &[T], deadline: Instant) -> Vec<DiffOp> {
    capture_diff_slices_deadline(Algorithm::Myers, before, after, Some(deadline))
}
