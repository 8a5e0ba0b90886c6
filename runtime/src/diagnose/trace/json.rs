//! The trace as JSON lines: one for the trace itself, one for each graph, handle and allocation, and one for each call.

use std::borrow::Cow;
use std::io::{self, BufRead, Write};

use super::recording::{Allocation, NumberedHandle, Record, Recording, TracedBackend};
use super::text::TEXT_BEGIN;

/// The version of the lines. A reader refuses any other.
const VERSION: u32 = 1;

#[derive(serde::Serialize, serde::Deserialize)]
#[serde(tag = "line", rename_all = "snake_case")]
enum Line<'a> {
    Trace(Head<'a>),
    Graph { number: u64, dropped: u64 },
    Handle(Cow<'a, NumberedHandle>),
    Allocation(Cow<'a, Allocation>),
    Call(Cow<'a, Record>),
}

#[derive(serde::Serialize, serde::Deserialize)]
struct Head<'a> {
    version: u32,
    trace: u64,
    began_unix_ns: u64,
    dropped: u64,
    untimed: u64,
    problems: Cow<'a, [String]>,
    backends: Cow<'a, [TracedBackend]>,
    /// The first and the last number of a part's calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    calls: Option<[u64; 2]>,
}

impl Recording {
    /// Writes the trace as JSON lines, which [`read_json_lines`](Self::read_json_lines) reads: first the trace itself, then
    /// graphs, handles, memory and calls, each on a line of its own.
    ///
    /// # Errors
    ///
    /// Where `to` cannot be written.
    pub fn write_json_lines(&self, mut to: impl Write) -> io::Result<()> {
        let mut write = |line: &Line<'_>| -> io::Result<()> {
            serde_json::to_writer(&mut to, line)?;
            to.write_all(b"\n")
        };
        write(&Line::Trace(Head {
            version: VERSION,
            trace: self.trace,
            began_unix_ns: self.began_unix_ns,
            dropped: self.dropped,
            untimed: self.untimed,
            problems: Cow::Borrowed(&self.problems),
            backends: Cow::Borrowed(&self.backends),
            calls: self.calls.as_ref().map(|calls| [*calls.start(), *calls.end()]),
        }))?;
        for (number, graph) in &self.graphs {
            write(&Line::Graph { number: *number, dropped: graph.dropped })?;
        }
        for handle in &self.handles {
            write(&Line::Handle(Cow::Borrowed(handle)))?;
        }
        for allocation in &self.allocations {
            write(&Line::Allocation(Cow::Borrowed(allocation)))?;
        }
        for record in self.all_records() {
            write(&Line::Call(Cow::Borrowed(record)))?;
        }
        Ok(())
    }

    /// Reads what [`write_json_lines`](Self::write_json_lines) wrote.
    ///
    /// # Errors
    ///
    /// Where `from` cannot be read; or is none of that, with the number of the line.
    pub fn read_json_lines(from: impl BufRead) -> io::Result<Self> {
        let mut read = None;
        for (index, line) in from.lines().enumerate() {
            let wrong = |problem: String| invalid(format!("line {}: {problem}", index + 1));
            let line = line.map_err(|error| match error.kind() {
                io::ErrorKind::InvalidData => wrong(format!("{error}; {}", expected_at(index))),
                _ => error,
            })?;
            let line = serde_json::from_str(&line).map_err(|error| match other_format(&line) {
                Some(what) if index == 0 => {
                    invalid(format!("it is {what}, which is not read back; {EXPECTED}"))
                }
                _ => invalid(format!("{}; {}", place_and_problem(index, &error), expected_at(index))),
            })?;
            match (line, &mut read) {
                (Line::Trace(head), None) if head.version == VERSION => read = Some(head.into_recording()),
                (Line::Trace(head), None) => {
                    return Err(wrong(format!(
                        "version {}; expected version {VERSION}: read it with the warpcall that wrote it",
                        head.version
                    )));
                }
                (_, None) => {
                    return Err(wrong(format!(
                        "the line of the trace itself, which comes first, is missing; {EXPECTED}"
                    )));
                }
                (Line::Trace(_), Some(_)) => {
                    return Err(wrong(
                        "a second trace begins; expected one a file: write each into its own".into(),
                    ));
                }
                (line, Some(recording)) => recording.add(line),
            }
        }
        let mut read = read.ok_or_else(|| invalid(format!("it is empty; {EXPECTED}")))?;
        read.sort_into_graphs();
        Ok(read)
    }

    /// Puts what was recorded into the graphs that have a line there. What an expanded recording has of graphs is its own.
    fn sort_into_graphs(&mut self) {
        let records = std::mem::take(&mut self.records);
        for record in records {
            match record.captured.and_then(|graph| self.graphs.get_mut(&graph)) {
                Some(graph) => graph.records.push(record),
                None => self.records.push(record),
            }
        }
    }

    fn add(&mut self, line: Line<'_>) {
        match line {
            Line::Trace(_) => {}
            Line::Graph { number, dropped } => {
                self.graphs.entry(number).or_default().dropped = dropped;
            }
            Line::Allocation(allocation) => self.allocations.push(allocation.into_owned()),
            Line::Handle(handle) => self.handles.push(handle.into_owned()),
            Line::Call(record) => self.records.push(record.into_owned()),
        }
    }
}

const EXPECTED: &str = "expected JSON lines, as a trace is written into a file with the extension `.jsonl`";

fn expected_at(index: usize) -> &'static str {
    if index == 0 {
        EXPECTED
    } else {
        "expected the whole line of a call, an allocation, a handle or a graph: the file was cut off or changed, write it anew"
    }
}

fn invalid(problem: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, problem)
}

/// What a file is that begins with this line, if a trace was written in another format.
fn other_format(line: &str) -> Option<&'static str> {
    if line.starts_with(TEXT_BEGIN) {
        Some("a trace as text (`.txt`)")
    } else if line.contains("\"traceEvents\"") {
        Some("a trace in the Trace Event format (`.json`)")
    } else {
        None
    }
}

/// The place in the file, and what is wrong there, without the place in the line that the parser was given.
fn place_and_problem(index: usize, error: &serde_json::Error) -> String {
    let (words, column) = (error.to_string(), error.column());
    let problem = words.strip_suffix(&format!(" at line {} column {column}", error.line())).unwrap_or(&words);
    format!("line {}, column {column}: {problem}", index + 1)
}

impl Head<'_> {
    fn into_recording(self) -> Recording {
        Recording {
            trace: self.trace,
            began_unix_ns: self.began_unix_ns,
            dropped: self.dropped,
            untimed: self.untimed,
            problems: self.problems.into_owned(),
            backends: self.backends.into_owned(),
            calls: self.calls.map(|[first, last]| first..=last),
            ..Recording::default()
        }
    }
}

/// A launch's configuration; what it does not ask for is left out.
pub(super) mod config {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use crate::launch::{Dim3, LaunchConfig};

    #[derive(serde::Serialize, serde::Deserialize)]
    struct Config {
        grid: [u32; 3],
        block: [u32; 3],
        shared_mem: u32,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cluster: Option<[u32; 3]>,
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        cooperative: bool,
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        programmatic: bool,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        priority: Option<i32>,
    }

    // The signatures are those that serde calls.
    #[allow(clippy::ref_option)]
    pub(in super::super) fn serialize<S: Serializer>(
        config: &Option<LaunchConfig>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let config = config.map(|config| {
            // Whole, so that whatever a launch can ask for is written.
            let LaunchConfig { grid, block, shared_mem, cluster, cooperative, programmatic, priority } =
                config;
            let cluster = cluster.map(Dim3::to_array);
            Config {
                grid: grid.to_array(),
                block: block.to_array(),
                shared_mem,
                cluster,
                cooperative,
                programmatic,
                priority,
            }
        });
        config.serialize(serializer)
    }

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<LaunchConfig>, D::Error> {
        let config = Option::<Config>::deserialize(deserializer)?;
        Ok(config.map(|config| LaunchConfig {
            grid: config.grid.into(),
            block: config.block.into(),
            shared_mem: config.shared_mem,
            cluster: config.cluster.map(Dim3::from),
            cooperative: config.cooperative,
            programmatic: config.programmatic,
            priority: config.priority,
        }))
    }
}
