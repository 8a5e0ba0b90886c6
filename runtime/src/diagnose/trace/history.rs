//! Who had an address or a handle, and when: both are given out again after they were freed.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::panic::Location;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::backend::BackendId;
use crate::diagnose::MemoryKind;

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Thing {
    /// Memory that the device reaches, by its address there.
    Memory,
    /// Pinned memory, by its address on the host.
    Pinned,
    Stream,
    Event,
    Graph,
}

pub(super) type Key = (Thing, BackendId, u64);

/// A thing, from the call that made it to the one that destroyed it.
#[derive(Clone, Debug)]
pub(super) struct Life {
    pub(super) key: Key,
    /// Counts the things of its kind, memory of all kinds together.
    pub(super) number: u64,
    /// The number of the first call that may name it.
    pub(super) born: u64,
    /// The number of the last one.
    pub(super) died: Option<u64>,
    pub(super) memory: Option<Memory>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Memory {
    pub(super) kind: MemoryKind,
    pub(super) bytes: usize,
    pub(super) location: &'static Location<'static>,
    /// Where the device reaches pinned memory.
    pub(super) alias: Option<u64>,
}

/// All lives that a record may still name.
#[derive(Clone, Debug, Default)]
pub(super) struct History {
    live: HashMap<Key, Life>,
    /// In the order in which they died.
    dead: VecDeque<Life>,
    memory: u64,
    streams: u64,
    events: u64,
    graphs: u64,
    /// The numbers of streams that were not seen being created, the same in all copies of the history.
    strangers: Arc<Mutex<BTreeMap<(BackendId, u64), u64>>>,
}

impl History {
    /// The number of a stream that was not seen being created.
    pub(super) fn stranger(&self, backend: BackendId, handle: u64) -> u64 {
        const FIRST_STRANGER: u64 = 1 << 32;
        let mut strangers = self.lock_strangers();
        let next = FIRST_STRANGER + strangers.len() as u64;
        *strangers.entry((backend, handle)).or_insert(next)
    }

    /// The numbers of the streams that were not seen being created.
    pub(super) fn strangers(&self) -> BTreeMap<(BackendId, u64), u64> {
        self.lock_strangers().clone()
    }

    fn lock_strangers(&self) -> MutexGuard<'_, BTreeMap<(BackendId, u64), u64>> {
        // Nothing panics while it is held.
        self.strangers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins a life with the next number.
    pub(super) fn begin(&mut self, key: Key, born: u64, memory: Option<Memory>) {
        let number = self.next_number(key.0);
        self.begin_as(number, key, born, memory);
    }

    /// The next number of its kind.
    pub(super) fn next_number(&mut self, thing: Thing) -> u64 {
        let count = match thing {
            Thing::Memory | Thing::Pinned => &mut self.memory,
            Thing::Stream => &mut self.streams,
            Thing::Event => &mut self.events,
            Thing::Graph => &mut self.graphs,
        };
        *count += 1;
        *count
    }

    pub(super) fn begin_as(&mut self, number: u64, key: Key, born: u64, memory: Option<Memory>) {
        // Another thread may be given the address before the one that freed it says so.
        if let Some(before) = self.live.insert(key, Life { key, number, born, died: None, memory }) {
            self.dead.push_back(Life { died: Some(born), ..before });
        }
    }

    /// The number of what has this handle.
    pub(super) fn number(&self, key: Key) -> Option<u64> {
        self.live.get(&key).map(|life| life.number)
    }

    /// Ends a life, if it is still this one.
    pub(super) fn end(&mut self, key: Key, number: u64, died: u64) {
        if self.number(key) == Some(number)
            && let Some(life) = self.live.remove(&key)
        {
            self.dead.push_back(Life { died: Some(died), ..life });
        }
    }

    /// Pinned memory is reached at this address by the device.
    pub(super) fn set_alias(&mut self, pinned: Key, alias: u64) {
        if let Some(memory) = self.live.get_mut(&pinned).and_then(|life| life.memory.as_mut()) {
            memory.alias = Some(alias);
        }
    }

    /// Forgets what died before the call `oldest`, and returns the numbers of the graphs among it.
    pub(super) fn forget(&mut self, oldest: u64) -> Vec<u64> {
        let mut graphs = Vec::new();
        while let Some(life) = self.dead.pop_front_if(|life| life.died < Some(oldest)) {
            if life.key.0 == Thing::Graph {
                graphs.push(life.number);
            }
        }
        graphs
    }

    pub(super) fn lives(&self) -> impl Iterator<Item = &Life> {
        self.live.values().chain(&self.dead)
    }

    pub(super) fn sweep(&self) -> Sweep<'_> {
        let mut changes: Vec<_> = self.lives().map(|life| ((life.born, false), life)).collect();
        changes.extend(self.lives().filter_map(|life| Some(((life.died?, true), life))));
        changes.sort_by_key(|(when, _)| *when);
        Sweep { changes, next: 0, there: BTreeMap::new() }
    }
}

/// Goes through the history, from call to call in their order.
pub(super) struct Sweep<'a> {
    /// Births, before the call, and deaths, after it.
    changes: Vec<((u64, bool), &'a Life)>,
    next: usize,
    /// Numbers, and lengths in bytes.
    there: BTreeMap<Key, (u64, usize)>,
}

impl Sweep<'_> {
    /// What was there when the call with this number was made. Numbers do not go back.
    pub(super) fn to(&mut self, call: u64) -> &Self {
        while let Some(((_, dies), life)) =
            self.changes.get(self.next).filter(|(when, _)| *when < (call, true)).copied()
        {
            self.next += 1;
            let alias = life.memory.and_then(|memory| memory.alias);
            for key in
                [Some(life.key), alias.map(|alias| (Thing::Memory, life.key.1, alias))].into_iter().flatten()
            {
                if !dies {
                    self.there.insert(key, (life.number, life.memory.map_or(0, |memory| memory.bytes)));
                } else if self.number(key) == Some(life.number) {
                    self.there.remove(&key);
                }
            }
        }
        self
    }

    pub(super) fn number(&self, key: Key) -> Option<u64> {
        self.there.get(&key).map(|(number, _)| *number)
    }

    /// The memory that an address lies in or at whose end it is, and how far from the start.
    pub(super) fn memory(&self, (thing, backend, address): Key) -> Option<(u64, u64)> {
        let ((found, owner, start), (number, bytes)) =
            self.there.range(..=(thing, backend, address)).next_back()?;
        if (*found, *owner) != (thing, backend) {
            return None;
        }
        let offset = address - start;
        (offset <= *bytes as u64).then_some((*number, offset))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory(bytes: usize) -> Memory {
        Memory { kind: MemoryKind::Device, bytes, location: Location::caller(), alias: None }
    }

    #[test]
    fn an_address_that_is_given_out_again_is_another_allocation() {
        let backend = BackendId::next();
        let key = (Thing::Memory, backend, 0x100);
        let mut history = History::default();
        history.begin(key, 1, Some(memory(64)));
        history.end(key, 1, 3);
        history.begin(key, 4, Some(memory(16)));
        let mut sweep = history.sweep();
        let found = [0, 1, 3, 4, 5].map(|call| sweep.to(call).memory((Thing::Memory, backend, 0x110)));
        assert_eq!(found, [None, Some((1, 16)), Some((1, 16)), Some((2, 16)), Some((2, 16))]);
        assert_eq!(sweep.memory((Thing::Memory, backend, 0x111)), None, "behind the end");
        assert_eq!(sweep.memory((Thing::Memory, BackendId::next(), 0x100)), None, "another backend");
    }

    #[test]
    fn a_free_that_is_told_late_leaves_the_next_owner_alone() {
        let key = (Thing::Memory, BackendId::next(), 0x100);
        let mut history = History::default();
        history.begin(key, 1, Some(memory(64)));
        history.begin(key, 2, Some(memory(64)));
        history.end(key, 1, 3);
        let mut sweep = history.sweep();
        assert_eq!([1, 2, 4].map(|call| sweep.to(call).number(key)), [Some(1), Some(2), Some(2)]);
    }

    #[test]
    fn pinned_memory_is_found_on_both_sides() {
        let backend = BackendId::next();
        let key = (Thing::Pinned, backend, 0x100);
        let mut history = History::default();
        history.begin(key, 1, Some(memory(8)));
        history.set_alias(key, 0x9000);
        let mut sweep = history.sweep();
        assert_eq!(sweep.to(1).memory((Thing::Pinned, backend, 0x104)), Some((1, 4)));
        assert_eq!(sweep.memory((Thing::Memory, backend, 0x9004)), Some((1, 4)));
        assert_eq!(sweep.memory((Thing::Memory, backend, 0x104)), None);
    }

    #[test]
    fn what_died_before_the_oldest_record_is_forgotten() {
        let (backend, mut history) = (BackendId::next(), History::default());
        history.begin_as(7, (Thing::Graph, backend, 1), 1, None);
        history.begin((Thing::Stream, backend, 2), 2, None);
        history.end((Thing::Graph, backend, 1), 7, 5);
        history.end((Thing::Stream, backend, 2), 1, 6);
        assert!(history.forget(5).is_empty());
        assert_eq!(history.forget(6), [7]);
        assert_eq!(history.lives().count(), 1);
    }
}
