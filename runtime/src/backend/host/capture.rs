use std::collections::BTreeMap;

use super::work::Work;

/// A recording in progress.
#[derive(Debug)]
pub(super) struct Capture {
    /// The stream it began on.
    pub(super) origin: u64,
    /// The work, in the order in which it was enqueued: one in which a host can do it.
    pub(super) nodes: Vec<Work>,
    /// Why no graph can come of it any more.
    pub(super) invalid: Option<Box<str>>,
    /// For each stream that takes part, what precedes its next work.
    streams: BTreeMap<u64, Precedes>,
}

/// How much of each stream's captured work comes before a point.
pub(super) type Precedes = BTreeMap<u64, u64>;

impl Capture {
    pub(super) fn new(origin: u64) -> Self {
        let streams = BTreeMap::from([(origin, Precedes::new())]);
        Self { origin, nodes: Vec::new(), invalid: None, streams }
    }

    /// Makes it impossible that a graph comes of it; the first reason stays.
    pub(super) fn invalidate(&mut self, reason: &str) {
        self.invalid.get_or_insert_with(|| reason.into());
    }

    /// Records work of a stream that takes part.
    pub(super) fn push(&mut self, stream: u64, work: Work) {
        self.nodes.push(work);
        *self.streams.entry(stream).or_default().entry(stream).or_default() += 1;
    }

    /// Where a stream stands.
    pub(super) fn point(&self, stream: u64) -> Precedes {
        self.streams.get(&stream).cloned().unwrap_or_default()
    }

    /// Makes a stream go on after a point; it takes part from now on.
    pub(super) fn join(&mut self, stream: u64, point: &Precedes) {
        let known = self.streams.entry(stream).or_default();
        for (other, count) in point {
            let known = known.entry(*other).or_default();
            *known = (*known).max(*count);
        }
    }

    /// The streams with work that does not precede where the origin stands.
    pub(super) fn unjoined(&self) -> Vec<u64> {
        let origin = self.point(self.origin);
        let joined = |stream: &u64| origin.get(stream).copied().unwrap_or(0);
        self.streams
            .iter()
            .filter(|(stream, known)| known.get(stream).copied().unwrap_or(0) > joined(stream))
            .map(|(stream, _)| *stream)
            .collect()
    }
}
