//! The headers of a source, as NVRTC takes them: each by the name in its `#include`, wherever that stands.

use std::collections::{BTreeMap, BTreeSet};

use warpcall_signature::source::{FileLoader, Include, Loaded, Loader, includes};

/// A header to be embedded.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::kernel) struct Header {
    /// The name in the `#include`.
    pub(in crate::kernel) name: String,
    pub(in crate::kernel) file: String,
    /// What stands for the content of the file.
    pub(in crate::kernel) text: Option<String>,
}

/// Finds headers on disk, and keeps which directive led to which file.
pub(super) struct HeaderFinder {
    loader: FileLoader,
    found: Vec<Inclusion>,
    /// Of each file that was found.
    texts: BTreeMap<String, String>,
}

/// A file that names a header, and the file that this is.
#[derive(Clone, PartialEq, Eq)]
struct Inclusion {
    from: String,
    name: String,
    /// Where it is named; 0 where a macro names it.
    line: u32,
    file: String,
}

/// Two headers of one name that cannot be told apart.
pub(super) struct Ambiguous {
    pub(super) name: String,
    pub(super) from: String,
    pub(super) files: [String; 2],
}

impl Loader for HeaderFinder {
    fn load(&mut self, path: &str, from: &str) -> Result<Option<Loaded>, String> {
        let loaded = self.loader.load(path, from)?;
        self.note(path, from, 0, loaded.as_ref());
        Ok(loaded)
    }

    fn load_angled(&mut self, path: &str, from: &str) -> Result<Option<Loaded>, String> {
        let loaded = self.loader.load_angled(path, from)?;
        self.note(path, from, 0, loaded.as_ref());
        Ok(loaded)
    }
}

impl HeaderFinder {
    pub(super) fn new(loader: FileLoader) -> Self {
        Self { loader, found: Vec::new(), texts: BTreeMap::new() }
    }

    fn note(&mut self, name: &str, from: &str, line: u32, loaded: Option<&Loaded>) {
        let Some(Loaded { path, text }) = loaded else { return };
        self.found.push(Inclusion { from: from.into(), name: name.into(), line, file: path.clone() });
        self.texts.entry(path.clone()).or_insert_with(|| text.clone());
    }

    /// All headers of the source `path` with this text, those among them whose `#include` stands under a condition that
    /// held for no reader: for another architecture it may. A name that means different files in different places is
    /// changed where it stands.
    ///
    /// # Errors
    ///
    /// Where it cannot be changed: in the source itself, or where a macro names it.
    pub(super) fn headers(mut self, path: &str, text: &str) -> Result<Vec<Header>, Ambiguous> {
        let read = std::mem::take(&mut self.found);
        self.search(path, text);
        // In the order of reading, so that a name means what the source itself means by it.
        let mut searched = BTreeSet::new();
        let mut at = 0;
        while let Some(file) = self.found.get(at).map(|inclusion| inclusion.file.clone()) {
            if searched.insert(file.clone()) {
                self.search(&file, &self.texts[&file].clone());
            }
            at += 1;
        }
        let known: BTreeSet<_> =
            self.found.iter().map(|known| (known.from.clone(), known.name.clone())).collect();
        let is_new = |new: &Inclusion| !known.contains(&(new.from.clone(), new.name.clone()));
        self.found.extend(read.into_iter().filter(is_new));
        self.named(path)
    }

    /// Looks for each header that a file names.
    fn search(&mut self, from: &str, text: &str) {
        for Include { path, is_angled, line } in includes(text) {
            let loaded =
                if is_angled { self.loader.load_angled(&path, from) } else { self.loader.load(&path, from) };
            // One that cannot be read, and had to be, is reported by the reader.
            self.note(&path, from, line, loaded.ok().flatten().as_ref());
        }
    }

    /// Gives each file its names, and each name one file.
    fn named(self, source: &str) -> Result<Vec<Header>, Ambiguous> {
        let mut names: BTreeMap<String, String> = BTreeMap::new();
        let mut first_names: BTreeMap<String, String> = BTreeMap::new();
        let mut changed: BTreeMap<String, String> = BTreeMap::new();
        for Inclusion { from, name, line, file } in self.found {
            let meant = names.entry(name.clone()).or_insert_with(|| file.clone());
            if *meant == file {
                first_names.entry(file).or_insert(name);
                continue;
            }
            let ambiguous =
                Ambiguous { name: name.clone(), from: from.clone(), files: [meant.clone(), file.clone()] };
            if line == 0 || from == source {
                return Err(ambiguous);
            }
            let mut number = 2;
            let other = loop {
                let other = format!("{name}@{number}");
                if names.get(&other).is_none_or(|known| *known == file) {
                    break other;
                }
                number += 1;
            };
            names.insert(other.clone(), file.clone());
            first_names.entry(file).or_insert_with(|| other.clone());
            let text = changed.entry(from.clone()).or_insert_with(|| self.texts[&from].clone());
            let renamed = renamed(text, line, &name, &other);
            if renamed == *text {
                return Err(ambiguous);
            }
            *text = renamed;
        }
        let header = |(name, file): (String, String)| {
            let first = &first_names[&file];
            // The same file by another name leads to the first, so that a `#pragma once` in it counts once.
            let text = if *first == name {
                changed.get(&file).cloned()
            } else {
                Some(format!("#include \"{first}\"\n"))
            };
            Header { name, file, text }
        };
        Ok(names.into_iter().map(header).collect())
    }
}

/// The text with another name in the `#include` of this line.
fn renamed(text: &str, line: u32, name: &str, other: &str) -> String {
    let change = |part: &str| {
        let quoted = part.replacen(&format!("\"{name}\""), &format!("\"{other}\""), 1);
        if quoted == part { part.replacen(&format!("<{name}>"), &format!("<{other}>"), 1) } else { quoted }
    };
    let parts = text.split_inclusive('\n').zip(1..);
    parts.map(|(part, number)| if number == line { change(part) } else { part.to_owned() }).collect()
}
