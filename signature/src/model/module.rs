//! What one reading gives.

use super::{Kernel, Position};
use crate::{Diagnostic, NameExpression};

/// The kernels of one source file with what it includes, or of one image.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Module {
    /// The kernels in the order they are met.
    pub kernels: Vec<Kernel>,
    /// The architecture an image was compiled for, such as `sm_90`.
    pub target: Option<String>,
    /// The ISA version of PTX, major and minor.
    pub ptx_version: Option<(u32, u32)>,
    /// What the names mean that [`SourceReader::name`](crate::source::SourceReader::name) was given, in their order.
    pub named: Vec<Named>,
    /// The files that were read: the source and what it includes, each once.
    pub files: Vec<String>,
    /// What could not be read, and why, where it belongs to no kernel.
    pub notes: Vec<Diagnostic>,
    /// The kernels of a source that stand under a condition which does not hold, as far as their names are written out.
    pub hidden: Vec<HiddenKernel>,
}

/// A kernel that is passed over because a condition does not hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HiddenKernel {
    /// Its name, without name spaces.
    pub name: String,
    /// Where that is.
    pub position: Position,
    /// The directive: `#ifdef WITH_EXTRA`.
    pub condition: String,
    /// Where that is.
    pub condition_position: Position,
    /// The macro that makes it hold, where that is plain.
    pub define: Option<String>,
}

/// What a source has under one name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// The name.
    pub expression: NameExpression,
    /// The kernels that it means: more than one where the source overloads it. An instance of a template has the
    /// parameters with the arguments in their place, and all arguments, those of defaults among them.
    pub kernels: Vec<Kernel>,
    /// Why kernels of this name are not meant, or cannot be read for it.
    pub refusals: Vec<Diagnostic>,
}

impl Module {
    /// What a name means that [`SourceReader::name`](crate::source::SourceReader::name) was given.
    pub fn named(&self, expression: &NameExpression) -> Option<&Named> {
        self.named.iter().find(|named| named.expression == *expression)
    }

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
