//! The trace as text, one call a line.

use std::fmt;
use std::io::{self, Write};

use super::recording::{Record, Recording};

impl Recording {
    /// Writes the trace as text: what memory there was, and one call a line, those that were recorded into graphs
    /// included.
    ///
    /// # Errors
    ///
    /// Where `to` cannot be written.
    pub fn write_text(&self, mut to: impl Write) -> io::Result<()> {
        let all = self.all();
        let mut line = |line: fmt::Arguments<'_>| to.write_all(on_one_line(&line.to_string()).as_bytes());
        line(format_args!("warpcall trace of {} calls, {} older ones dropped", all.len(), self.dropped))?;
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
                "graph {number}: {} calls that were recorded into it are missing",
                graph.dropped
            ))?;
        }
        line(format_args!(""))?;
        for memory in &self.allocations {
            line(format_args!(
                "memory #{}: {} bytes, {}, at {}, allocated at {}",
                memory.number, memory.bytes, memory.memory, memory.address, memory.location
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
