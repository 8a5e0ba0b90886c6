//! The kernels of a source and its images, each once, and what each can be named by.

use std::collections::HashSet;

use super::declaration::{Declaration, declare};
use super::not_bound::NotBound;
use super::types::Structs;
use crate::{Kernel, Lookup, Module, NameExpression, Problem, Template};

/// A kernel to declare.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// As the source has it, or else the image; its symbol is what it is named by.
    pub kernel: Kernel,
    outlook: Outlook,
}

/// Whether a kernel can be launched by its name.
#[derive(Debug, Clone)]
enum Outlook {
    /// By its symbol.
    Symbol,
    /// By its name in C++: the compiler of the source tells the symbol, or the image does.
    CppName,
    /// Not at all, whatever its parameters are.
    Never(NotBound),
}

impl Candidate {
    fn new(kernel: Kernel, outlook: Outlook) -> Self {
        Self { kernel, outlook }
    }

    fn never(kernel: Kernel, reason: NotBound) -> Self {
        Self::new(kernel, Outlook::Never(reason))
    }

    /// Declares the kernel.
    ///
    /// # Errors
    ///
    /// Why it cannot be.
    pub fn declare(&self, structs: &mut dyn Structs) -> Result<Declaration, NotBound> {
        match &self.outlook {
            Outlook::Symbol => declare(&self.kernel, structs),
            Outlook::CppName => Ok(Declaration { is_cpp_name: true, ..declare(&self.kernel, structs)? }),
            Outlook::Never(reason) => Err(reason.clone()),
        }
    }

    /// The name as C++ writes it.
    pub fn shown(&self) -> String {
        self.kernel.expression()
    }

    /// Whether `name` means this kernel: its name with or without name spaces and template arguments, or its symbol.
    pub fn is_called(&self, name: &str) -> bool {
        let Kernel { name: own, symbol, .. } = &self.kernel;
        own == name
            || self.kernel.qualified_name() == name
            || symbol.as_deref() == Some(name)
            || self.shown() == name
    }
}

/// The names in C++ of which the source has to be asked, so that [`candidates`] finds the kernels that they mean.
pub fn cpp_names(source: Option<&Module>, images: Option<&[Module]>) -> Vec<NameExpression> {
    let Some(source) = source else { return Vec::new() };
    let compiled = images.map(Compiled::of);
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
        _ if kernel.symbol.is_some() => Vec::new(),
        // NVRTC finds one that is local to its file by its name; in an image its symbol is of the compiler's making.
        _ if kernel.is_static && (compiled.is_some() || is_in_unnamed(kernel)) => Vec::new(),
        _ => vec![NameExpression::of(kernel)],
    }
}

/// Whether it stands in a namespace without a name.
fn is_in_unnamed(kernel: &Kernel) -> bool {
    kernel.namespace.iter().any(String::is_empty)
}

/// The kernels of a source, of images, or of a source with the images that are made of it: those of the source in its
/// order, then what only the images have.
///
/// A kernel of C is named by its symbol, one of C++ by its name there. Of a template the instances are meant that the images
/// have, or else that the source makes.
///
/// ```
/// use warpcall_signature::{rust, source::SourceReader};
///
/// let text = "template <typename T> __global__ void fill(T* x) {}\ntemplate __global__ void fill<float>(float*);";
/// let mut source = SourceReader::new().read_text("fill.cu", text)?;
/// let names = rust::cpp_names(Some(&source), None);
/// source = names.into_iter().fold(SourceReader::new(), SourceReader::name).read_text("fill.cu", text)?;
/// let candidates = rust::candidates(Some(&source), None);
/// assert_eq!(candidates[0].shown(), "fill<float>");
/// # Ok::<(), warpcall_signature::Diagnostic>(())
/// ```
pub fn candidates(source: Option<&Module>, images: Option<&[Module]>) -> Vec<Candidate> {
    let compiled = images.map(Compiled::of);
    let Some(source) = source else {
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
            let outlook = if is_there { Outlook::Symbol } else { Outlook::Never(NotBound::NotInImage) };
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
            self.candidates.push(Candidate::never(kernel.clone(), reason));
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
                self.candidates.push(Candidate::never(kernel, NotBound::NoInstance(reason)));
            }
            return;
        };
        if all.len() > 1 {
            let before = self.candidates.len();
            self.by_symbols(kernel);
            if self.candidates.len() == before {
                self.candidates.push(Candidate::never(own.clone(), NotBound::Overloaded));
            }
            return;
        }
        let mut own = Kernel { symbol: Some(name.to_string()), ..own.clone() };
        if let Some(compiled) = self.compiled {
            let found = NameExpression::of(&own).select(compiled.kernels.iter().copied());
            self.taken.extend(found.iter().filter_map(|kernel| kernel.symbol.as_deref()));
            if found.is_empty() {
                return self.candidates.push(Candidate::new(own, Outlook::Never(NotBound::NotInImage)));
            }
            own.is_defined = true;
        }
        self.candidates.push(Candidate::new(own, Outlook::CppName));
    }

    /// The kernels of the image that are this one or instances of it, by their symbols, which tell the parameters.
    fn by_symbols(&mut self, kernel: &'a Kernel) {
        for own in self.compiled.into_iter().flat_map(|compiled| compiled.kernels.iter().copied()) {
            let Some(symbol) = own.symbol.as_deref() else { continue };
            let of_source = match self.source.of_symbol(symbol) {
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
            let never = match self.source.of_symbol(symbol) {
                Lookup::OtherTypes(_) => NotBound::OtherParameters,
                _ => NotBound::NotInSource,
            };
            self.candidates.push(Candidate::never(kernel.clone(), never));
        }
    }
}

/// What stands between the angle brackets of a name.
fn arguments_of(name: &NameExpression) -> String {
    let text = name.to_string();
    let inside = text.split_once('<').and_then(|(_, rest)| rest.strip_suffix('>'));
    inside.unwrap_or_default().to_owned()
}
