//! `warpcall bind`: declarations of Rust for the kernels of files.
//!
//! What stands for a name and a type says [`warpcall_signature::rust`]. [`types`] keeps what has to be imported, [`structs`]
//! makes the structs that are passed by value, [`kernel`] binds one kernel, and [`write`](self::write) puts it all into text.

mod kernel;
mod paths;
mod structs;
mod types;
mod write;

use std::collections::HashSet;
use std::path::PathBuf;

use warpcall_signature::{Position, rust};

use self::types::Types;
use self::write::Unit;
use crate::input::{self, Input};
use crate::{Outcome, Reading};

/// How declarations are made.
#[derive(Debug, Clone)]
pub struct Binding {
    /// How sources are read. The defines stand in the declarations too.
    pub reading: Reading,
    /// The folder of `Cargo.toml`, where the paths in the declarations begin.
    pub root: PathBuf,
}

/// Declarations of the kernels of each file, ready to paste: with imports, the structs that are passed by value, and
/// the comments of the CUDA source. Several files give a Rust module each.
///
/// A kernel that cannot be bound stands among the others as a comment that says why. A file that cannot be read is
/// named in the errors, and the code is [`TROUBLE`](crate::TROUBLE); the others are bound all the same.
pub fn bind(files: &[PathBuf], binding: &Binding) -> Outcome {
    let mut outcome = Outcome::default();
    let root = match binding.root.canonicalize() {
        Ok(root) => root,
        Err(error) => {
            outcome.fail(&format!("`{}` is no folder to begin paths at: {error}", binding.root.display()));
            return outcome;
        }
    };
    let (mut modules, mut rust_names) = (HashSet::new(), HashSet::new());
    let mut texts = Vec::new();
    for file in files {
        let opened = input::open(file, &binding.reading).and_then(|mut input| {
            input::ask_for_names(&mut input, file, &binding.reading)?;
            Ok(input)
        });
        let input = match opened {
            Ok(input) => input,
            Err(message) => {
                outcome.fail(&message);
                continue;
            }
        };
        let path = paths::from(&root, file);
        let stem = paths::module_name(file);
        // Modules of one name are one to a backend.
        let module = rust::unique(&stem, |name| modules.insert(name.to_owned()));
        let unit = unit(&input, &module, &path, &binding.reading);
        let missing = unit.kernels.iter().filter(|kernel| kernel.is_err()).count();
        if missing > 0 {
            let kernels = if missing == 1 { "1 kernel is" } else { &format!("{missing} kernels are") };
            outcome.note(&format!("`{}`: {kernels} not bound; a comment says why", input.path));
        }
        if files.len() == 1 {
            texts.push(unit.text());
        } else {
            let wanted = rust::snake_case(&rust::similar(&module));
            let name = rust::unique(&wanted, |name| rust_names.insert(name.to_owned()));
            texts.push(write::module(&name, &format!("The kernels of `{path}`."), &unit.text()));
        }
    }
    outcome.output = texts.join("\n");
    outcome
}

fn unit(input: &Input, module: &str, path: &str, reading: &Reading) -> Unit {
    let mut types = Types::default();
    let key = if input.format.is_none() { "source" } else { "image" };
    let mut arguments = format!("module = {module:?}, {key} = {path:?}");
    let mut comments = Vec::new();
    if input.format.is_none() {
        if !reading.defines.is_empty() {
            let defines: Vec<String> = reading.defines.iter().map(|define| format!("{define:?}")).collect();
            arguments += &format!(", defines({})", defines.join(", "));
        }
        if !reading.include_folders.is_empty() {
            let folders: Vec<String> =
                reading.include_folders.iter().map(|folder| format!("`{}`", folder.display())).collect();
            comments.push(format!(
                "Read with headers from {}, where `#[kernel]` does not look: it finds those beside the file.",
                folders.join(", ")
            ));
        }
    }
    comments.extend(input.modules.iter().flat_map(|module| &module.notes).map(ToString::to_string));
    let (source, images) = match input.format {
        None => (input.modules.first(), None),
        Some(_) => (None, Some(&input.modules[..])),
    };
    let mut statics = HashSet::new();
    let kernels: Vec<_> = rust::candidates(source, images)
        .iter()
        .map(|candidate| kernel::bind(candidate, &mut types, &mut statics))
        .collect();
    if kernels.is_empty() {
        comments.push(format!("`{}` holds no kernels.", input.path));
    }
    types.import_name("warpcall", "kernel");
    Unit { comments, arguments, kernels, types }
}

/// `norm.cu:12`: a place that is true on every machine.
fn place(position: &Position) -> String {
    let file = position.file.rsplit(['/', '\\']).next().unwrap_or(&position.file);
    format!("{file}:{}", position.line)
}
