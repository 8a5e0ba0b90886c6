//! Paths as a user knows them.

use std::path::Path;

use warpcall_signature::{Diagnostic, Origin, Position};

use crate::site::Site;

/// Shows places in files, without the folders that go without saying.
pub(in crate::kernel) struct Places<'a>(pub(in crate::kernel) &'a Site);

impl Places<'_> {
    /// A path relative to the package, or to where its build script writes.
    pub(in crate::kernel) fn path(&self, path: &str) -> String {
        let inside = |folder: &Option<std::path::PathBuf>| {
            let folder = folder.as_ref()?;
            Some(Path::new(path).strip_prefix(folder).ok()?.display().to_string())
        };
        // The second may lie in the first.
        if let Some(rest) = inside(&self.0.out_dir) {
            return format!("$OUT_DIR/{rest}");
        }
        inside(&self.0.manifest_dir).unwrap_or_else(|| path.to_owned())
    }

    /// A text in which types without a name are called by where they stand.
    pub(in crate::kernel) fn shorten(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for (folder, short) in [(&self.0.out_dir, "$OUT_DIR/"), (&self.0.manifest_dir, "")] {
            if let Some(folder) = folder {
                text = text
                    .replace(&format!("(unnamed at {}/", folder.display()), &format!("(unnamed at {short}"));
            }
        }
        text
    }

    pub(super) fn position(&self, position: &Position) -> String {
        format!("{}:{}", self.path(&position.file), position.line)
    }

    /// A place, and the macro it comes from.
    pub(in crate::kernel) fn origin(&self, origin: &Origin) -> String {
        let place = self.position(&origin.position);
        match &origin.expansion {
            Some(expansion) => format!("{place}, from the macro `{}`", expansion.macro_name),
            None => place,
        }
    }

    /// What a reader could not read, as a line below a message.
    pub(in crate::kernel) fn note(&self, note: &Diagnostic) -> String {
        format!("\nnote: {}", self.unread(note))
    }

    /// What a reader could not read, and where.
    pub(in crate::kernel) fn unread(&self, note: &Diagnostic) -> String {
        let place = note.position.as_ref().map(|position| format!("{}: ", self.position(position)));
        format!("{}{}", place.unwrap_or_default(), note.problem)
    }
}
