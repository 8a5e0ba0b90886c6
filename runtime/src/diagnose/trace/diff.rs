use std::collections::HashMap;
use std::fmt;

use super::align::Correspondence;
use super::names::Numbered;
use super::recording::{Argument, Record, Recording};
use crate::words::counted;

/// How one recording became another: which calls changed, moved, went missing or were added.
///
/// Calls are compared by what is launched, its configuration, its stream and its arguments. Memory is compared by the number of its
/// allocation and the place in it, so that the addresses of two runs do not matter; an additional allocation in between does
/// not either. Streams, events and graphs that were made in both are compared by their order. Addresses that the trace knows no
/// memory for are compared within one trace alone, addresses of the host and the content of tensor maps not at all.
///
/// ```
/// use warpcall::diagnose::trace::Trace;
/// # use warpcall::{Gpu, LaunchConfig, kernel};
/// #
/// # #[kernel(module = "norm")]
/// # unsafe extern "C" {
/// #     #[host(nothing)]
/// #     unsafe fn rms_norm(output: *mut f32, eps: f32);
/// # }
/// # fn nothing(_: &mut [f32], _: f32) {}
///
/// fn run(eps: f32) -> warpcall::Result<Trace> {
///     let trace = Trace::default();
///     let gpu = Gpu::builder().host().trace(&trace).open()?;
///     let mut output = gpu.zeros::<f32>(64)?;
///     let stream = gpu.create_stream()?;
///     // SAFETY: the kernel stays within `output`.
///     unsafe { launch_rms_norm(&stream, LaunchConfig::new(1, 64), &mut output, eps)? };
///     Ok(trace)
/// }
///
/// let diff = run(1e-5)?.diff(&run(1e-6)?);
/// let changed = diff.changed().next().unwrap();
/// assert_eq!(changed.changes[0].to_string(), "`eps`: 1e-5 became 1e-6");
/// assert!(run(1e-5)?.diff(&run(1e-5)?).is_empty());
/// # Ok::<(), warpcall::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Diff {
    /// The calls of both, in the order of the second; those that moved come last.
    pub pairs: Vec<Pair>,
    /// The calls that the second has not.
    pub missing: Vec<Record>,
    /// The calls that the first has not.
    pub added: Vec<Record>,
}

/// A call of both recordings.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Pair {
    /// It in the first.
    pub before: Record,
    /// It in the second.
    pub after: Record,
    /// What is different.
    pub changes: Vec<Change>,
    /// Whether it is at another place among the others.
    pub moved: bool,
}

/// What is different of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Change {
    /// An argument by its name in backquotes, or a word: `grid`, `stream`.
    pub what: String,
    /// What it was.
    pub before: String,
    /// What it is.
    pub after: String,
}

impl Recording {
    /// How this recording became `after`.
    ///
    /// What was recorded into a graph is compared where it was recorded, and a launch of a graph as one call. To compare launches
    /// in a graph with launches that were made one by one, compare what both [give the device](Self::expanded).
    pub fn diff(&self, after: &Self) -> Diff {
        let both = Correspondence::new(self, after);
        let (calls_before, calls_after) = (self.all(), after.all());
        let mut left_before: Vec<_> = calls_before.iter().copied().map(Some).collect();
        let mut left_after: Vec<_> = calls_after.iter().copied().map(Some).collect();
        let mut diff = Diff::default();
        let pair = |before: &Record, after: &Record, moved| Pair {
            changes: changes(&both, before, after),
            before: before.clone(),
            after: after.clone(),
            moved,
        };
        for (old, new) in both.align(&calls_before, &calls_after) {
            if let (Some(before), Some(after)) = (left_before[old].take(), left_after[new].take()) {
                diff.pairs.push(pair(before, after, false));
            }
        }
        // What is the same at another place has moved.
        let mut places: HashMap<String, Vec<usize>> = HashMap::new();
        for (index, record) in left_before.iter().enumerate().rev() {
            if let Some(record) = record {
                places.entry(both.whole(record, None)).or_default().push(index);
            }
        }
        for after in left_after.into_iter().flatten() {
            let place = places.get_mut(&both.whole(after, Some(&both))).and_then(Vec::pop);
            match place.and_then(|place| left_before[place].take()) {
                Some(before) => diff.pairs.push(pair(before, after, true)),
                None => diff.added.push(after.clone()),
            }
        }
        diff.missing = left_before.into_iter().flatten().cloned().collect();
        diff
    }
}

impl Diff {
    /// Whether nothing is different.
    pub fn is_empty(&self) -> bool {
        self.missing.is_empty()
            && self.added.is_empty()
            && self.pairs.iter().all(|pair| pair.changes.is_empty() && !pair.moved)
    }

    /// The calls that changed.
    pub fn changed(&self) -> impl Iterator<Item = &Pair> {
        self.pairs.iter().filter(|pair| !pair.changes.is_empty())
    }

    /// The calls that are at another place.
    pub fn moved(&self) -> impl Iterator<Item = &Pair> {
        self.pairs.iter().filter(|pair| pair.moved)
    }

    /// The arguments that are the same value in both, each with its launch in the second: among them, what should have changed.
    pub fn unchanged(&self) -> impl Iterator<Item = (&Record, &Argument)> {
        let launches = self.pairs.iter().filter(|pair| pair.after.config.is_some());
        launches.flat_map(|pair| {
            let same = |after: &&Argument| {
                after.is_scalar()
                    && pair.before.argument(&after.name).is_some_and(|before| before.value == after.value)
            };
            pair.after.arguments.iter().filter(same).map(|argument| (&pair.after, argument))
        })
    }
}

fn changes(both: &Correspondence, before: &Record, after: &Record) -> Vec<Change> {
    let mut found = Vec::new();
    let mut compare = |what: &str, before: String, after: String| {
        if before != after {
            found.push(Change { what: what.into(), before, after });
        }
    };
    if let (Some(before), Some(after)) = (before.config, after.config) {
        compare("grid", before.grid.to_string(), after.grid.to_string());
        compare("block", before.block.to_string(), after.block.to_string());
        compare("shared memory", before.shared_mem.to_string(), after.shared_mem.to_string());
        let attributes = |config: crate::LaunchConfig| {
            format!("{:?}", (config.cluster, config.cooperative, config.programmatic, config.priority))
        };
        compare("cluster, cooperative, programmatic, priority", attributes(before), attributes(after));
    }
    // The text of an error may name addresses.
    let outcome = |error: &Option<String>| error.as_ref().map_or("succeeded", |_| "failed");
    if before.error.is_some() != after.error.is_some() {
        compare("outcome", outcome(&before.error).into(), outcome(&after.error).into());
    }
    for (what, kind, before, after) in [
        ("stream", Numbered::Stream, before.stream, after.stream),
        ("graph that it was recorded into", Numbered::Graph, before.captured, after.captured),
    ] {
        if before != after.map(|number| both.number(kind, number)) {
            let or_none =
                |number: Option<u64>| number.map_or_else(|| "none".into(), |number| number.to_string());
            found.push(Change { what: what.into(), before: or_none(before), after: or_none(after) });
        }
    }
    for argument in &before.arguments {
        let other = after.argument(&argument.name);
        if other.is_none_or(|other| !both.same(argument, after, other)) {
            let after = other.map_or_else(|| "no argument".into(), |other| other.value.to_string());
            // Not compared as texts: the same number may be other memory.
            found.push(Change {
                what: format!("`{}`", argument.name),
                before: argument.value.to_string(),
                after,
            });
        }
    }
    for argument in after.arguments.iter().filter(|argument| before.argument(&argument.name).is_none()) {
        found.push(Change {
            what: format!("`{}`", argument.name),
            before: "no argument".into(),
            after: argument.value.to_string(),
        });
    }
    found
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} became {}", self.what, self.before, self.after)
    }
}

/// What is different, one call after another; after it, how many calls are the same.
impl fmt::Display for Diff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for pair in self.changed() {
            let (before, after) = (&pair.before, &pair.after);
            writeln!(
                f,
                "changed: {}, call {} became call {}, {}",
                after.name, before.number, after.number, after.location
            )?;
            for change in &pair.changes {
                writeln!(f, "    {change}")?;
            }
        }
        for Pair { before, after, .. } in self.moved() {
            writeln!(
                f,
                "moved: {after}, from call {} to call {}, {}",
                before.number, after.number, after.location
            )?;
        }
        for record in &self.missing {
            writeln!(f, "missing: {record}, call {}, {}", record.number, record.location)?;
        }
        for record in &self.added {
            writeln!(f, "added: {record}, call {}, {}", record.number, record.location)?;
        }
        let same = self.pairs.iter().filter(|pair| pair.changes.is_empty() && !pair.moved).count();
        write!(f, "the same: {}", counted(same, "call"))
    }
}
