//! The declaration of a kernel.

use super::{
    names::{self, Members},
    not_bound::NotBound,
    types::{self, RustType, Structs},
};
use crate::{Kernel, Problem, Template};

/// A kernel as it is declared in Rust.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Declaration {
    /// The name of the function; a keyword has an `r#`.
    pub name: String,
    /// The kernel's name in the module: its symbol, or its name in C++.
    pub symbol: String,
    /// Whether that is its name in C++, so that the declaration says `#[instance("…")]`.
    pub is_cpp_name: bool,
    /// The parameters in order.
    pub parameters: Vec<DeclaredParameter>,
}

/// A parameter as it is declared in Rust.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeclaredParameter {
    /// The name; a keyword has an `r#`.
    pub name: String,
    /// The name in CUDA, where it is quite another.
    pub cuda_name: Option<String>,
    /// The type.
    pub ty: RustType,
    /// Why the type cannot be compared with the CUDA source, so that the declaration says `#[unchecked]`.
    pub unchecked: Option<String>,
}

/// Declares a kernel by its symbol.
///
/// # Errors
///
/// Why it cannot be.
///
/// ```
/// use warpcall_signature::{Record, rust, source::SourceReader};
///
/// /// A file without structs.
/// struct NoStructs;
///
/// impl rust::Structs for NoStructs {
///     fn of_record(&mut self, record: &Record) -> Result<String, rust::Missing> {
///         Err(format!("`{}` is a struct", record.name).into())
///     }
/// }
///
/// let text = r#"extern "C" __global__ void scale(float* x, const float* by, size_t in) {}"#;
/// let module = SourceReader::new().read_text("scale.cu", text)?;
/// let declaration = rust::declare(&module.kernels[0], &mut NoStructs).expect("it can be declared");
/// let parameters: Vec<String> =
///     declaration.parameters.iter().map(|own| format!("{}: {}", own.name, own.ty)).collect();
/// assert_eq!(parameters, ["x: *mut f32", "by: *const f32", "r#in: usize"]);
/// # Ok::<(), warpcall_signature::Diagnostic>(())
/// ```
pub fn declare(kernel: &Kernel, structs: &mut dyn Structs) -> Result<Declaration, NotBound> {
    let symbol = symbol(kernel)?.to_owned();
    let parameters = parameters(kernel, structs)?;
    let name = match &kernel.template {
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
    Ok(Declaration { name, symbol, is_cpp_name: false, parameters })
}

/// The name in the module.
fn symbol(kernel: &Kernel) -> Result<&str, NotBound> {
    match &kernel.symbol {
        _ if kernel.is_template() => Err(NotBound::Template),
        None if kernel.is_static => Err(NotBound::Local),
        None => Err(NotBound::Mangled),
        Some(_) if !kernel.is_defined => Err(NotBound::Undefined),
        Some(_) if kernel.parameters.iter().any(|parameter| parameter.is_pack) => Err(NotBound::Pack),
        Some(_) if !kernel.is_complete => Err(NotBound::Unreadable(note(kernel))),
        Some(symbol) => Ok(symbol),
    }
}

fn parameters(kernel: &Kernel, structs: &mut dyn Structs) -> Result<Vec<DeclaredParameter>, NotBound> {
    let mut names = Members::of_kernel();
    let mut declared = Vec::new();
    for (index, parameter) in kernel.parameters.iter().enumerate() {
        let known = match &parameter.unknown_word {
            Some(word) => Err(format!(
                "`{word}` is not defined in the files read, and may make another type of it: define it, or include its header"
            )),
            None => types::of_parameter(parameter, structs),
        };
        let own = known.map_err(|reason| {
            let name = parameter.name.as_ref().map(|name| format!("`{name}`"));
            let has_notes = kernel.origin.is_some() && !kernel.notes.is_empty();
            let unread = if parameter.ty.is_none() && has_notes { note(kernel) } else { None };
            NotBound::Parameter {
                parameter: name.unwrap_or_else(|| (index + 1).to_string()),
                reason: unread.unwrap_or(reason),
                is_untyped: parameter.ty.is_none() && !has_notes,
            }
        })?;
        let (name, cuda_name) = match &parameter.name {
            None => (names.next(&format!("arg{index}")).0, None),
            Some(cuda) => match names.next(cuda) {
                (name, true) => (name, Some(cuda.clone())),
                (name, false) => (name, None),
            },
        };
        declared.push(DeclaredParameter { name, cuda_name, ty: own.ty, unchecked: own.unchecked });
    }
    Ok(declared)
}

/// What a note says of why the kernel cannot be read.
fn note(kernel: &Kernel) -> Option<String> {
    let about = |problem: &Problem| matches!(problem, Problem::Parameter { .. } | Problem::KernelHead { .. });
    let note = kernel.notes.iter().find(|note| about(&note.problem)).or_else(|| kernel.notes.first());
    note.map(ToString::to_string)
}
