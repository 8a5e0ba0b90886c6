//! One kernel: its declaration, or why it has none.

use std::collections::HashSet;

use warpcall_signature::Kernel;
use warpcall_signature::rust::{self, Candidate, DeclaredParameter, NotBound};

use super::place;
use super::types::Types;

/// A declaration to write.
#[derive(Debug)]
pub(super) struct Declaration {
    pub(super) doc: String,
    /// The attribute that gives the name in the module, where it is not the function's.
    pub(super) attribute: Option<String>,
    pub(super) name: String,
    pub(super) parameters: Vec<DeclaredParameter>,
}

/// A kernel as it is bound, or its name and why it is not.
pub(super) type Bound = Result<Declaration, (String, String)>;

/// Binds a kernel. `statics` are those that the kernels before it make.
pub(super) fn bind(candidate: &Candidate, types: &mut Types, statics: &mut HashSet<String>) -> Bound {
    let before = types.clone();
    let declared = match candidate.declare(types) {
        Ok(declared) => declared,
        Err(reason) => {
            // What a kernel needs that is not bound nobody needs.
            *types = before;
            return Err((candidate.shown(), explained(&reason, &candidate.kernel)));
        }
    };
    for parameter in &declared.parameters {
        types.import(&parameter.ty);
    }
    let name = rust::unique(&declared.name, |name| statics.insert(rust::static_name(name)));
    let kernel = &candidate.kernel;
    let doc = kernel.doc.clone().unwrap_or_else(|| {
        // A place in the PTX of a fatbin is one that nobody can open.
        let origin = kernel.origin.as_ref().filter(|origin| &*origin.position.file != "PTX");
        let at = origin.map(|origin| format!(", {}", place(&origin.position)));
        format!("`{}`{}.", candidate.shown(), at.unwrap_or_default())
    });
    let symbol = declared.symbol;
    let attribute = if declared.is_cpp_name {
        Some(format!("#[instance({symbol:?})]"))
    } else {
        (name.trim_start_matches("r#") != symbol).then(|| format!("#[link_name = {symbol:?}]"))
    };
    Ok(Declaration { doc, attribute, name, parameters: declared.parameters })
}

/// Why a kernel is not bound, and what to do.
fn explained(reason: &NotBound, kernel: &Kernel) -> String {
    match reason {
        NotBound::Template if kernel.unfollowed_parameter().is_some() => {
            format!(
                "{reason}, and no name in C++ is followed through its parameters: bind an image, which has its instances"
            )
        }
        NotBound::Template => format!(
            "{reason}, and the file makes no instance of it: declare one with `#[instance(\"…\")]`, or bind an image, which has some"
        ),
        NotBound::Overloaded => format!("{reason}: rename one, or bind an image, which has their symbols"),
        NotBound::Undefined => format!("{reason}: bind the file that has its body"),
        NotBound::Parameter { is_untyped: true, .. } => format!("{reason}; bind the CUDA source"),
        _ => reason.to_string(),
    }
}
