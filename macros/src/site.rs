//! Where an expansion takes place: what paths in a declaration are relative to.

use std::{env, path::PathBuf};

/// The folders of the package that is compiled.
pub(crate) struct Site {
    /// The folder of its `Cargo.toml`; `None` outside Cargo.
    pub(crate) manifest_dir: Option<PathBuf>,
    /// Where its build script writes; `None` without one.
    pub(crate) out_dir: Option<PathBuf>,
}

impl Site {
    /// The package that Cargo compiles now.
    pub(crate) fn current() -> Self {
        Self {
            manifest_dir: env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from),
            out_dir: env::var_os("OUT_DIR").map(PathBuf::from),
        }
    }
}
