use std::fmt;
use std::io::Write as _;

/// Prints a line on the standard error stream. Where that is closed or full, nobody reads it; `eprintln!` would panic then, in the
/// middle of the program that is looked at.
pub(super) fn print(line: fmt::Arguments<'_>) {
    let mut line = line.to_string();
    line.push('\n');
    // At once, so that the lines of several threads and processes stay whole.
    let _ = std::io::stderr().write_all(line.as_bytes());
}
