//! Kernels as data that can be written as JSON.

use serde::Serialize;
use warpcall_signature as signature;
use warpcall_signature::{Class, Constant, Diagnostic, Linkage, Position, Template};

/// A place in a file.
#[derive(Debug, Serialize)]
pub(crate) struct Place {
    file: String,
    line: u32,
    column: u32,
}

impl From<&Position> for Place {
    fn from(position: &Position) -> Self {
        Self { file: position.file.to_string(), line: position.line, column: position.column }
    }
}

/// The macro that a kernel comes out of.
#[derive(Debug, Serialize)]
pub(crate) struct Macro {
    name: String,
    definition: Place,
}

/// Something that could not be read.
#[derive(Debug, Serialize)]
pub(crate) struct Note {
    problem: String,
    help: &'static str,
    place: Option<Place>,
}

impl From<&Diagnostic> for Note {
    fn from(diagnostic: &Diagnostic) -> Self {
        Self {
            problem: diagnostic.problem.to_string(),
            help: diagnostic.help(),
            place: diagnostic.position.as_ref().map(Place::from),
        }
    }
}

pub(crate) fn notes(diagnostics: &[Diagnostic]) -> Vec<Note> {
    diagnostics.iter().map(Note::from).collect()
}

/// One parameter.
#[derive(Debug, Serialize)]
pub(crate) struct Parameter {
    name: Option<String>,
    /// The canonical type.
    #[serde(rename = "type")]
    ty: Option<String>,
    /// The type as the source writes it.
    spelling: Option<String>,
    class: &'static str,
    /// Of a pointer, whether what it leads to is `const`.
    pointee_is_const: Option<bool>,
    size: Option<u64>,
    alignment: Option<u64>,
    offset: Option<u64>,
    is_restrict: bool,
    is_grid_constant: bool,
    is_pack: bool,
    default: Option<String>,
}

impl From<&signature::Parameter> for Parameter {
    fn from(parameter: &signature::Parameter) -> Self {
        Self {
            name: parameter.name.clone(),
            ty: parameter.ty.as_ref().map(ToString::to_string),
            spelling: parameter.spelling.clone(),
            class: match parameter.class {
                Class::Integer => "integer",
                Class::Float => "float",
                Class::Bytes => "bytes",
                Class::Pointer => "pointer",
                Class::Unknown => "unknown",
            },
            pointee_is_const: pointee_is_const(parameter),
            size: parameter.size,
            alignment: parameter.alignment,
            offset: parameter.offset,
            is_restrict: parameter.is_restrict,
            is_grid_constant: parameter.is_grid_constant,
            is_pack: parameter.is_pack,
            default: parameter.default.clone(),
        }
    }
}

/// Of a pointer, whether what it leads to is `const`.
pub(crate) fn pointee_is_const(parameter: &signature::Parameter) -> Option<bool> {
    Some(parameter.ty.as_ref()?.pointee()?.is_const_memory())
}

/// What a kernel demands of its launches, as far as it is known.
#[derive(Debug, Serialize)]
pub(crate) struct Bounds {
    max_threads_per_block: Option<u64>,
    min_blocks_per_multiprocessor: Option<u64>,
    max_blocks_per_cluster: Option<u64>,
    required_block: Option<[Option<u64>; 3]>,
    cluster_dimensions: Option<[Option<u64>; 3]>,
    max_registers: Option<u64>,
}

impl From<&signature::LaunchBounds> for Bounds {
    fn from(bounds: &signature::LaunchBounds) -> Self {
        let number = |constant: &Option<Constant>| constant.as_ref().and_then(Constant::value);
        let three = |constants: &Option<[Constant; 3]>| {
            constants.as_ref().map(|all| all.each_ref().map(Constant::value))
        };
        Self {
            max_threads_per_block: number(&bounds.max_threads_per_block),
            min_blocks_per_multiprocessor: number(&bounds.min_blocks_per_multiprocessor),
            max_blocks_per_cluster: number(&bounds.max_blocks_per_cluster),
            required_block: three(&bounds.required_block),
            cluster_dimensions: three(&bounds.cluster_dimensions),
            max_registers: number(&bounds.max_registers),
        }
    }
}

/// One kernel.
#[derive(Debug, Serialize)]
pub(crate) struct Kernel {
    name: String,
    symbol: Option<String>,
    linkage: &'static str,
    /// The parameters of a template, as written.
    template: Option<Vec<String>>,
    /// The arguments of an instance of a template.
    template_arguments: Option<String>,
    /// Of a template in a source, the instances that the source makes.
    pub(crate) instances: Vec<Kernel>,
    place: Option<Place>,
    #[serde(rename = "macro")]
    from_macro: Option<Macro>,
    is_static: bool,
    is_defined: bool,
    /// Whether `parameters` holds all of them.
    is_complete: bool,
    parameters: Vec<Parameter>,
    bounds: Bounds,
    doc: Option<String>,
    notes: Vec<Note>,
}

impl From<&signature::Kernel> for Kernel {
    fn from(kernel: &signature::Kernel) -> Self {
        let expansion = kernel.origin.as_ref().and_then(|origin| origin.expansion.as_ref());
        let (template, template_arguments) = match &kernel.template {
            Template::None => (None, None),
            Template::Primary { parameters, .. } => {
                (Some(parameters.iter().map(|parameter| parameter.text.clone()).collect()), None)
            }
            Template::Instance { arguments } => (None, Some(arguments.clone())),
        };
        Self {
            name: kernel.qualified_name(),
            symbol: kernel.symbol.clone(),
            linkage: match kernel.linkage {
                Linkage::C => "C",
                Linkage::Cpp => "C++",
            },
            template,
            template_arguments,
            instances: Vec::new(),
            place: kernel.origin.as_ref().map(|origin| Place::from(&origin.position)),
            from_macro: expansion.map(|expansion| Macro {
                name: expansion.macro_name.clone(),
                definition: Place::from(&expansion.definition),
            }),
            is_static: kernel.is_static,
            is_defined: kernel.is_defined,
            is_complete: kernel.is_complete,
            parameters: kernel.parameters.iter().map(Parameter::from).collect(),
            bounds: Bounds::from(&kernel.bounds),
            doc: kernel.doc.clone(),
            notes: notes(&kernel.notes),
        }
    }
}
