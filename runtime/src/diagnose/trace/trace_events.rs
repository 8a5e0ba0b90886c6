//! The trace in the Trace Event format, which Perfetto and `chrome://tracing` open.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use serde_json::{Map, Value as Json, json};

use super::recording::{Interval, Kind, NumberedHandle, Record, Recording};

/// The process that stands for the host. Each backend's device is a process too, the number of the backend further.
const HOST: u64 = 1;

/// The process of a backend's device.
fn process_of(backend: u32) -> u64 {
    HOST + u64::from(backend)
}

/// The row of a stream in the process of its device. Perfetto takes a row of the number 0, and one of the process' own number, for
/// the same row.
fn row_of(process: u64, stream: u64) -> u64 {
    (1000 * process).saturating_add(stream)
}

/// An event with its time, and one that orders those of the same time: what begins a slice comes before what lies in it.
type Timed = (u64, u8, Json);

impl Recording {
    /// Writes the trace in the Trace Event format: open it in <https://ui.perfetto.dev>, or with `chrome://tracing`.
    ///
    /// The host has one row a thread. A device has one row a stream, with what has a device time; an arrow leads there from the
    /// call. Calls that were recorded into a graph are named so in their arguments.
    ///
    /// # Errors
    ///
    /// Where `to` cannot be written.
    pub fn write_trace_events(&self, mut to: impl Write) -> io::Result<()> {
        let mut events = self.rows();
        let mut timed: Vec<Timed> = Vec::new();
        for record in self.all() {
            self.host_events(record, &mut timed);
        }
        self.device_events(&mut timed);
        timed.sort_by_key(|(at, order, _)| (*at, *order));
        events.extend(timed.into_iter().map(|(_, _, event)| event));
        let about = json!({
            "tool": "warpcall",
            "dropped calls": self.dropped,
            "without a device time": self.untimed,
            "problems": self.problems,
        });
        let whole = json!({ "displayTimeUnit": "ns", "otherData": about, "traceEvents": events });
        serde_json::to_writer(&mut to, &whole)?;
        to.write_all(b"\n")
    }

    /// What the rows are called.
    fn rows(&self) -> Vec<Json> {
        let named = |what: &str, process: u64, row: u64, name: String| json!({ "ph": "M", "name": what, "pid": process, "tid": row, "args": { "name": name } });
        let mut rows = vec![named("process_name", HOST, 0, "host".into())];
        let threads: BTreeSet<u32> = self.all().iter().map(|record| record.thread).collect();
        for thread in threads {
            rows.push(named("thread_name", HOST, thread.into(), format!("thread {thread}")));
        }
        let mut streams = BTreeSet::new();
        for record in self.records.iter().filter(|record| record.device.is_some()) {
            streams.extend(record.backend.zip(record.stream));
        }
        for backend in &self.backends {
            let name = format!("{} backend {} ({})", backend.kind, backend.number, backend.device);
            rows.push(named("process_name", process_of(backend.number), 0, name));
        }
        for (backend, stream) in streams {
            let name = if stream == 0 { "default stream".into() } else { self.stream_name(stream) };
            let process = process_of(backend);
            rows.push(named("thread_name", process, row_of(process, stream), name));
        }
        rows
    }

    /// A stream with its handle.
    fn stream_name(&self, number: u64) -> String {
        let is_it = |handle: &&NumberedHandle| handle.what == "stream" && handle.number == number;
        let handle = self.handles.iter().find(is_it).map(|known| format!(" ({})", known.handle));
        format!("stream {number}{}", handle.unwrap_or_default())
    }

    fn host_events(&self, record: &Record, events: &mut Vec<Timed>) {
        let (at, row) = (record.host.start_ns, u64::from(record.thread));
        if record.kind == Kind::Mark {
            let mark = json!({
                "ph": "i", "s": "p", "name": record.name, "cat": "mark", "pid": HOST, "tid": row, "ts": microseconds(at),
            });
            events.push((at, 0, mark));
            return;
        }
        events.push((at, 0, self.slice(record, record.host, HOST, row)));
        if record.device.is_some() {
            events.push((at, 1, arrow("s", record, at, HOST, row)));
        }
    }

    fn device_events(&self, events: &mut Vec<Timed>) {
        let mut rows: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for record in &self.records {
            if let (Some(backend), Some(stream), Some(device)) =
                (record.backend, record.stream, record.device)
            {
                rows.entry((backend, stream)).or_default().push((device, record));
            }
        }
        for ((backend, stream), mut row) in rows {
            row.sort_by_key(|(device, _)| (device.start_ns, device.end_ns));
            let mut free_from = 0;
            for (device, record) in row {
                // A stream does one thing after another; where two threads enqueue on it, or the clock is coarse, the times
                // overlap.
                let start_ns = device.start_ns.max(free_from);
                let end_ns = device.end_ns.max(start_ns);
                free_from = end_ns;
                let process = process_of(backend);
                let row = row_of(process, stream);
                let slice = self.slice(record, Interval { start_ns, end_ns }, process, row);
                events.push((start_ns, 0, slice));
                events.push((start_ns, 1, arrow("f", record, start_ns, process, row)));
            }
        }
    }

    fn slice(&self, record: &Record, time: Interval, process: u64, row: u64) -> Json {
        // No parameter is called like these, which have a space.
        let mut about = Map::new();
        about.insert("call number".into(), record.number.into());
        if let Some(config) = &record.config {
            about.insert("launch configuration".into(), config.to_string().into());
        }
        for argument in &record.arguments {
            about.insert(argument.name.to_string(), argument.value.to_string().into());
        }
        if let Some(stream) = record.stream {
            about.insert("on stream".into(), stream.into());
        }
        if let Some(graph) = record.captured {
            about.insert("recorded into graph".into(), graph.into());
        }
        if let Some(graph) = self.graph_of(record) {
            let held: Vec<_> = graph.records.iter().map(|record| record.name.clone()).collect();
            about.insert("graph holds".into(), held.join(", ").into());
        }
        if let Some(error) = &record.error {
            about.insert("failed with".into(), error.as_str().into());
        }
        about.insert("called at".into(), record.location.as_str().into());
        json!({
            "ph": "X", "name": record.name, "cat": record.kind.as_str(), "pid": process, "tid": row,
            "ts": microseconds(time.start_ns), "dur": microseconds(time.duration_ns()), "args": about,
        })
    }
}

/// One end of the arrow from a call to its execution.
fn arrow(end: &str, record: &Record, at: u64, process: u64, row: u64) -> Json {
    json!({
        "ph": end, "bp": "e", "id": record.number, "name": "executes", "cat": "executes", "pid": process, "tid": row,
        "ts": microseconds(at),
    })
}

/// Exact up to 2^53 nanoseconds, which are 104 days.
#[allow(clippy::cast_precision_loss)]
fn microseconds(nanoseconds: u64) -> f64 {
    nanoseconds as f64 / 1000.0
}
