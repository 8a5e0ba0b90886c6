//! Paths and names of files in declarations.

use std::path::{Component, Path, PathBuf};

/// The path of `file` that begins at the folder `root`, which has no links in it; with `/` on every system. One that
/// shares nothing with it is absolute.
pub(super) fn from(root: &Path, file: &Path) -> String {
    let whole = file.canonicalize().unwrap_or_else(|_| file.to_path_buf());
    let mut up = PathBuf::new();
    for folder in root.ancestors() {
        let is_top = folder.parent().is_none();
        match whole.strip_prefix(folder) {
            Ok(rest) if !is_top || up.as_os_str().is_empty() => return written(&up.join(rest)),
            _ => up.push(".."),
        }
    }
    written(&whole)
}

fn written(path: &Path) -> String {
    let mut text = String::new();
    for part in path.components() {
        if !text.is_empty() && !text.ends_with('/') {
            text.push('/');
        }
        match part {
            Component::RootDir => text.push('/'),
            part => text += &part.as_os_str().to_string_lossy(),
        }
    }
    text
}

/// The module of a file: its name without the extension, as one word.
pub(super) fn module_name(file: &Path) -> String {
    let stem = file.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let word: String =
        stem.chars().map(|c| if c.is_whitespace() || c.is_control() { '_' } else { c }).collect();
    if word.is_empty() { "kernels".to_owned() } else { word }
}
