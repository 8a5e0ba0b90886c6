//! What comes before what: vector clocks over streams.

use std::collections::{HashMap, VecDeque};

use crate::backend::StreamHandle;

/// How many lanes of streams that are gone wait to be known as done. Past that the oldest is used again all the same: an
/// order that is not there is taken to be there, so that a hazard may be missed.
const ENDED: usize = 256;

/// A piece of work: the stream's lane, and its number. Numbers grow over all lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) lane: u32,
    pub(super) number: u64,
}

/// Up to which number of each lane all is known to come before.
#[derive(Clone, Debug, Default)]
pub(super) struct Clock(Vec<u64>);

impl Clock {
    /// Whether a step comes before.
    #[inline]
    pub(super) fn covers(&self, step: Step) -> bool {
        self.0.get(step.lane as usize).is_some_and(|known| *known >= step.number)
    }

    pub(super) fn join(&mut self, other: &Self) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        for (known, other) in self.0.iter_mut().zip(&other.0) {
            *known = (*known).max(*other);
        }
    }

    fn advance(&mut self, step: Step) {
        let lane = step.lane as usize;
        if self.0.len() <= lane {
            self.0.resize(lane + 1, 0);
        }
        self.0[lane] = step.number;
    }
}

/// The lane of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    lane: u32,
    /// Whether others may enqueue on the stream, or order it.
    pub(super) foreign: bool,
}

/// The lane of all streams that were not created here. What is enqueued on them is not compared with anything, so that it does
/// no harm to take them for one; and nobody says when they are gone.
const FOREIGN: Entry = Entry { lane: 0, foreign: true };

/// The streams, where each stands, and what the host has waited for.
#[derive(Debug)]
pub(super) struct Order {
    streams: HashMap<StreamHandle, Entry>,
    lanes: Vec<Lane>,
    /// Lanes whose streams are gone, the oldest first.
    ended: VecDeque<u32>,
    host: Clock,
    next: u64,
}

#[derive(Debug, Default)]
struct Lane {
    /// What comes before the next work, the work so far among it.
    clock: Clock,
    last: u64,
}

impl Order {
    /// With the default stream alone.
    pub(super) fn new() -> Self {
        let mut order = Self {
            streams: HashMap::new(),
            lanes: vec![Lane::default()],
            ended: VecDeque::new(),
            host: Clock::default(),
            next: 1,
        };
        order.create(StreamHandle::DEFAULT);
        order
    }

    /// A stream that was created. It comes after what the host has waited for.
    pub(super) fn create(&mut self, stream: StreamHandle) {
        let lane = self.free_lane();
        let last = self.lanes[lane as usize].last;
        self.lanes[lane as usize].clock = self.host.clone();
        self.lanes[lane as usize].clock.advance(Step { lane, number: last });
        if let Some(gone) = self.streams.insert(stream, Entry { lane, foreign: false }) {
            self.end(gone);
        }
    }

    /// Creates a stream that is not known yet.
    pub(super) fn ensure(&mut self, stream: StreamHandle) {
        if !self.streams.contains_key(&stream) {
            self.create(stream);
        }
    }

    /// A lane for a stream: one of which all is known to be done, or a new one.
    fn free_lane(&mut self) -> u32 {
        let done =
            |lane: &u32| self.host.covers(Step { lane: *lane, number: self.lanes[*lane as usize].last });
        let found = self.ended.iter().position(done).or((self.ended.len() >= ENDED).then_some(0));
        if let Some(lane) = found.and_then(|index| self.ended.remove(index)) {
            return lane;
        }
        self.lanes.push(Lane::default());
        u32::try_from(self.lanes.len() - 1).unwrap_or(u32::MAX)
    }

    /// The lane of a stream.
    pub(super) fn entry(&self, stream: StreamHandle) -> Entry {
        self.streams.get(&stream).copied().unwrap_or(FOREIGN)
    }

    /// Others enqueue on a stream from now on, or order it.
    pub(super) fn share(&mut self, stream: StreamHandle) {
        if let Some(entry) = self.streams.get_mut(&stream) {
            entry.foreign = true;
        }
    }

    /// Takes a stream out, to be [ended](Self::end) or [put back](Self::restore).
    pub(super) fn take(&mut self, stream: StreamHandle) -> Option<Entry> {
        self.streams.remove(&stream)
    }

    pub(super) fn restore(&mut self, stream: StreamHandle, entry: Entry) {
        self.streams.entry(stream).or_insert(entry);
    }

    /// A stream is gone. Its work still runs.
    pub(super) fn end(&mut self, entry: Entry) {
        self.ended.push_back(entry.lane);
    }

    /// The next work on a stream, which comes after what the host has waited for by now.
    pub(super) fn next(&mut self, stream: StreamHandle) -> Step {
        let lane = self.entry(stream).lane;
        self.lanes[lane as usize].clock.join(&self.host);
        Step { lane, number: self.next }
    }

    /// What comes before the next work on the lane of a step.
    pub(super) fn before(&self, step: Step) -> &Clock {
        &self.lanes[step.lane as usize].clock
    }

    /// The work is enqueued.
    pub(super) fn advance(&mut self, step: Step) {
        let lane = &mut self.lanes[step.lane as usize];
        lane.clock.advance(step);
        lane.last = step.number;
        self.next = self.next.max(step.number + 1);
    }

    /// Where a stream stands: what an event that is recorded on it marks.
    pub(super) fn mark(&self, stream: StreamHandle) -> Clock {
        let lane = self.entry(stream).lane;
        self.lanes[lane as usize].clock.clone()
    }

    /// Where all streams stand, those that are gone among them.
    pub(super) fn mark_of_all(&self) -> Clock {
        let mut all = self.host.clone();
        self.lanes.iter().for_each(|lane| all.join(&lane.clock));
        all
    }

    /// A stream waits for a mark.
    pub(super) fn wait(&mut self, stream: StreamHandle, mark: &Clock) {
        let lane = self.entry(stream).lane;
        self.lanes[lane as usize].clock.join(mark);
    }

    /// Puts a stream back to where it stood, as if what it was made to wait for since had not been.
    pub(super) fn restore_mark(&mut self, stream: StreamHandle, mark: Clock) {
        let lane = self.entry(stream).lane;
        self.lanes[lane as usize].clock = mark;
    }

    /// The host has waited for a mark.
    pub(super) fn host_waited(&mut self, mark: &Clock) {
        self.host.join(mark);
    }

    /// What the host has waited for.
    pub(super) fn host(&self) -> &Clock {
        &self.host
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: StreamHandle = StreamHandle::new(10);
    const B: StreamHandle = StreamHandle::new(11);

    fn order() -> Order {
        let mut order = Order::new();
        order.create(A);
        order.create(B);
        order
    }

    fn work(order: &mut Order, stream: StreamHandle) -> Step {
        let step = order.next(stream);
        order.advance(step);
        step
    }

    fn comes_after(order: &mut Order, stream: StreamHandle, step: Step) -> bool {
        let next = order.next(stream);
        order.before(next).covers(step)
    }

    #[test]
    fn a_stream_is_in_order_and_two_are_not() {
        let mut order = order();
        let step = work(&mut order, A);
        assert!(comes_after(&mut order, A, step));
        assert!(!comes_after(&mut order, B, step));
        assert!(!comes_after(&mut order, StreamHandle::DEFAULT, step));
        let step = work(&mut order, StreamHandle::DEFAULT);
        assert!(!comes_after(&mut order, A, step), "a created stream does not wait for the default one");
    }

    #[test]
    fn a_wait_covers_what_was_marked_and_nothing_later() {
        let mut order = order();
        let before = work(&mut order, A);
        let mark = order.mark(A);
        let after = work(&mut order, A);
        order.wait(B, &mark);
        assert!(comes_after(&mut order, B, before));
        assert!(!comes_after(&mut order, B, after));
    }

    #[test]
    fn waiting_is_transitive() {
        let mut order = order();
        let step = work(&mut order, StreamHandle::DEFAULT);
        let mark = order.mark(StreamHandle::DEFAULT);
        order.wait(A, &mark);
        let mark = order.mark(A);
        order.wait(B, &mark);
        assert!(comes_after(&mut order, B, step));
    }

    #[test]
    fn what_the_host_waited_for_comes_before_all_that_it_enqueues_afterwards() {
        let mut order = order();
        let step = work(&mut order, A);
        let unseen = work(&mut order, StreamHandle::DEFAULT);
        let mark = order.mark(A);
        order.host_waited(&mark);
        let fresh = StreamHandle::new(12);
        order.create(fresh);
        for stream in [B, fresh] {
            assert!(comes_after(&mut order, stream, step));
            assert!(!comes_after(&mut order, stream, unseen));
        }
        let all = order.mark_of_all();
        order.host_waited(&all);
        assert!(comes_after(&mut order, fresh, unseen));
    }

    #[test]
    fn the_lane_of_a_stream_that_is_gone_is_used_again_once_its_work_is_known_to_be_done() {
        let mut order = order();
        let step = work(&mut order, A);
        let entry = order.take(A).expect("it was created");
        order.end(entry);
        let fresh = StreamHandle::new(12);
        order.create(fresh);
        let lanes = order.lanes.len();
        assert_eq!(lanes, 5, "the work of the first may still run");
        assert!(!comes_after(&mut order, fresh, step));
        let all = order.mark_of_all();
        order.host_waited(&all);
        let reused = StreamHandle::new(13);
        order.create(reused);
        assert_eq!(order.lanes.len(), lanes);
        let step = work(&mut order, reused);
        assert!(!comes_after(&mut order, B, step), "what was known of the lane before says nothing of this");
    }

    #[test]
    fn an_order_through_a_stream_of_somebody_else_counts() {
        let mut order = order();
        let theirs = StreamHandle::new(99);
        assert!(order.entry(theirs).foreign && !order.entry(A).foreign);
        let step = work(&mut order, A);
        let mark = order.mark(A);
        order.wait(theirs, &mark);
        let mark = order.mark(theirs);
        order.wait(B, &mark);
        assert!(comes_after(&mut order, B, step));
    }

    #[test]
    fn a_stream_that_is_created_again_has_no_second_lane() {
        let mut order = order();
        let lanes = order.lanes.len();
        for _ in 0..10_000 {
            // Its end went unseen.
            work(&mut order, A);
            order.create(A);
            let all = order.mark_of_all();
            order.host_waited(&all);
        }
        assert!(order.lanes.len() <= lanes + 1, "{} lanes", order.lanes.len());
    }

    #[test]
    fn streams_without_end_need_no_lanes_without_end() {
        let mut order = Order::new();
        for number in 0..10_000 {
            let stream = StreamHandle::new(100 + number);
            order.create(stream);
            work(&mut order, stream);
            let entry = order.take(stream).expect("it was created");
            order.end(entry);
        }
        assert!(order.lanes.len() <= ENDED + 3, "{} lanes", order.lanes.len());
    }
}
