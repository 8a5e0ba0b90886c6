//! One kernel: its declaration, or why it has none.

use std::collections::HashSet;

use warpcall_signature::{Kernel, Problem, Template};

use super::names::{self, Members};
use super::place;
use super::types::{Declared, Types};

/// A declaration to write.
#[derive(Debug)]
pub(super) struct Declaration {
    pub(super) doc: String,
    /// The name in the module, where it is not the function's.
    pub(super) link_name: Option<String>,
    pub(super) name: String,
    pub(super) parameters: Vec<Parameter>,
}

#[derive(Debug)]
pub(super) struct Parameter {
    pub(super) name: String,
    /// The name in CUDA, where it is quite another.
    pub(super) cuda_name: Option<String>,
    pub(super) declared: Declared,
}

/// A kernel as it is bound, or its name and why it is not.
pub(super) type Bound = Result<Declaration, (String, String)>;

/// Binds a kernel. `statics` are those that the kernels before it make.
pub(super) fn bind(kernel: &Kernel, types: &mut Types, statics: &mut HashSet<String>) -> Bound {
    let before = types.clone();
    let parameters = symbol(kernel).and_then(|symbol| Ok((symbol, parameters(kernel, types)?)));
    let (symbol, parameters) = match parameters {
        Ok(found) => found,
        Err(reason) => {
            // What a kernel needs that is not bound nobody needs.
            *types = before;
            return Err((shown(kernel), reason));
        }
    };
    let wanted = match &kernel.template {
        Template::Instance { arguments } => {
            let words: Vec<String> = arguments
                .split(|letter: char| !letter.is_ascii_alphanumeric())
                .filter(|word| !word.is_empty())
                .map(names::snake_case)
                .collect();
            names::similar(&format!("{}_{}", kernel.name, words.join("_")))
        }
        _ => names::identifier(&kernel.name).unwrap_or_else(|| names::similar(&kernel.name)),
    };
    let name = names::unique(&wanted, statics, names::of_static);
    let doc = kernel.doc.clone().unwrap_or_else(|| {
        // A place in the PTX of a fatbin is one that nobody can open.
        let origin = kernel.origin.as_ref().filter(|origin| &*origin.position.file != "PTX");
        let at = origin.map(|origin| format!(", {}", place(&origin.position)));
        format!("`{}`{}.", shown(kernel), at.unwrap_or_default())
    });
    let link_name = (name.trim_start_matches("r#") != symbol).then(|| symbol.to_owned());
    Ok(Declaration { doc, link_name, name, parameters })
}

/// The name in the module.
fn symbol(kernel: &Kernel) -> Result<&str, String> {
    let reason = match &kernel.symbol {
        _ if kernel.is_template() => "it is a template: bind an image, which has its instances",
        None if kernel.is_static => {
            "it is local to its file, so its name in the module is made up by the compiler"
        }
        None => {
            "it is not `extern \"C\"`, so its name in the module is a mangled one: write `extern \"C\"`, or bind an image"
        }
        Some(_) if !kernel.is_defined => "it is only declared here: bind the file that has its body",
        Some(_) if kernel.parameters.iter().any(|parameter| parameter.is_pack) => {
            "it takes any number of parameters"
        }
        Some(_) if !kernel.is_complete => return Err(unread(kernel, "its parameters cannot all be read")),
        Some(symbol) => return Ok(symbol),
    };
    Err(reason.to_owned())
}

fn parameters(kernel: &Kernel, types: &mut Types) -> Result<Vec<Parameter>, String> {
    let mut names = Members::of(kernel.parameters.iter().filter_map(|parameter| parameter.name.as_deref()));
    let mut bound = Vec::new();
    for (index, parameter) in kernel.parameters.iter().enumerate() {
        let declared = types.parameter(parameter).map_err(|reason| {
            let what =
                parameter.name.as_ref().map_or_else(|| (index + 1).to_string(), |name| format!("`{name}`"));
            let reason = match (&parameter.ty, kernel.origin.is_some() && !kernel.notes.is_empty()) {
                (None, true) => unread(kernel, &reason),
                (None, false) => {
                    format!("an image does not keep its type: bind the CUDA source ({parameter})")
                }
                _ => reason,
            };
            format!("parameter {what}: {reason}")
        })?;
        let (name, cuda_name) = match &parameter.name {
            None => (names.next(&format!("parameter_{}", index + 1)).0, None),
            Some(own) => match names.next(own) {
                (name, true) => (name, Some(own.clone())),
                (name, false) => (name, None),
            },
        };
        bound.push(Parameter { name, cuda_name, declared });
    }
    Ok(bound)
}

/// `otherwise`, or what a note says of it.
fn unread(kernel: &Kernel, otherwise: &str) -> String {
    let about = |problem: &Problem| matches!(problem, Problem::Parameter { .. } | Problem::KernelHead { .. });
    let note = kernel.notes.iter().find(|note| about(&note.problem)).or_else(|| kernel.notes.first());
    note.map_or_else(|| otherwise.to_owned(), ToString::to_string)
}

/// The kernel as a comment names it.
fn shown(kernel: &Kernel) -> String {
    match &kernel.template {
        Template::Instance { arguments } => format!("{}<{arguments}>", kernel.qualified_name()),
        _ => kernel.qualified_name(),
    }
}
