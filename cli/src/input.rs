//! Reading a file, whatever of the four it is.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use warpcall_signature::source::SourceReader;
use warpcall_signature::{Diagnostic, Format, Module, Problem, detect, read, rust};

use crate::Reading;

/// A file that was read.
#[derive(Debug)]
pub(crate) struct Input {
    /// Its path as it was given.
    pub(crate) path: String,
    /// What it is; `None` for a source.
    pub(crate) format: Option<Format>,
    /// A source, a PTX and a cubin give one, a fatbin one for each image inside.
    pub(crate) modules: Vec<Module>,
}

impl Input {
    /// What the file is, in a word.
    pub(crate) fn kind(&self) -> &'static str {
        match self.format {
            None => "source",
            Some(Format::Ptx) => "PTX",
            Some(Format::Cubin) => "cubin",
            Some(Format::Fatbin) => "fatbin",
        }
    }
}

/// What one image of a file is for: `sm_90 (PTX)`; nothing for a source.
pub(crate) fn target(module: &Module) -> Option<String> {
    let target = module.target.as_ref()?;
    Some(if module.ptx_version.is_some() { format!("{target} (PTX)") } else { target.clone() })
}

/// Reads a file.
///
/// # Errors
///
/// It cannot be read, or is none of the four; the text names the file.
pub(crate) fn open(path: &Path, reading: &Reading) -> Result<Input, String> {
    let name = path.display().to_string();
    let bytes = fs::read(path)
        .map_err(|error| format!("`{name}` cannot be read: {error}; check the path and its permissions"))?;
    let format = detect(&bytes);
    let modules = if format.is_some() || is_image(path, &bytes) {
        let mut modules = read(&bytes).map_err(|mut diagnostic| {
            if let Some(position) = diagnostic.position.as_mut().filter(|_| format == Some(Format::Ptx)) {
                position.file = name.as_str().into();
            }
            about(&name, &diagnostic)
        })?;
        if format == Some(Format::Ptx) {
            for module in &mut modules {
                name_places(module, &name);
            }
        }
        modules
    } else if is_source(path) {
        vec![reading.reader().read_file(path).map_err(|diagnostic| about(&name, &diagnostic))?]
    } else {
        return Err(format!(
            "`{name}` is neither a CUDA source nor an image; the name of a source ends in one of {}",
            SOURCES.map(|extension| format!(".{extension}")).join(" ")
        ));
    };
    Ok(Input { path: name, format, modules })
}

/// Asks a source for what its kernels of C++ are called there, those that its images have where there are any.
///
/// # Errors
///
/// As for [`open`].
pub(crate) fn ask_for_names(
    input: &mut Input,
    path: &Path,
    images: Option<&[Module]>,
    reading: &Reading,
) -> Result<(), String> {
    let source = if input.format.is_none() { input.modules.first() } else { None };
    let names = rust::cpp_names(source, images);
    if !names.is_empty() {
        let reader = names.into_iter().fold(reading.reader(), SourceReader::name);
        input.modules = vec![reader.read_file(path).map_err(|diagnostic| about(&input.path, &diagnostic))?];
    }
    Ok(())
}

/// Whether a file that is no image is meant to be one: no source, in any case.
fn is_image(path: &Path, bytes: &[u8]) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    matches!(extension, "ptx" | "cubin" | "fatbin") || bytes.contains(&0)
}

/// What the names of CUDA sources and of their headers end in.
const SOURCES: [&str; 14] =
    ["cu", "cuh", "c", "cc", "cpp", "cxx", "h", "hh", "hpp", "hxx", "inc", "inl", "ipp", "tpp"];

/// Whether a file is named like a source. One without an extension is taken at its word, such as what a shell substitutes.
fn is_source(path: &Path) -> bool {
    let Some(extension) = path.extension() else { return true };
    let extension = extension.to_string_lossy().to_ascii_lowercase();
    SOURCES.contains(&&*extension)
}

/// Puts the path of a PTX file into the places in it: its text alone does not tell where it is from.
fn name_places(module: &mut Module, path: &str) {
    let file: Arc<str> = path.into();
    let own = module.kernels.iter_mut().flat_map(|kernel| {
        let parameters = kernel.parameters.iter_mut().filter_map(|parameter| parameter.origin.as_mut());
        let origins = parameters.chain(&mut kernel.origin).map(|origin| &mut origin.position);
        origins.chain(kernel.notes.iter_mut().filter_map(|note| note.position.as_mut()))
    });
    for position in own.chain(module.notes.iter_mut().filter_map(|note| note.position.as_mut())) {
        position.file = Arc::clone(&file);
    }
}

fn about(path: &str, diagnostic: &Diagnostic) -> String {
    match &diagnostic.problem {
        Problem::Io { path: named, .. } if named == path => diagnostic.to_string(),
        _ => format!("`{path}` cannot be read: {diagnostic}"),
    }
}
