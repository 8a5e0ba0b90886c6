//! Programs on several streams: what they do, and how one is made up.

pub(crate) mod run;
pub(crate) mod truth;

use std::ops::Range;

/// The number of streams, of which the first is the default one.
pub(crate) const STREAMS: usize = 4;
pub(crate) const EVENTS: usize = 4;
/// The pieces of memory: three of the device, and the last pinned on the host.
pub(crate) const PIECES: usize = 4;
pub(crate) const HOST: usize = 3;
/// The words of each piece.
pub(crate) const WORDS: usize = 64;

/// A range of words of a piece of memory.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Words {
    pub(crate) piece: usize,
    pub(crate) range: Range<usize>,
}

/// What a piece of work does. Those with the host's piece take it as their other side.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Work {
    /// A kernel that writes the first from both.
    Kernel(Words, Words),
    /// A kernel that only reads, but for one word.
    Sum(Words, Words),
    Fill(Words),
    Copy {
        to: Words,
        from: Words,
    },
    /// Two rows of four words, eight words apart, from each first word on.
    Rectangle {
        to: (usize, usize),
        from: (usize, usize),
    },
    /// From the host, which reads at once.
    Upload {
        to: Words,
        from: Words,
    },
    UploadRetained {
        to: Words,
        from: Words,
    },
    /// To the host, later.
    Download {
        to: Words,
        from: Words,
    },
    /// To the host, waiting for it, in the order of the stream.
    Read(Words),
    /// The same in the order of the default stream.
    ReadDefault(Words),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Action {
    Work {
        stream: usize,
        work: Work,
    },
    Record {
        event: usize,
        stream: usize,
    },
    Wait {
        stream: usize,
        event: usize,
    },
    WaitForStream {
        waiting: usize,
        other: usize,
    },
    Synchronize,
    SynchronizeStream(usize),
    SynchronizeEvent(usize),
    /// Asks until the answer is yes.
    PollStream(usize),
    PollEvent(usize),
    /// A capture that begins on the first stream, and that the second joins and is joined back from.
    Capture {
        streams: [usize; 2],
        body: Vec<Action>,
    },
    /// Of the latest capture, if there was one.
    LaunchGraph(usize),
}

impl Action {
    /// Whether it does nothing but order.
    pub(crate) fn orders(&self) -> bool {
        !matches!(self, Self::Work { .. } | Self::Capture { .. } | Self::LaunchGraph(_))
    }
}

/// Makes up programs.
pub(crate) struct Source(fastrand::Rng);

impl Source {
    pub(crate) fn new(seed: u64) -> Self {
        Self(fastrand::Rng::with_seed(seed))
    }

    /// A program without a hazard, of `works` pieces of work: where one would be a hazard, what orders it comes first.
    pub(crate) fn correct(&mut self, works: usize) -> Vec<Action> {
        let mut program = Vec::new();
        for _ in 0..works {
            if self.0.u8(..10) < 2 {
                // Orders something or nothing.
                program.push(self.order());
            }
            let next = match self.0.u8(..16) {
                0 => Action::Capture { streams: self.two_streams(), body: Vec::new() },
                1 => Action::LaunchGraph(self.stream()),
                _ => Action::Work { stream: self.stream(), work: self.work(true) },
            };
            match next {
                Action::Capture { streams, .. } => {
                    let body = self.captured(streams);
                    program.push(Action::Capture { streams, body });
                }
                next => self.append(&mut program, &next),
            }
        }
        program
    }

    /// Appends an action, and before it what orders it after all that it must come after.
    fn append(&mut self, program: &mut Vec<Action>, next: &Action) {
        for attempt in 0.. {
            program.push(next.clone());
            let Some(other) = truth::of(program).last().and_then(|found| found.first().copied()) else {
                return;
            };
            program.pop();
            // Some orders do not help, such as one on the device of what the host reads.
            let stream = match *next {
                Action::Work { stream, .. } | Action::LaunchGraph(stream) if attempt < 8 => {
                    Some((stream, other))
                }
                _ => None,
            };
            let orders = match stream {
                Some(streams) => self.order_of(streams),
                None => vec![Action::Synchronize],
            };
            program.extend(orders);
        }
    }

    /// What a capture records, without a hazard within it.
    fn captured(&mut self, streams: [usize; 2]) -> Vec<Action> {
        let [origin, side] = streams;
        let mut body = vec![Action::WaitForStream { waiting: side, other: origin }];
        for _ in 0..self.0.usize(1..5) {
            let stream = streams[self.0.usize(..2)];
            let work = Action::Work { stream, work: self.work(false) };
            body.push(work.clone());
            let capture = [Action::Capture { streams, body: body.clone() }];
            if truth::of(&capture).last().is_some_and(|found| !found.is_empty()) {
                body.pop();
                let other = if stream == origin { side } else { origin };
                if self.0.bool() {
                    body.push(Action::WaitForStream { waiting: stream, other });
                } else {
                    let event = self.event();
                    body.extend([Action::Record { event, stream: other }, Action::Wait { stream, event }]);
                }
                body.push(work);
            }
        }
        body.push(Action::WaitForStream { waiting: origin, other: side });
        body
    }

    /// What orders work on the first stream after all that is on the second by now.
    fn order_of(&mut self, (stream, other): (usize, usize)) -> Vec<Action> {
        let event = self.event();
        let record = Action::Record { event, stream: other };
        match self.0.u8(..10) {
            0..3 => vec![record, Action::Wait { stream, event }],
            3..6 => vec![Action::WaitForStream { waiting: stream, other }],
            6 => vec![Action::SynchronizeStream(other)],
            7 => vec![Action::PollStream(other)],
            8 => vec![record, Action::SynchronizeEvent(event)],
            _ => vec![record, Action::PollEvent(event)],
        }
    }

    /// One that orders something, or nothing at all.
    fn order(&mut self) -> Action {
        match self.0.u8(..8) {
            0..3 => Action::Record { event: self.event(), stream: self.stream() },
            3..5 => Action::Wait { stream: self.stream(), event: self.event() },
            5 => {
                let [waiting, other] = self.two_streams();
                Action::WaitForStream { waiting, other }
            }
            6 => Action::PollEvent(self.event()),
            _ => Action::SynchronizeStream(self.stream()),
        }
    }

    fn work(&mut self, may_wait: bool) -> Work {
        let kinds = if may_wait { 11 } else { 8 };
        let [to, from] = self.two_pieces().map(|piece| self.words(piece));
        let host = self.words(HOST);
        match self.0.u8(..kinds) {
            0 | 1 => Work::Kernel(to, from),
            2 => Work::Sum(Words { range: to.range.start..to.range.start + 1, ..to }, from),
            3 => Work::Fill(to),
            4 => {
                let length = to.range.len().min(from.range.len());
                Work::Copy { to: first(&to, length), from: first(&from, length) }
            }
            5 => {
                let mut at = |words: Words| (words.piece, self.0.usize(..WORDS - 12));
                Work::Rectangle { to: at(to), from: at(from) }
            }
            6 => {
                let length = to.range.len().min(host.range.len());
                Work::UploadRetained { to: first(&to, length), from: first(&host, length) }
            }
            7 => {
                let length = from.range.len().min(host.range.len());
                Work::Download { to: first(&host, length), from: first(&from, length) }
            }
            8 => {
                let length = to.range.len().min(host.range.len());
                Work::Upload { to: first(&to, length), from: first(&host, length) }
            }
            9 => Work::Read(from),
            _ => Work::ReadDefault(from),
        }
    }

    fn words(&mut self, piece: usize) -> Words {
        // Often the same places, so that programs depend on each other's work.
        let start = self.0.usize(..4) * 16;
        let length = [8, 16, 24, 64][self.0.usize(..4)].min(WORDS - start);
        Words { piece, range: start..start + length }
    }

    fn two_pieces(&mut self) -> [usize; 2] {
        let first = self.0.usize(..HOST);
        [first, (first + self.0.usize(1..HOST)) % HOST]
    }

    fn stream(&mut self) -> usize {
        self.0.usize(..STREAMS)
    }

    /// Two that were created.
    fn two_streams(&mut self) -> [usize; 2] {
        let first = self.0.usize(1..STREAMS);
        let others: Vec<_> = (1..STREAMS).filter(|stream| *stream != first).collect();
        [first, others[self.0.usize(..others.len())]]
    }

    fn event(&mut self) -> usize {
        self.0.usize(..EVENTS)
    }

    /// The program without a third of the actions that order it, most often with many hazards.
    pub(crate) fn shattered(&mut self, program: &[Action]) -> Vec<Action> {
        program.iter().filter(|action| !action.orders() || self.0.u8(..3) > 0).cloned().collect()
    }

    /// The program without one of the actions that it needs, so that it has a hazard. `None` where it needs none.
    pub(crate) fn broken(&mut self, program: &[Action]) -> Option<Vec<Action>> {
        let mut without: Vec<Vec<Action>> = Vec::new();
        let mut at = |change: &dyn Fn(&mut Vec<Action>)| {
            let mut changed = program.to_vec();
            change(&mut changed);
            if truth::of(&changed).iter().any(|found| !found.is_empty()) {
                without.push(changed);
            }
        };
        for (index, action) in program.iter().enumerate() {
            if action.orders() {
                at(&|changed| drop(changed.remove(index)));
            }
            let Action::Capture { body, .. } = action else { continue };
            // Not the fork and the join, without which it is no capture of two streams.
            for inner in 1..body.len() - 1 {
                if body[inner].orders() {
                    at(&|changed| {
                        if let Action::Capture { body, .. } = &mut changed[index] {
                            body.remove(inner);
                        }
                    });
                }
            }
        }
        (!without.is_empty()).then(|| without.swap_remove(self.0.usize(..without.len())))
    }
}

fn first(words: &Words, length: usize) -> Words {
    Words { piece: words.piece, range: words.range.start..words.range.start + length }
}
