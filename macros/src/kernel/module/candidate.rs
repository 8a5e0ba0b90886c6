//! The kernels of the files that a module names, each once.

use std::collections::HashSet;

use warpcall_signature::{Kernel, Module, NameExpression, Problem, Template, rust::NotBound};

use crate::kernel::proof::{Contents, Lookup, in_source};

/// A kernel to bind.
pub(super) struct Candidate {
    /// As the source has it, or else the image; its symbol is what the declaration names it by.
    pub(super) kernel: Kernel,
    pub(super) outlook: Outlook,
}

/// Whether a kernel can be launched by its name.
pub(super) enum Outlook {
    /// By its symbol.
    Symbol,
    /// By its name in C++: the compiler of the source tells the symbol, or the image does.
    CppName,
    /// Not at all.
    Never(Never),
}

/// Why a kernel cannot be launched from this module, whatever its parameters are.
pub(super) enum Never {
    /// For the same reason as anywhere.
    NotBound(NotBound),
    /// A kernel of its name has other parameters, and its name in C++ does not tell them apart.
    Overloaded,
    /// The instance of a template that it should be cannot be made, for this reason.
    NoInstance(String),
    /// The source has it, the image does not.
    NotInImage,
    /// The image has it, the source does not.
    NotInSource,
    /// The image has it with other parameters than the source.
    OtherParameters,
}

impl Candidate {
    fn new(kernel: Kernel, outlook: Outlook) -> Self {
        Self { kernel, outlook }
    }

    /// The name as C++ writes it.
    pub(super) fn shown(&self) -> String {
        self.kernel.expression()
    }

    /// Whether `name` means this kernel: its name with or without name spaces and template arguments, or its symbol.
    pub(super) fn is_called(&self, name: &str) -> bool {
        let Kernel { name: own, symbol, .. } = &self.kernel;
        own == name
            || self.kernel.qualified_name() == name
            || symbol.as_deref() == Some(name)
            || self.shown() == name
    }
}

/// The names in C++ of which the source has to be asked, so that [`of`] finds the kernels that they mean.
pub(super) fn names(contents: &Contents) -> Vec<NameExpression> {
    let Some(source) = &contents.source else { return Vec::new() };
    let compiled = contents.images.as_deref().map(Compiled::of);
    let mut seen = HashSet::new();
    let all = source.kernels.iter().flat_map(|kernel| names_of(kernel, compiled.as_ref()));
    all.filter(|name| seen.insert(name.to_string())).collect()
}

/// The names of a kernel of the source, as far as C++ gives it any beyond its symbol: of a template those of its instances
/// that the image has, or else that the source itself makes.
fn names_of(kernel: &Kernel, compiled: Option<&Compiled<'_>>) -> Vec<NameExpression> {
    match &kernel.template {
        Template::Primary { instances, .. } => {
            if let Some(compiled) = compiled {
                return compiled.instances_of(kernel).map(NameExpression::of).collect();
            }
            let written = instances.iter().filter(|instance| !instance.arguments.is_empty());
            let names =
                written.map(|instance| format!("{}<{}>", kernel.qualified_name(), instance.arguments));
            names.filter_map(|name| NameExpression::parse(&name).ok()).collect()
        }
        _ if kernel.symbol.is_some() || kernel.is_static => Vec::new(),
        _ => vec![NameExpression::of(kernel)],
    }
}

/// All kernels of the files: those of the source in its order, then what only the images have.
pub(super) fn of(contents: &Contents) -> Vec<Candidate> {
    let compiled = contents.images.as_deref().map(Compiled::of);
    let Some(source) = &contents.source else {
        let all = compiled.into_iter().flat_map(|compiled| compiled.kernels);
        return all.map(|kernel| Candidate::new(kernel.clone(), Outlook::Symbol)).collect();
    };
    let mut sorting =
        Sorting { source, compiled: compiled.as_ref(), taken: HashSet::new(), candidates: Vec::new() };
    for kernel in &source.kernels {
        sorting.kernel(kernel);
    }
    sorting.others();
    sorting.candidates
}

/// The kernels of the images, each once.
struct Compiled<'a> {
    kernels: Vec<&'a Kernel>,
}

impl<'a> Compiled<'a> {
    fn of(images: &'a [Module]) -> Self {
        let mut seen = HashSet::new();
        let all = images.iter().flat_map(|image| &image.kernels);
        Self { kernels: all.filter(|kernel| seen.insert(kernel.symbol.as_deref())).collect() }
    }

    fn instances_of(&self, template: &Kernel) -> impl Iterator<Item = &'a Kernel> {
        let is_instance = |kernel: &&&Kernel| {
            matches!(kernel.template, Template::Instance { .. })
                && kernel.name == template.name
                && kernel.namespace == template.namespace
        };
        let found: Vec<&Kernel> = self.kernels.iter().filter(is_instance).copied().collect();
        found.into_iter()
    }
}

/// The kernels of a source, sorted by how they are named, beside those of its images.
struct Sorting<'a> {
    source: &'a Module,
    compiled: Option<&'a Compiled<'a>>,
    /// The symbols that are those of kernels of the source.
    taken: HashSet<&'a str>,
    candidates: Vec<Candidate>,
}

impl<'a> Sorting<'a> {
    fn kernel(&mut self, kernel: &'a Kernel) {
        if let Some(symbol) = &kernel.symbol {
            let is_there = self.compiled.is_none_or(|compiled| {
                compiled.kernels.iter().any(|other| other.symbol.as_ref() == Some(symbol))
            });
            self.taken.insert(symbol);
            let outlook = if is_there { Outlook::Symbol } else { Outlook::Never(Never::NotInImage) };
            return self.candidates.push(Candidate::new(kernel.clone(), outlook));
        }
        let before = self.candidates.len();
        if kernel.is_static {
            self.by_symbols(kernel);
        }
        for name in names_of(kernel, self.compiled) {
            self.by_name(kernel, &name);
        }
        if self.candidates.len() == before {
            let reason = if kernel.is_template() { NotBound::Template } else { NotBound::Local };
            self.candidates.push(Candidate::new(kernel.clone(), Outlook::Never(Never::NotBound(reason))));
        }
    }

    /// The kernel that a name in C++ means, if it is this one or an instance of it.
    fn by_name(&mut self, kernel: &'a Kernel, name: &NameExpression) {
        let named = self.source.named(name);
        let all = named.map_or(&[][..], |named| &named.kernels);
        let Some(own) = all.iter().find(|own| own.origin == kernel.origin) else {
            if all.is_empty()
                && let Some(refusal) = named.and_then(|named| named.refusals.first())
            {
                let reason = match &refusal.problem {
                    Problem::Instance { reason, .. } => reason.clone(),
                    problem => problem.to_string(),
                };
                let arguments = Template::Instance { arguments: arguments_of(name) };
                let kernel = Kernel { template: arguments, ..kernel.clone() };
                self.candidates.push(Candidate::new(kernel, Outlook::Never(Never::NoInstance(reason))));
            }
            return;
        };
        if all.len() > 1 {
            let before = self.candidates.len();
            self.by_symbols(kernel);
            if self.candidates.len() == before {
                self.candidates.push(Candidate::new(own.clone(), Outlook::Never(Never::Overloaded)));
            }
            return;
        }
        let mut own = Kernel { symbol: Some(name.to_string()), ..own.clone() };
        if let Some(compiled) = self.compiled {
            let found = NameExpression::of(&own).select(compiled.kernels.iter().copied());
            self.taken.extend(found.iter().filter_map(|kernel| kernel.symbol.as_deref()));
            if found.is_empty() {
                return self.candidates.push(Candidate::new(own, Outlook::Never(Never::NotInImage)));
            }
            own.is_defined = true;
        }
        self.candidates.push(Candidate::new(own, Outlook::CppName));
    }

    /// The kernels of the image that are this one or instances of it, by their symbols, which tell the parameters.
    fn by_symbols(&mut self, kernel: &'a Kernel) {
        for own in self.compiled.into_iter().flat_map(|compiled| compiled.kernels.iter().copied()) {
            let Some(symbol) = own.symbol.as_deref() else { continue };
            let of_source = match in_source(self.source, symbol) {
                Lookup::Found(other) if std::ptr::eq(other, kernel) => kernel.clone(),
                Lookup::Instance(other) if other.origin == kernel.origin => *other,
                _ => continue,
            };
            if !self.taken.insert(symbol) {
                continue;
            }
            let template = match &own.template {
                Template::Instance { .. } => own.template.clone(),
                _ => of_source.template.clone(),
            };
            let kernel = Kernel { symbol: own.symbol.clone(), template, is_defined: true, ..of_source };
            self.candidates.push(Candidate::new(kernel, Outlook::Symbol));
        }
    }

    /// The kernels that the image has and the source does not.
    fn others(&mut self) {
        for kernel in self.compiled.into_iter().flat_map(|compiled| compiled.kernels.iter().copied()) {
            let Some(symbol) = kernel.symbol.as_deref() else { continue };
            if self.taken.contains(symbol) {
                continue;
            }
            let never = match in_source(self.source, symbol) {
                Lookup::OtherTypes(_) => Never::OtherParameters,
                _ => Never::NotInSource,
            };
            self.candidates.push(Candidate::new(kernel.clone(), Outlook::Never(never)));
        }
    }
}

/// What stands between the angle brackets of a name.
fn arguments_of(name: &NameExpression) -> String {
    let text = name.to_string();
    let inside = text.split_once('<').and_then(|(_, rest)| rest.strip_suffix('>'));
    inside.unwrap_or_default().to_owned()
}
