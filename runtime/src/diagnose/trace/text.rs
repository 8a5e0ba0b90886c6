//! The trace as text, one call a line.

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
        writeln!(to, "warpcall trace of {} calls, {} older ones dropped", all.len(), self.dropped)?;
        for backend in &self.backends {
            writeln!(to, "backend {}: {}, {}", backend.number, backend.kind, backend.device)?;
        }
        if self.untimed > 0 {
            writeln!(to, "without a device time: {}", self.untimed)?;
        }
        for problem in &self.problems {
            writeln!(to, "while taking device times: {problem}")?;
        }
        for (number, graph) in self.graphs.iter().filter(|(_, graph)| graph.dropped > 0) {
            writeln!(to, "graph {number}: {} calls that were recorded into it are missing", graph.dropped)?;
        }
        writeln!(to)?;
        for memory in &self.allocations {
            writeln!(
                to,
                "memory #{}: {} bytes, {}, at {}, allocated at {}",
                memory.number, memory.bytes, memory.memory, memory.address, memory.location
            )?;
        }
        writeln!(to)?;
        writeln!(to, "{:>7} {:>12} {:>10} {:>10} {:>6}", "call", "at us", "host us", "device us", "stream")?;
        for record in all {
            write_record(&mut to, record)?;
        }
        Ok(())
    }
}

fn write_record(to: &mut impl Write, record: &Record) -> io::Result<()> {
    let device = record.device.map(|device| microseconds(device.duration_ns())).unwrap_or_default();
    let stream = record.stream.map(|stream| stream.to_string()).unwrap_or_default();
    let (at, host) = (microseconds(record.host.start_ns), microseconds(record.host.duration_ns()));
    write!(to, "{:>7} {at:>12} {host:>10} {device:>10} {stream:>6}  {record}", record.number)?;
    if let Some(graph) = record.captured {
        write!(to, ", recorded into graph {graph}")?;
    }
    if let Some(error) = &record.error {
        write!(to, ", failed: {error}")?;
    }
    writeln!(to, "  {}", record.location)
}

fn microseconds(nanoseconds: u64) -> String {
    format!("{}.{:03}", nanoseconds / 1000, nanoseconds % 1000)
}
