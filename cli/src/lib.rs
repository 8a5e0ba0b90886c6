//! What the command `warpcall` does, as functions that return what is to be printed.
//!
//! | command | function |
//! |---|---|
//! | `warpcall list FILE…` | [`list()`]: the kernels of CUDA sources, PTX, cubins and fatbins |
//! | `warpcall diff A B` | [`diff()`]: how the kernels of two files differ |
//! | `warpcall bind FILE…` | [`bind()`]: declarations for `#[kernel]` |
//!
//! [`run`] takes a command line. Text may hold the escape sequences of colours; whoever prints it leaves them out
//! where nobody sees them.
//!
//! ```
//! let source = concat!(env!("CARGO_MANIFEST_DIR"), "/../kernels/cuda/saxpy.cu");
//! let outcome = warpcall_cli::run(["warpcall", "bind", source]);
//! assert_eq!(outcome.code, 0);
//! assert!(outcome.output.contains("pub unsafe fn saxpy(y: *mut f32, x: *const f32, a: f32, n: u32);"));
//! ```

#![allow(
    clippy::format_push_string,
    reason = "a few lines for a person, which read better than `write!` and its result"
)]

mod arguments;
mod bind;
mod diff;
mod input;
mod list;
mod outcome;
mod pairing;
mod record;
mod style;

use std::ffi::OsString;

use clap::Parser as _;

pub use arguments::Reading;
pub use bind::{Binding, bind};
pub use diff::diff;
pub use list::list;
pub use outcome::{DIFFERENT, Outcome, TROUBLE};

use arguments::{Arguments, Command};

/// How a result is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// For people.
    Text,
    /// One JSON value.
    Json,
}

impl Format {
    fn of(json: bool) -> Self {
        if json { Self::Json } else { Self::Text }
    }
}

/// Does what a command line says; the first argument is the program's name.
pub fn run<A: Into<OsString> + Clone>(arguments: impl IntoIterator<Item = A>) -> Outcome {
    match Arguments::try_parse_from(arguments) {
        Ok(Arguments { command }) => match command {
            Command::List { files, reading, json } => list(&files, &reading, Format::of(json)),
            Command::Diff { left, right, reading, json } => diff(&left, &right, &reading, Format::of(json)),
            Command::Bind { files, reading, root } => bind(&files, &Binding { reading, root }),
        },
        Err(error) => {
            let text = error.render().ansi().to_string();
            if error.use_stderr() {
                Outcome { output: String::new(), errors: text, code: TROUBLE }
            } else {
                Outcome { output: text, errors: String::new(), code: 0 }
            }
        }
    }
}
