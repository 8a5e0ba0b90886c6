//! A kernel and everything its head says.

use super::{Origin, Parameter};
use crate::{Diagnostic, NameExpression};

/// The language linkage of a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Linkage {
    /// `extern "C"`: the symbol is the name.
    C,
    /// C++: the symbol is mangled.
    Cpp,
}

/// A parameter of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateParameter {
    /// The name, if it has one.
    pub name: Option<String>,
    /// The parameter as written, without its default: `typename T`, `int N`.
    pub text: String,
    /// Whether it stands for a type.
    pub is_type: bool,
    /// Whether it is a pack.
    pub is_pack: bool,
    /// The default as written.
    pub default: Option<String>,
}

/// An instance of a kernel template that the source names, or that an image holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instance {
    /// The template arguments as written; empty where they are left to deduction.
    pub arguments: String,
    /// Whether it has a body of its own (`template<> …`), not an explicit instantiation.
    pub is_specialization: bool,
    /// Where it stands.
    pub origin: Option<Origin>,
}

/// Whether a kernel is a template.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Template {
    /// An ordinary kernel.
    #[default]
    None,
    /// A template, which is launched through its instances.
    Primary {
        /// Its parameters.
        parameters: Vec<TemplateParameter>,
        /// The specialisations and explicit instantiations that the source names.
        instances: Vec<Instance>,
    },
    /// One instance, with its arguments as text: in an image, or a specialisation whose template is
    /// not visible.
    Instance {
        /// The template arguments, without the angle brackets.
        arguments: String,
    },
}

/// A number in a kernel's head.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Constant {
    /// Its value.
    Known(u64),
    /// It could not be evaluated.
    // Apart, as every kernel has room for ten of these numbers.
    Unknown(Box<Unevaluated>),
}

/// A number that could not be evaluated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unevaluated {
    /// The expression as written.
    pub text: String,
    /// Why it could not be evaluated.
    pub reason: String,
}

impl Constant {
    /// The value, where it is known.
    pub fn value(&self) -> Option<u64> {
        match self {
            Self::Known(value) => Some(*value),
            Self::Unknown(_) => None,
        }
    }
}

/// What a kernel promises or demands of its launches.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LaunchBounds {
    /// Most threads a block: `__launch_bounds__`'s first argument, the product of `.maxntid`.
    pub max_threads_per_block: Option<Constant>,
    /// Fewest blocks a multiprocessor: the second argument, `.minnctapersm`.
    pub min_blocks_per_multiprocessor: Option<Constant>,
    /// Most blocks a cluster: the third argument, `.maxclusterrank`.
    pub max_blocks_per_cluster: Option<Constant>,
    /// The block size it must be launched with, x, y and z: `.reqntid`, `__block_size__`.
    pub required_block: Option<[Constant; 3]>,
    /// The cluster size it is launched with, x, y and z: `__cluster_dims__`, `.reqnctapercluster`.
    pub cluster_dimensions: Option<[Constant; 3]>,
    /// Most registers a thread: `__maxnreg__`, `.maxnreg`.
    pub max_registers: Option<Constant>,
}

/// The signature of one kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kernel {
    /// The name without namespaces and template arguments.
    pub name: String,
    /// The namespaces around it, outermost first; an unnamed one is an empty string.
    pub namespace: Vec<String>,
    /// The name in the image, where it is known: always from an image, and from source for
    /// `extern "C"`.
    pub symbol: Option<String>,
    /// The parameters in order.
    pub parameters: Vec<Parameter>,
    /// Whether `parameters` holds all of them. False for a pack, and where the list could not be read.
    pub is_complete: bool,
    /// Language linkage.
    pub linkage: Linkage,
    /// Whether it is local to its translation unit: `static`, or in an unnamed namespace.
    pub is_static: bool,
    /// Whether it is a template or an instance of one.
    pub template: Template,
    /// Launch bounds, cluster dimensions, registers.
    pub bounds: LaunchBounds,
    /// Whether a body was seen, and not only a declaration.
    pub is_defined: bool,
    /// Where it stands; `None` for one read from a binary image.
    pub origin: Option<Origin>,
    /// The doc comment above it, without comment marks.
    pub doc: Option<String>,
    /// What of it could not be read, and why.
    pub notes: Vec<Diagnostic>,
}

impl Kernel {
    /// A kernel with a name and nothing else.
    pub fn named(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            namespace: Vec::new(),
            symbol: None,
            parameters: Vec::new(),
            is_complete: true,
            linkage: Linkage::Cpp,
            is_static: false,
            template: Template::None,
            bounds: LaunchBounds::default(),
            is_defined: false,
            origin: None,
            doc: None,
            notes: Vec::new(),
        }
    }

    /// The name with its namespaces: `detail::scan`.
    pub fn qualified_name(&self) -> String {
        let mut name = String::new();
        for part in &self.namespace {
            name.push_str(namespace(part));
            name.push_str("::");
        }
        name + &self.name
    }

    /// The name as C++ writes it: [`qualified_name`](Self::qualified_name), and of an instance its arguments.
    pub fn expression(&self) -> String {
        NameExpression::of(self).to_string()
    }

    /// The first parameter of a template through which no name in C++ is followed: a pack, or a template itself.
    pub fn unfollowed_parameter(&self) -> Option<&TemplateParameter> {
        let Template::Primary { parameters, .. } = &self.template else { return None };
        parameters.iter().find(|parameter| parameter.is_pack || parameter.text.starts_with("template"))
    }

    /// Whether it is a template, and so has no symbol of its own.
    pub fn is_template(&self) -> bool {
        matches!(self.template, Template::Primary { .. })
    }
}

/// A namespace as it is shown.
pub(crate) fn namespace(name: &str) -> &str {
    if name.is_empty() { "(anonymous namespace)" } else { name }
}
