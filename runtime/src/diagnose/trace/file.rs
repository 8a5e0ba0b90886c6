//! A trace in a file.

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::recording::Recording;
use super::{Trace, TraceOptions};
use crate::error::{Error, Result};

/// What is written into a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Text,
    #[cfg(feature = "json")]
    JsonLines,
    #[cfg(feature = "json")]
    TraceEvents,
}

impl Format {
    /// By the extension of the file's name.
    pub(super) fn of(path: &Path) -> Result<Self> {
        Self::known(path).map_err(|expected| {
            refused(
                "writing the trace",
                path,
                &format_args!("its extension is not known; expected {expected}"),
            )
        })
    }

    /// By the extension of the file's name; else what was expected.
    fn known(path: &Path) -> std::result::Result<Self, &'static str> {
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("txt") => Ok(Self::Text),
            #[cfg(feature = "json")]
            Some("jsonl") => Ok(Self::JsonLines),
            #[cfg(feature = "json")]
            Some("json") => Ok(Self::TraceEvents),
            #[cfg(not(feature = "json"))]
            Some("jsonl" | "json") => {
                Err("`.txt`, as warpcall was built without its feature `json`, which that \
                extension needs: use `.txt`, or add the feature")
            }
            #[cfg(feature = "json")]
            _ => Err("`.txt` (text), `.jsonl` (JSON lines) or `.json` (the Trace Event format)"),
            #[cfg(not(feature = "json"))]
            _ => Err("`.txt` (text), the only one that warpcall knows without its feature `json`"),
        }
    }

    pub(super) fn write(self, recording: &Recording, path: &Path) -> Result<()> {
        let mut to = BufWriter::new(create(path)?);
        match self {
            Self::Text => recording.write_text(&mut to),
            #[cfg(feature = "json")]
            Self::JsonLines => recording.write_json_lines(&mut to),
            #[cfg(feature = "json")]
            Self::TraceEvents => recording.write_trace_events(&mut to),
        }
        .and_then(|()| to.flush())
        .map_err(|error| refused("writing the trace", path, &error))
    }
}

pub(super) fn create(path: &Path) -> Result<File> {
    File::create(path).map_err(|error| refused("writing the trace", path, &error))
}

/// The trace that is written into a file; the same one for all backends that ask for this file, so that none overwrites
/// another's. Where there is none, what was expected of the file.
pub(in crate::diagnose) fn of_file(path: &Path, device_times: bool) -> std::result::Result<Trace, String> {
    static TRACES: Mutex<Vec<(PathBuf, Trace)>> = Mutex::new(Vec::new());
    Format::known(path).map_err(|expected| format!("a file with the extension {expected}"))?;
    let mut traces = TRACES.lock().unwrap_or_else(PoisonError::into_inner);
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.into());
    if let Some((_, trace)) = traces.iter().find(|(known, _)| *known == absolute) {
        return Ok(trace.clone());
    }
    let options = TraceOptions::default().device_times(device_times).file(path);
    let trace = Trace::new(options.map_err(|error| match error {
        Error::File { problem, .. } => format!("a file that can be written, which fails with: {problem}"),
        other => format!("a file that can be written, which fails with: {other}"),
    })?);
    traces.push((absolute, trace.clone()));
    Ok(trace)
}

fn refused(operation: &'static str, path: &Path, problem: &dyn std::fmt::Display) -> Error {
    Error::File { operation, path: path.display().to_string().into(), problem: problem.to_string().into() }
}

impl Recording {
    /// Writes the trace into a file, as its extension says: `.txt` [text](Self::write_text); with the feature `json`, `.jsonl` JSON
    /// lines and `.json` the Trace Event format.
    ///
    /// # Errors
    ///
    /// Where the extension is none of these, or the file cannot be written.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        let path = path.as_ref();
        Format::of(path)?.write(self, path)
    }

    /// Reads a file of [JSON lines](Self::write_json_lines), which a trace has where its name ends with `.jsonl`. The other two
    /// formats are not read back.
    ///
    /// # Errors
    ///
    /// Where the file cannot be read, or is no such file; then with the line, or with what it is.
    #[cfg(feature = "json")]
    pub fn load(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let file = File::open(path).map_err(|error| refused("reading the trace", path, &error))?;
        Self::read_json_lines(std::io::BufReader::new(file))
            .map_err(|error| refused("reading the trace", path, &error))
    }
}
