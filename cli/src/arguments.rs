//! The command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use warpcall_signature::source::SourceReader;

/// Lists, compares and binds the kernels of CUDA sources, PTX, cubins and fatbins. Needs neither a GPU nor CUDA.
#[derive(Debug, Parser)]
#[command(name = "warpcall", version)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Print the kernels of each file, the instances that a source makes of its templates, and what could not be read.
    ///
    /// The exit code is 2 where a file cannot be read, or is neither a CUDA source nor an image; the others are listed all
    /// the same.
    List {
        /// CUDA sources, PTX, cubins and fatbins.
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
        #[command(flatten)]
        reading: Reading,
        /// Print one JSON array of files: each has `path`, `format` and `modules`, these have `kernels`, and these
        /// `parameters`. Sizes and alignments are bytes; what is not known is `null`.
        #[arg(long)]
        json: bool,
    },
    /// Compare the kernels of two files: a source and its image, an old and a new one.
    ///
    /// The exit code is 0 where they agree, 1 where they differ, and 2 where a file cannot be read or neither has a kernel.
    Diff {
        /// A CUDA source, PTX, cubin or fatbin.
        #[arg(value_name = "A")]
        left: PathBuf,
        /// What it is compared with.
        #[arg(value_name = "B")]
        right: PathBuf,
        #[command(flatten)]
        reading: Reading,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Print Rust declarations of the kernels, ready to paste.
    ///
    /// A kernel that cannot be bound stands among them as a comment that says why. A source and an image of one stem,
    /// such as norm.cu and norm.ptx, give one block that names both; several blocks stand in a Rust module each.
    Bind {
        /// CUDA sources; or PTX, cubins and fatbins, which keep the types of kernels with mangled names only.
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
        #[command(flatten)]
        reading: Reading,
        /// The folder of `Cargo.toml`: the paths in the declarations begin there.
        #[arg(long, value_name = "FOLDER", default_value = ".")]
        root: PathBuf,
    },
}

/// How CUDA sources are read.
#[derive(Debug, Clone, Default, Args)]
pub struct Reading {
    /// Define a macro while reading sources; a name alone stands for 1.
    #[arg(short = 'D', value_name = "NAME[=VALUE]")]
    pub defines: Vec<String>,
    /// Look for headers in this folder too.
    #[arg(short = 'I', value_name = "FOLDER")]
    pub include_folders: Vec<PathBuf>,
}

impl Reading {
    pub(crate) fn reader(&self) -> SourceReader {
        let mut reader = SourceReader::new();
        for define in &self.defines {
            let (name, value) = define.split_once('=').unwrap_or((define, "1"));
            reader = reader.define(name, value);
        }
        self.include_folders.iter().fold(reader, SourceReader::include_folder)
    }
}
