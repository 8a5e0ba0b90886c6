//! One kernel: its declaration, or why it has none.

use std::collections::HashSet;

use warpcall_signature::rust::{self, DeclaredParameter, NotBound};
use warpcall_signature::{Kernel, Template};

use super::place;
use super::types::Types;

/// A declaration to write.
#[derive(Debug)]
pub(super) struct Declaration {
    pub(super) doc: String,
    /// The name in the module, where it is not the function's.
    pub(super) link_name: Option<String>,
    pub(super) name: String,
    pub(super) parameters: Vec<DeclaredParameter>,
}

/// A kernel as it is bound, or its name and why it is not.
pub(super) type Bound = Result<Declaration, (String, String)>;

/// Binds a kernel. `statics` are those that the kernels before it make.
pub(super) fn bind(kernel: &Kernel, types: &mut Types, statics: &mut HashSet<String>) -> Bound {
    let before = types.clone();
    let declared = match rust::declare(kernel, types) {
        Ok(declared) => declared,
        Err(reason) => {
            // What a kernel needs that is not bound nobody needs.
            *types = before;
            return Err((shown(kernel), explained(&reason)));
        }
    };
    for parameter in &declared.parameters {
        types.import(&parameter.ty);
    }
    let name = rust::unique(&declared.name, |name| statics.insert(rust::static_name(name)));
    let doc = kernel.doc.clone().unwrap_or_else(|| {
        // A place in the PTX of a fatbin is one that nobody can open.
        let origin = kernel.origin.as_ref().filter(|origin| &*origin.position.file != "PTX");
        let at = origin.map(|origin| format!(", {}", place(&origin.position)));
        format!("`{}`{}.", shown(kernel), at.unwrap_or_default())
    });
    let link_name = (name.trim_start_matches("r#") != declared.symbol).then_some(declared.symbol);
    Ok(Declaration { doc, link_name, name, parameters: declared.parameters })
}

/// Why a kernel is not bound, and what to do.
fn explained(reason: &NotBound) -> String {
    match reason {
        NotBound::Template => format!(
            "{reason}: declare an instance with `#[instance(\"…\")]`, or bind an image, which has some"
        ),
        NotBound::Mangled => {
            format!("{reason}: write `extern \"C\"`, declare it with `#[instance(\"…\")]`, or bind an image")
        }
        NotBound::Undefined => format!("{reason}: bind the file that has its body"),
        NotBound::Parameter { is_untyped: true, .. } => format!("{reason}; bind the CUDA source"),
        _ => reason.to_string(),
    }
}

/// The kernel as a comment names it.
fn shown(kernel: &Kernel) -> String {
    match &kernel.template {
        Template::Instance { arguments } => format!("{}<{arguments}>", kernel.qualified_name()),
        _ => kernel.qualified_name(),
    }
}
