//! What one reading gives.

use super::Kernel;
use crate::Diagnostic;

/// The kernels of one source file with what it includes, or of one image.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Module {
    /// The kernels in the order they are met.
    pub kernels: Vec<Kernel>,
    /// The architecture an image was compiled for, such as `sm_90`.
    pub target: Option<String>,
    /// The ISA version of PTX, major and minor.
    pub ptx_version: Option<(u32, u32)>,
    /// The files that were read: the source and what it includes, each once.
    pub files: Vec<String>,
    /// What could not be read, and why, where it belongs to no kernel.
    pub notes: Vec<Diagnostic>,
}

impl Module {
    /// The kernel of a name: its symbol, its name, or its name with namespaces. A symbol wins over a
    /// name. `None` where there is none, or where the name means several.
    pub fn kernel(&self, name: &str) -> Option<&Kernel> {
        if let Some(kernel) = self.kernels.iter().find(|k| k.symbol.as_deref() == Some(name)) {
            return Some(kernel);
        }
        let mut named = self.kernels.iter().filter(|k| k.name == name || k.qualified_name() == name);
        let first = named.next()?;
        if named.next().is_some() { None } else { Some(first) }
    }

    /// Every kernel of a name, with or without namespaces: the instances of a template, overloads.
    pub fn kernels_named<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Kernel> {
        self.kernels.iter().filter(move |k| {
            k.name == name || k.symbol.as_deref() == Some(name) || k.qualified_name() == name
        })
    }
}
