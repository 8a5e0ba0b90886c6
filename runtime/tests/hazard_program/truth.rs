//! What is a hazard, worked out on the graph of all that a program does: whether one piece of work comes before another is
//! whether a path leads from the one to the other.

use std::ops::Range;

use super::{Action, EVENTS, STREAMS, Words, Work};

#[derive(Clone, Debug)]
struct Access {
    piece: usize,
    range: Range<usize>,
    writes: bool,
}

/// Something that happens.
#[derive(Debug)]
struct Node {
    /// Nodes that come before.
    after: Vec<usize>,
    accesses: Vec<Access>,
    stream: usize,
}

#[derive(Debug)]
struct Graph {
    nodes: Vec<Node>,
    /// The latest node of each stream, of the host, and under each event.
    streams: [Option<usize>; STREAMS],
    host: Option<usize>,
    events: [Option<usize>; EVENTS],
    /// All that the latest capture uses.
    captured: Option<Vec<Access>>,
    /// The latest launch of it.
    launched: Option<usize>,
}

/// For each piece of work in the order of the program, those in a capture among them: the streams of the work before it that it
/// is a hazard with. A launch of a graph is one piece of work.
pub(crate) fn of(program: &[Action]) -> Vec<Vec<usize>> {
    let mut graph = Graph::new();
    let mut found = Vec::new();
    for action in program {
        graph.act(action, &mut found);
    }
    found
}

impl Graph {
    fn new() -> Self {
        Self {
            nodes: Vec::new(),
            streams: [None; STREAMS],
            host: None,
            events: [None; EVENTS],
            captured: None,
            launched: None,
        }
    }

    fn node(&mut self, after: &[Option<usize>], stream: usize, accesses: Vec<Access>) -> usize {
        self.nodes.push(Node { after: after.iter().flatten().copied().collect(), accesses, stream });
        self.nodes.len() - 1
    }

    /// What happens next on a stream: after the stream, and after what the host did before it asked for it.
    fn enqueue(&mut self, stream: usize, also: Option<usize>, accesses: Vec<Access>) -> usize {
        let node = self.node(&[self.streams[stream], self.host, also], stream, accesses);
        self.streams[stream] = Some(node);
        node
    }

    /// The host waits.
    fn wait(&mut self, reached: &[Option<usize>]) {
        let after: Vec<_> = reached.iter().copied().chain([self.host]).collect();
        self.host = Some(self.node(&after, usize::MAX, Vec::new()));
    }

    fn act(&mut self, action: &Action, found: &mut Vec<Vec<usize>>) {
        match *action {
            Action::Work { stream, ref work } => {
                let stream = if matches!(work, Work::ReadDefault(_)) { 0 } else { stream };
                let mut hazards = Vec::new();
                if let Work::Upload { from, .. } = work {
                    // The host reads, whatever the stream does.
                    let node = self.node(&[self.host], stream, vec![read(from)]);
                    self.host = Some(node);
                    hazards.extend(self.hazards(node));
                }
                let node = self.enqueue(stream, None, accesses(work));
                hazards.extend(self.hazards(node));
                if matches!(work, Work::Read(_) | Work::ReadDefault(_)) {
                    self.wait(&[Some(node)]);
                }
                found.push(hazards);
            }
            Action::Record { event, stream } => {
                self.events[event] = Some(self.enqueue(stream, None, Vec::new()));
            }
            Action::Wait { stream, event } => drop(self.enqueue(stream, self.events[event], Vec::new())),
            Action::WaitForStream { waiting, other } => {
                self.enqueue(waiting, self.streams[other], Vec::new());
            }
            Action::Synchronize => self.wait(&self.streams.clone()),
            Action::SynchronizeStream(stream) | Action::PollStream(stream) => {
                self.wait(&[self.streams[stream]]);
            }
            Action::SynchronizeEvent(event) | Action::PollEvent(event) => self.wait(&[self.events[event]]),
            Action::Capture { ref body, .. } => {
                let mut capture = Self::new();
                for action in body {
                    capture.act(action, found);
                }
                self.captured = Some(capture.nodes.into_iter().flat_map(|node| node.accesses).collect());
                self.launched = None;
            }
            Action::LaunchGraph(stream) => {
                let Some(captured) = self.captured.clone() else { return found.push(Vec::new()) };
                let node = self.enqueue(stream, self.launched, captured);
                self.launched = Some(node);
                found.push(self.hazards(node));
            }
        }
    }

    /// The streams of the nodes that a node is a hazard with.
    fn hazards(&self, node: usize) -> Vec<usize> {
        let before = self.before(node);
        let meets = |other: &&Node| {
            other
                .accesses
                .iter()
                .any(|one| self.nodes[node].accesses.iter().any(|access| one.conflicts(access)))
        };
        let unordered = self.nodes[..node].iter().enumerate().filter(|(index, _)| !before[*index]);
        unordered.map(|(_, other)| other).filter(meets).map(|other| other.stream).collect()
    }

    /// Which nodes lead to a node.
    fn before(&self, node: usize) -> Vec<bool> {
        let mut before = vec![false; self.nodes.len()];
        let mut open = vec![node];
        while let Some(node) = open.pop() {
            for earlier in &self.nodes[node].after {
                if !std::mem::replace(&mut before[*earlier], true) {
                    open.push(*earlier);
                }
            }
        }
        before
    }
}

impl Access {
    fn conflicts(&self, other: &Self) -> bool {
        self.piece == other.piece
            && self.range.start < other.range.end
            && other.range.start < self.range.end
            && (self.writes || other.writes)
    }
}

fn read(words: &Words) -> Access {
    Access { piece: words.piece, range: words.range.clone(), writes: false }
}

fn write(words: &Words) -> Access {
    Access { writes: true, ..read(words) }
}

/// What work uses in the order of its stream.
fn accesses(work: &Work) -> Vec<Access> {
    match work {
        Work::Kernel(to, from)
        | Work::Sum(to, from)
        | Work::Copy { to, from }
        | Work::UploadRetained { to, from }
        | Work::Download { to, from } => vec![write(to), read(from)],
        Work::Fill(to) | Work::Upload { to, .. } => vec![write(to)],
        Work::Rectangle { to, from } => {
            let rows = |(piece, start): (usize, usize), writes| {
                [0, 8].map(|row| Access { piece, range: start + row..start + row + 4, writes })
            };
            rows(*to, true).into_iter().chain(rows(*from, false)).collect()
        }
        // Where the host reads it to is nobody else's.
        Work::Read(from) | Work::ReadDefault(from) => vec![read(from)],
    }
}

/// The truth itself, on what is known of it.
#[test]
fn the_truth_knows_what_orders() {
    let words = |piece| Words { piece, range: 0..8 };
    let fill = |stream| Action::Work { stream, work: Work::Fill(words(0)) };
    let found = |orders: &[Action]| {
        let program: Vec<_> = [fill(1)].into_iter().chain(orders.to_vec()).chain([fill(2)]).collect();
        of(&program)
    };
    assert_eq!(found(&[]), [vec![], vec![1]]);
    let none: [Vec<usize>; 2] = [vec![], vec![]];
    assert_eq!(found(&[Action::WaitForStream { waiting: 2, other: 1 }]), none);
    assert_eq!(found(&[Action::WaitForStream { waiting: 1, other: 2 }]), [vec![], vec![1]]);
    let (record, wait) = (Action::Record { event: 0, stream: 1 }, Action::Wait { stream: 2, event: 0 });
    assert_eq!(found(&[record.clone(), wait.clone()]), none);
    assert_eq!(found(&[wait, record.clone()]), [vec![], vec![1]]);
    assert_eq!(found(&[record, Action::SynchronizeEvent(0)]), none);
    assert_eq!(found(&[Action::SynchronizeStream(1)]), none);
    assert_eq!(found(&[Action::SynchronizeStream(2)]), [vec![], vec![1]]);
    assert_eq!(found(&[Action::Synchronize]), none);
    let read = Action::Work { stream: 2, work: Work::Upload { to: words(1), from: words(super::HOST) } };
    let written = Action::Work { stream: 2, work: Work::Download { to: words(super::HOST), from: words(2) } };
    assert_eq!(of(&[written, read]), [vec![], vec![2]], "the host does not wait for the stream");
}
