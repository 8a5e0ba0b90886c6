//! The command `warpcall`. What it does is in the library beside it; here it is printed.

use std::io::Write as _;
use std::process::ExitCode;

fn main() -> ExitCode {
    let outcome = warpcall_cli::run(std::env::args_os());
    // Colours are left out where the other end is no terminal. A reader that has gone away, such as `head`,
    // wants no more of it.
    let printed = anstream::stdout().write_all(outcome.output.as_bytes());
    let reported = anstream::stderr().write_all(outcome.errors.as_bytes());
    match printed.and(reported) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => ExitCode::from(warpcall_cli::TROUBLE),
        _ => ExitCode::from(outcome.code),
    }
}
