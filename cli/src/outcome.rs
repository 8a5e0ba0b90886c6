//! What a command gives back.

use crate::style;

/// The exit code where two files differ.
pub const DIFFERENT: u8 = 1;

/// The exit code where something could not be done: a file cannot be read, an argument makes no sense.
pub const TROUBLE: u8 = 2;

/// What a command prints, and its exit code.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Outcome {
    /// For standard output.
    pub output: String,
    /// For standard error.
    pub errors: String,
    /// The exit code: 0 where all went well, [`DIFFERENT`] or [`TROUBLE`].
    pub code: u8,
}

impl Outcome {
    /// Adds a line about something that could not be done.
    pub(crate) fn fail(&mut self, message: &str) {
        self.errors += &format!("{}: {message}\n", style::error("error"));
        self.code = TROUBLE;
    }

    /// Adds a line about something that a reader should know, and that keeps nothing from being done.
    pub(crate) fn note(&mut self, message: &str) {
        self.errors += &format!("{}: {message}\n", style::note("note"));
    }

    /// Adds a value as JSON.
    pub(crate) fn json(&mut self, value: &impl serde::Serialize) {
        match serde_json::to_string_pretty(value) {
            Ok(text) => {
                self.output += &text;
                self.output.push('\n');
            }
            Err(error) => self.fail(&format!("the result cannot be written as JSON: {error}")),
        }
    }
}
