//! The last calls, as many as there is room for.

use std::collections::VecDeque;

use super::entry::Entry;
use crate::diagnose::args::Args;

#[derive(Debug)]
pub(super) struct Ring {
    entries: VecDeque<Entry>,
    capacity: usize,
    pub(super) dropped: u64,
}

impl Ring {
    pub(super) fn new(capacity: usize) -> Self {
        let mut entries = VecDeque::new();
        // All of it at once: growing would copy it in the middle of a launch. The system gives the memory when it is written. Where
        // it cannot promise as much, the ring grows as it fills.
        let _ = entries.try_reserve_exact(capacity);
        Self { entries, capacity, dropped: 0 }
    }

    /// Makes room for an entry, and returns what can hold its arguments.
    #[inline]
    pub(super) fn make_room(&mut self) -> Args {
        if self.entries.len() < self.capacity {
            return Args::default();
        }
        self.dropped += 1;
        let mut args = self.entries.pop_front().map_or_else(Args::default, |oldest| oldest.args);
        args.clear();
        args
    }

    /// Adds the entry that there is room for. A ring without any room keeps nothing.
    #[inline]
    pub(super) fn push(&mut self, entry: Entry) {
        if self.entries.len() < self.capacity {
            self.entries.push_back(entry);
        }
    }

    pub(super) fn find(&mut self, call: u64) -> Option<&mut Entry> {
        let index = self.entries.binary_search_by_key(&call, |entry| entry.number).ok()?;
        self.entries.get_mut(index)
    }

    pub(super) fn oldest(&self) -> Option<u64> {
        self.entries.front().map(|entry| entry.number)
    }

    pub(super) fn copy(&self) -> Vec<Entry> {
        self.entries.iter().cloned().collect()
    }

    /// Takes all entries out, and leaves room for as many.
    pub(super) fn take(&mut self) -> (Vec<Entry>, u64) {
        (self.entries.drain(..).collect(), std::mem::take(&mut self.dropped))
    }
}
