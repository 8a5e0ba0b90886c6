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
use std::path::{Path, PathBuf};

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
/// the comments of the CUDA source. A source and an image of one stem give one block, which is compared with both; what is
/// more than one block gives a Rust module each.
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
    let groups = groups(files, binding, &mut outcome);
    let (mut modules, mut rust_names) = (HashSet::new(), HashSet::new());
    let mut texts = Vec::new();
    for group in &groups {
        let path = paths::from(&root, group.file);
        let stem = paths::module_name(group.file);
        // Modules of one name are one to a backend.
        let module = rust::unique(&stem, |name| modules.insert(name.to_owned()));
        let unit = unit(group, &module, &root, &binding.reading);
        let missing = unit.kernels.iter().filter(|kernel| kernel.is_err()).count();
        if missing > 0 {
            let kernels = if missing == 1 { "1 kernel is" } else { &format!("{missing} kernels are") };
            outcome.note(&format!("`{}`: {kernels} not bound; a comment says why", group.input.path));
        }
        if groups.len() == 1 && outcome.code == 0 {
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

/// What one block is bound to: a source, an image, or a source with its image.
struct Group<'a> {
    file: &'a Path,
    input: Input,
    image: Option<(&'a Path, Input)>,
}

/// Reads the files. A source and an image of one stem belong together, where there is one of each.
fn groups<'a>(files: &'a [PathBuf], binding: &Binding, outcome: &mut Outcome) -> Vec<Group<'a>> {
    let mut inputs: Vec<Option<(&Path, Input)>> = Vec::new();
    for file in files {
        match input::open(file, &binding.reading) {
            Ok(input) => inputs.push(Some((file, input))),
            Err(message) => outcome.fail(&message),
        }
    }
    let alike = |inputs: &[Option<(&Path, Input)>], stem: &str, is_source: bool| {
        let is_one = |own: &Option<(&Path, Input)>| {
            own.as_ref().is_some_and(|(file, input)| {
                input.format.is_none() == is_source && paths::module_name(file) == stem
            })
        };
        let mut all = (0..inputs.len()).filter(|index| is_one(&inputs[*index]));
        all.next().filter(|_| all.next().is_none())
    };
    let partners: Vec<Option<usize>> = inputs
        .iter()
        .enumerate()
        .map(|(index, own)| {
            let (file, _) = own.as_ref()?;
            let stem = paths::module_name(file);
            alike(&inputs, &stem, true).filter(|source| *source == index)?;
            alike(&inputs, &stem, false)
        })
        .collect();
    let images: Vec<_> =
        partners.iter().map(|partner| partner.and_then(|index| inputs[index].take())).collect();
    let mut groups = Vec::new();
    for (own, image) in inputs.into_iter().zip(images) {
        let Some((file, mut input)) = own else { continue };
        let compiled = image.as_ref().map(|(_, image)| &image.modules[..]);
        match input::ask_for_names(&mut input, file, compiled, &binding.reading) {
            Ok(()) => groups.push(Group { file, input, image }),
            Err(message) => outcome.fail(&message),
        }
    }
    groups
}

fn unit(group: &Group<'_>, module: &str, root: &Path, reading: &Reading) -> Unit {
    let Group { file, input, image } = group;
    let mut types = Types::default();
    let key = if input.format.is_none() { "source" } else { "image" };
    let mut arguments = format!("module = {module:?}, {key} = {:?}", paths::from(root, file));
    if let Some((file, _)) = image {
        arguments += &format!(", image = {:?}", paths::from(root, file));
    }
    if input.format.is_none() {
        if !reading.defines.is_empty() {
            let defines: Vec<String> = reading.defines.iter().map(|define| format!("{define:?}")).collect();
            arguments += &format!(", defines({})", defines.join(", "));
        }
        if !reading.include_folders.is_empty() {
            let folders: Vec<String> = reading
                .include_folders
                .iter()
                .map(|folder| format!("{:?}", paths::from(root, folder)))
                .collect();
            arguments += &format!(", include({})", folders.join(", "));
        }
    }
    let inputs = std::iter::once(input).chain(image.as_ref().map(|(_, image)| image));
    let notes = inputs.flat_map(|input| &input.modules).flat_map(|module| &module.notes);
    let mut comments: Vec<String> = notes.map(ToString::to_string).collect();
    let (source, images) = match (input.format, image) {
        (None, image) => (input.modules.first(), image.as_ref().map(|(_, image)| &image.modules[..])),
        (Some(_), _) => (None, Some(&input.modules[..])),
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
