//! Where the text of headers comes from.

use std::path::{Component, Path, PathBuf};

/// A file that a loader found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loaded {
    /// The path by which the file is known: in positions, in [`Module::files`](crate::Module::files),
    /// and for `#pragma once`. The same file must always have the same path.
    pub path: String,
    /// Its text.
    pub text: String,
}

/// Supplies the headers that are included, so that the caller knows every file read.
pub trait Loader {
    /// The header `path`, as written in the directive, for the file `from`. `Ok(None)` where it does
    /// not exist, which becomes a note.
    ///
    /// # Errors
    ///
    /// The file is there but cannot be read; this ends the reading.
    fn load(&mut self, path: &str, from: &str) -> Result<Option<Loaded>, String>;

    /// The header `path` that is included with angle brackets, for the file `from`. Without this
    /// method there is none: headers of the system are not read. Headers of CUDA's toolkit and of the
    /// standard libraries are not asked for.
    ///
    /// # Errors
    ///
    /// As for [`load`](Self::load).
    fn load_angled(&mut self, path: &str, from: &str) -> Result<Option<Loaded>, String> {
        let _ = (path, from);
        Ok(None)
    }
}

/// Finds no headers: for a text that stands alone.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoFiles;

impl Loader for NoFiles {
    fn load(&mut self, _: &str, _: &str) -> Result<Option<Loaded>, String> {
        Ok(None)
    }
}

/// Finds headers on disk: those in quotes beside the including file, then in the include folders;
/// those in angle brackets in the include folders only.
#[derive(Debug, Clone, Default)]
pub struct FileLoader {
    folders: Vec<PathBuf>,
}

impl FileLoader {
    /// A loader that looks beside the including file only.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a folder that is searched after the including file's own.
    #[must_use]
    pub fn include_folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.folders.push(folder.into());
        self
    }
}

impl Loader for FileLoader {
    fn load(&mut self, path: &str, from: &str) -> Result<Option<Loaded>, String> {
        let beside = Path::new(from).parent().unwrap_or(Path::new(""));
        match find(beside, path)? {
            Some(loaded) => Ok(Some(loaded)),
            None => self.load_angled(path, from),
        }
    }

    fn load_angled(&mut self, path: &str, _: &str) -> Result<Option<Loaded>, String> {
        for folder in &self.folders {
            if let Some(loaded) = find(folder, path)? {
                return Ok(Some(loaded));
            }
        }
        Ok(None)
    }
}

fn find(folder: &Path, path: &str) -> Result<Option<Loaded>, String> {
    let file = plain(&folder.join(path));
    if !file.is_file() {
        return Ok(None);
    }
    Ok(Some(Loaded { path: file.to_string_lossy().into_owned(), text: read_text(&file)? }))
}

/// The text of a file. Comments may be in any encoding, so what is not UTF-8 is replaced.
pub(super) fn read_text(file: &Path) -> Result<String, String> {
    let bytes = std::fs::read(file).map_err(|e| e.to_string())?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The path without `.` and without `folder/..`, so that one file has one name.
fn plain(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if matches!(out.components().next_back(), Some(Component::Normal(_))) => {
                out.pop();
            }
            other => out.push(other),
        }
    }
    out
}
