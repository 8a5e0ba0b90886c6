//! The proof: each declared kernel against the CUDA source and the image that the block names.
//!
//! Both are read once a block. What the names of types tell is compared here; what only the compiler knows
//! of them becomes assertions beside the generated items.

mod absent;
mod assertions;
mod declared;
mod fields;
mod finding;
mod headers;
mod image;
mod listed;
mod named;
mod pairing;
mod places;
mod rust_words;
mod source;
#[cfg(test)]
mod tests;
pub(super) mod tracking;
mod verdict;

use std::borrow::Cow;
use std::collections::{BTreeSet, HashSet};

use proc_macro2::TokenStream;
use warpcall_signature::{
    Kernel, Lookup, Module, NameExpression, Problem, read as read_any,
    source::{FileLoader, SourceReader},
};

pub(super) use self::{
    absent::{Hidden, hidden},
    declared::is_number,
    headers::Header,
    listed::listed,
    places::Places,
    source::{hiding, notes},
};
use self::{
    finding::{At, Comparison, Finding},
    headers::{Ambiguous, HeaderFinder},
};
use super::model;
use crate::{report::Report, site::Site};

/// What the files of a declaration hold, as far as it names them.
pub(super) struct Contents {
    pub(super) source: Option<Module>,
    /// The headers that are embedded with the source.
    pub(super) headers: Vec<Header>,
    pub(super) images: Option<Vec<Module>>,
}

/// Reads the files of a declaration, once for all its kernels. The source is asked for `names`. Reports what cannot be
/// read.
pub(super) fn read(
    module: &model::Module,
    names: Vec<NameExpression>,
    site: &Site,
    report: &mut Report,
) -> Contents {
    let (source, headers) = read_source(module, names, site, report);
    let images = module.image.as_ref().and_then(|file| read_image(file, &Places(site), report));
    Contents { source, headers, images }
}

/// Compares the kernels of a block with its files, reports what is wrong, and notes the symbols of those that are declared
/// by their names in C++. Gives the items by which the compiler compares the rest and learns on which files the expansion
/// depends.
pub(super) fn of(
    module: &mut model::Module,
    contents: &Contents,
    site: &Site,
    report: &mut Report,
) -> TokenStream {
    let (items, symbols) = compared(module, contents, site, report);
    for (kernel, symbol) in module.concrete_mut().zip(symbols) {
        if let Some(cpp) = &mut kernel.cpp {
            cpp.symbol = symbol;
        }
    }
    items
}

fn compared(
    module: &model::Module,
    contents: &Contents,
    site: &Site,
    report: &mut Report,
) -> (TokenStream, Vec<Option<String>>) {
    let Contents { source, headers, images } = contents;
    let places = Places(site);
    let mut items = tracking::of(tracked(module, source.as_ref(), headers), site);
    let files = Files { module, source: source.as_ref(), images: images.as_deref(), site };
    let mut open = Vec::new();
    let mut symbols = Vec::new();
    for kernel in &module.kernels {
        // What is wrong with each instance of a family is said once.
        let mut said = HashSet::new();
        for kernel in kernel.concrete() {
            let mut comparison = files.compare(kernel);
            comparison.shorten(&places);
            for finding in &comparison.findings {
                if said.insert((finding.at, finding.found.replace(&kernel.name, ""), finding.instead.clone()))
                {
                    finding.report(kernel, report);
                }
            }
            let is_wrong: Vec<Option<usize>> =
                comparison.findings.iter().map(|found| found.at.parameter()).collect();
            // Where something is wrong already, the compiler would say it again.
            let others = comparison.assertions.into_iter().filter(|a| !is_wrong.contains(&Some(a.parameter)));
            let others = others.filter(|assertion| {
                let index = assertion.parameter;
                kernel.parameters[index].is_generic
                    || said.insert((
                        At::Type(index),
                        assertion.expected.replace(&kernel.name, ""),
                        String::new(),
                    ))
            });
            open.extend(others.map(|assertion| (kernel, assertion)));
            symbols.push(comparison.symbol);
        }
    }
    items.extend(assertions::of(&open, &module.krate, &places));
    (items, symbols)
}

impl Contents {
    /// Asks the source for names, which is what it holds from then on.
    pub(super) fn ask(
        &mut self,
        names: Vec<NameExpression>,
        module: &model::Module,
        site: &Site,
        report: &mut Report,
    ) {
        if !names.is_empty() {
            (self.source, self.headers) = read_source(module, names, site, report);
        }
    }

    /// The items by which the compiler learns on which files an expansion depends that embeds none.
    pub(super) fn tracking(&self, module: &model::Module, site: &Site) -> TokenStream {
        let read = self.source.iter().flat_map(|source| source.files.iter().cloned());
        let named = [&module.image, &module.source].into_iter().flatten();
        let all: BTreeSet<String> =
            read.chain(named.map(|file| file.path.to_string_lossy().into_owned())).collect();
        tracking::of(all.iter().map(String::as_str), site)
    }
}

/// The files that the expansion depends on and does not embed.
fn tracked<'a>(
    module: &'a model::Module,
    source: Option<&'a Module>,
    headers: &'a [Header],
) -> impl Iterator<Item = &'a str> {
    let embedded: HashSet<&str> = module
        .embedded_source()
        .and_then(|file| file.path.to_str())
        .into_iter()
        .chain(headers.iter().filter(|header| header.text.is_none()).map(|header| &*header.file))
        .collect();
    let read = source.into_iter().flat_map(|source| &source.files).map(String::as_str);
    // A header is embedded that was not read, or with another text than it has.
    let files: BTreeSet<&str> = read.chain(headers.iter().map(|header| &*header.file)).collect();
    files.into_iter().filter(move |file| !embedded.contains(file))
}

/// Reads the source of a declaration, and in it the kernels of these names.
fn read_source(
    module: &model::Module,
    names: Vec<NameExpression>,
    site: &Site,
    report: &mut Report,
) -> (Option<Module>, Vec<Header>) {
    let Some(file) = &module.source else { return (None, Vec::new()) };
    let places = Places(site);
    let expected = "each declaration is compared with it";
    let mut reader = SourceReader::new();
    for model::Define { name, value } in &module.defines {
        reader = reader.define(name, value);
    }
    for name in names {
        reader = reader.name(name);
    }
    let path = file.path.to_string_lossy();
    let text = match std::fs::read(&file.path) {
        Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(error) => {
            let found = format!("the source `{}` cannot be read: {error}", file.written.value());
            report.error(&file.written, found, expected, "make it readable");
            return (None, Vec::new());
        }
    };
    let loader = module.include.iter().fold(FileLoader::new(), FileLoader::include_folder);
    let mut finder = HeaderFinder::new(loader);
    let source = match reader.read_with(&mut finder, &path, &text) {
        Ok(source) => source,
        Err(error) => {
            let found = format!("the source `{}` cannot be read", file.written.value());
            let instead = format!("{}{}", error.help(), places.note(&error));
            report.error(&file.written, found, expected, instead);
            return (None, Vec::new());
        }
    };
    refuse_gaps(&source, file, &places, report);
    if module.embedded_source().is_none() {
        return (Some(source), Vec::new());
    }
    match finder.headers(&path, &text) {
        Ok(headers) => (Some(source), headers),
        Err(Ambiguous { name, from, files }) => {
            let files = files.map(|file| places.path(&file));
            report.error(
                &file.written,
                format!("`{name}` in {} is {} and elsewhere {}", places.path(&from), files[1], files[0]),
                "a header is embedded by the name that includes it",
                "write more of the path of one of the two",
            );
            (Some(source), Vec::new())
        }
    }
}

/// Refuses a source that is not all there: a header that does not exist cannot be watched either, so that nobody would
/// compare again once it does.
fn refuse_gaps(source: &Module, file: &model::File, places: &Places<'_>, report: &mut Report) {
    for note in &source.notes {
        let place = note.position.as_ref().map(|position| places.position(position)).unwrap_or_default();
        match &note.problem {
            Problem::MissingInclude { path } => report.error(
                &file.written,
                format!("{place} includes \"{path}\""),
                "there is no such file, and what it defines may change every kernel",
                "put it beside the file, or name its folder in `include(…)`",
            ),
            Problem::ErrorDirective { text } => report.error(
                &file.written,
                format!("{place} is reached, which says `#error {text}`"),
                "a source is compared as it is compiled",
                "define what it asks for in `defines(…)`",
            ),
            _ => {}
        }
    }
}

fn read_image(file: &model::File, places: &Places<'_>, report: &mut Report) -> Option<Vec<Module>> {
    let found = format!("the image `{}` cannot be read", file.written.value());
    let expected = "each declaration is compared with it";
    let bytes = match std::fs::read(&file.path) {
        Ok(bytes) => bytes,
        Err(error) => {
            report.error(&file.written, format!("{found}: {error}"), expected, "make it readable");
            return None;
        }
    };
    match read_any(&bytes) {
        Ok(images) => Some(images),
        Err(error) => {
            let instead = format!("{}{}", error.help(), places.note(&error));
            report.error(&file.written, found, expected, instead);
            None
        }
    }
}

/// What the kernels of a block are compared with.
struct Files<'a> {
    module: &'a model::Module,
    source: Option<&'a Module>,
    images: Option<&'a [Module]>,
    site: &'a Site,
}

impl<'a> Files<'a> {
    fn compare(&self, kernel: &model::Kernel) -> Comparison {
        let mut comparison = Comparison::default();
        let mut written: Option<Cow<'a, Kernel>> = None;
        if let Some(source) = self.source {
            match self.look_up(kernel, source) {
                Ok(cuda) => {
                    comparison = source::compare(kernel, &cuda, &self.setting(source));
                    written = Some(cuda);
                }
                // One mistake in a name is one error, not one for each file.
                Err(finding) => {
                    comparison.findings.push(finding);
                    return comparison;
                }
            }
        }
        if let Some(images) = self.images {
            let path = self.module.image.as_ref().map(|file| file.written.value()).unwrap_or_default();
            let source = self.module.source.as_ref().map(|source| source.written.value());
            let setting =
                image::Setting { path: &path, source: source.as_deref(), written: written.as_deref() };
            match &kernel.cpp {
                Some(cpp) => named::in_images(kernel, cpp, images, &setting, &mut comparison),
                None => compare_images(kernel, images, &setting, &mut comparison),
            }
        }
        comparison
    }

    fn setting<'s>(&'s self, source: &'s Module) -> source::Setting<'s> {
        source::Setting { places: Places(self.site), notes: &source.notes, has_image: self.images.is_some() }
    }

    fn look_up(&self, kernel: &model::Kernel, source: &'a Module) -> Result<Cow<'a, Kernel>, Finding> {
        if let Some(cpp) = &kernel.cpp {
            return named::in_source(kernel, cpp, self, source);
        }
        let places = Places(self.site);
        let symbol = kernel.symbol.value();
        let path = self.module.source.as_ref().map(|file| file.written.value()).unwrap_or_default();
        let place = |cuda: &Kernel| {
            let origin = cuda.origin.as_ref().map(|origin| format!(" ({})", places.origin(origin)));
            origin.unwrap_or_default()
        };
        match source.of_symbol(&symbol) {
            Lookup::Found(cuda) => Ok(Cow::Borrowed(cuda)),
            Lookup::Instance(cuda) => Ok(Cow::Owned(*cuda)),
            Lookup::Mangled(cuda) => {
                let (what, instead) = named::instead_of_plain_name(cuda, self);
                Err(Finding {
                    at: At::Kernel,
                    found: format!("`{}` is declared under its plain name", kernel.name),
                    expected: format!("{what}{}", place(cuda)),
                    instead,
                })
            }
            Lookup::OtherTypes(cuda) => Err(Finding {
                at: At::Symbol,
                found: format!("the `#[link_name]` of `{}` is of other parameters", kernel.name),
                expected: format!("the kernel is `{cuda}`{}", place(cuda)),
                instead: "copy the name out of PTX that is compiled from this source".to_owned(),
            }),
            Lookup::Absent => Err(absent::from_source(kernel, source, &path, &places)),
        }
    }
}

/// Compares a kernel with each image that has it.
fn compare_images(
    kernel: &model::Kernel,
    images: &[Module],
    setting: &image::Setting<'_>,
    comparison: &mut Comparison,
) {
    let symbol = kernel.symbol.value();
    let mut is_there = false;
    for image in images {
        let compiled = image.kernels.iter().find(|other| other.symbol.as_deref() == Some(&symbol));
        if let Some(compiled) = compiled {
            is_there = true;
            image::compare(kernel, image, compiled, setting, comparison);
        }
    }
    // An image for one architecture may lack what another one has.
    if !is_there {
        let all = images.iter().flat_map(|image| &image.kernels);
        let names = all.filter_map(|kernel| kernel.symbol.as_deref());
        let mut finding = absent::from_file(kernel, setting.path, names, "");
        if let Some(source) = setting.source {
            finding.instead = format!("compile the image again from {source}; {}", finding.instead);
        }
        comparison.findings.push(finding);
    }
}
