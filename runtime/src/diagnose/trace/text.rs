//! The trace as text, one call a line.

use std::fmt;
use std::io::{self, Write};

use super::recording::{Record, RecordedGraph, Recording};
use crate::words::counted;

/// What the text begins with.
pub(super) const TEXT_BEGIN: &str = "warpcall trace of ";

impl Recording {
    /// Writes the trace as text: which handles its numbers stand for, what memory there was, and one call a line, those that were
    /// recorded into graphs included.
    ///
    /// # Errors
    ///
    /// Where `to` cannot be written.
    pub fn write_text(&self, mut to: impl Write) -> io::Result<()> {
        let all = self.all();
        let mut line = |line: fmt::Arguments<'_>| to.write_all(on_one_line(&line.to_string()).as_bytes());
        line(format_args!(
            "{TEXT_BEGIN}{}, {} dropped",
            counted(all.len(), "call"),
            counted(self.dropped, "older one")
        ))?;
        for backend in &self.backends {
            line(format_args!("backend {}: {}, {}", backend.number, backend.kind, backend.device))?;
        }
        if self.untimed > 0 {
            line(format_args!("without a device time: {}", self.untimed))?;
        }
        for problem in &self.problems {
            line(format_args!("while taking device times: {problem}"))?;
        }
        for (number, graph) in self.graphs.iter().filter(|(_, graph)| graph.dropped > 0) {
            line(format_args!(
                "graph {number}: there was no room for {} that {} recorded into it",
                counted(graph.dropped, "call"),
                if graph.dropped == 1 { "was" } else { "were" }
            ))?;
        }
        for (number, names) in self.held_outside() {
            line(format_args!("graph {number} holds, recorded outside of these calls: {names}"))?;
        }
        for handle in &self.handles {
            line(format_args!("{} {}: handle {}", handle.what, handle.number, handle.handle))?;
        }
        line(format_args!(""))?;
        for memory in &self.allocations {
            line(format_args!(
                "memory #{}: {}, {}, at {}, allocated at {}",
                memory.number,
                counted(memory.bytes, "byte"),
                memory.memory,
                memory.address,
                memory.location
            ))?;
        }
        line(format_args!(""))?;
        line(format_args!(
            "{:>7} {:>12} {:>10} {:>10} {:>6}",
            "call", "at us", "host us", "device us", "stream"
        ))?;
        for record in all {
            line(format_args!("{}", Line(record)))?;
        }
        Ok(())
    }
}

impl Recording {
    /// What graphs hold that is no call of this part, by name.
    fn held_outside(&self) -> Vec<(u64, String)> {
        let Some(calls) = &self.calls else { return Vec::new() };
        let outside = |graph: &RecordedGraph| {
            let held = graph.records.iter().filter(|record| !calls.contains(&record.number));
            held.map(|record| &*record.name).collect::<Vec<_>>().join(", ")
        };
        let all = self.graphs.iter().map(|(number, graph)| (*number, outside(graph)));
        all.filter(|(_, names)| !names.is_empty()).collect()
    }
}

/// Names and errors may hold anything. What would begin another line, or tell a terminal something, is written as Rust writes it.
fn on_one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len() + 1);
    for char in text.chars() {
        if char.is_control() { line.extend(char.escape_default()) } else { line.push(char) }
    }
    line.push('\n');
    line
}

struct Line<'a>(&'a Record);

impl fmt::Display for Line<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let record = self.0;
        let device = record.device.map(|device| microseconds(device.duration_ns())).unwrap_or_default();
        let stream = record.stream.map(|stream| stream.to_string()).unwrap_or_default();
        let (at, host) = (microseconds(record.host.start_ns), microseconds(record.host.duration_ns()));
        write!(f, "{:>7} {at:>12} {host:>10} {device:>10} {stream:>6}  {record}", record.number)?;
        if let Some(graph) = record.captured {
            write!(f, ", recorded into graph {graph}")?;
        }
        if let Some(error) = &record.error {
            write!(f, ", failed: {error}")?;
        }
        write!(f, "  {}", record.location)
    }
}

fn microseconds(nanoseconds: u64) -> String {
    format!("{}.{:03}", nanoseconds / 1000, nanoseconds % 1000)
}
