//! The colours of the text, by what a word is.

use anstyle::{AnsiColor, Style};

fn paint(style: Style, text: &str) -> String {
    format!("{style}{text}{style:#}")
}

/// A file, a kernel: what a paragraph is about.
pub(crate) fn heading(text: &str) -> String {
    paint(Style::new().bold(), text)
}

/// The word before what went wrong.
pub(crate) fn error(text: &str) -> String {
    paint(AnsiColor::Red.on_default().bold(), text)
}

/// The word before what a reader should know.
pub(crate) fn note(text: &str) -> String {
    paint(AnsiColor::Yellow.on_default().bold(), text)
}

/// What the first of two files says.
pub(crate) fn left(text: &str) -> String {
    paint(AnsiColor::Red.on_default(), text)
}

/// What the second of two files says.
pub(crate) fn right(text: &str) -> String {
    paint(AnsiColor::Green.on_default(), text)
}
