//! `warpcall list`: the kernels of files.

use std::path::PathBuf;

use comfy_table::{CellAlignment, Table, presets};
use serde::Serialize;
use warpcall_signature::{Class, Kernel, Module, Template};

use crate::input::{self, Input, target};
use crate::outcome::Outcome;
use crate::record::{self, Note, pointee_is_const};
use crate::{Format, Reading, style};

/// The kernels of each file: where they stand, their parameters, and what of them could not be read.
///
/// A file that cannot be read is named in the errors, and the code is [`TROUBLE`](crate::TROUBLE); the others are
/// listed all the same.
pub fn list(files: &[PathBuf], reading: &Reading, format: Format) -> Outcome {
    let mut outcome = Outcome::default();
    let mut inputs = Vec::new();
    for file in files {
        let opened = input::open(file, reading).and_then(|mut input| {
            input::ask_for_names(&mut input, file, None, reading)?;
            Ok(input)
        });
        match opened {
            Ok(input) => inputs.push(input),
            Err(message) => outcome.fail(&message),
        }
    }
    match format {
        Format::Json => outcome.json(&inputs.iter().map(File::from).collect::<Vec<_>>()),
        Format::Text => outcome.output = inputs.iter().map(text).collect::<Vec<_>>().join("\n"),
    }
    outcome
}

/// A file, as JSON.
#[derive(Serialize)]
struct File {
    path: String,
    format: &'static str,
    modules: Vec<Image>,
}

#[derive(Serialize)]
struct Image {
    target: Option<String>,
    ptx_version: Option<(u32, u32)>,
    /// The source and the headers that were read with it.
    files: Vec<String>,
    kernels: Vec<record::Kernel>,
    notes: Vec<Note>,
}

impl From<&Input> for File {
    fn from(input: &Input) -> Self {
        let modules = input.modules.iter().map(|module| Image {
            target: module.target.clone(),
            ptx_version: module.ptx_version,
            files: module.files.clone(),
            kernels: module.kernels.iter().map(|kernel| record(kernel, module)).collect(),
            notes: record::notes(&module.notes),
        });
        Self { path: input.path.clone(), format: input.kind(), modules: modules.collect() }
    }
}

fn record(kernel: &Kernel, module: &Module) -> record::Kernel {
    let mut own = record::Kernel::from(kernel);
    own.instances = instances(kernel, module).map(record::Kernel::from).collect();
    own
}

/// The instances of a template that the source makes, with their arguments in the places of its parameters.
fn instances<'m>(template: &'m Kernel, module: &'m Module) -> impl Iterator<Item = &'m Kernel> {
    let is_instance = |kernel: &&Kernel| {
        template.is_template()
            && matches!(kernel.template, Template::Instance { .. })
            && kernel.name == template.name
            && kernel.namespace == template.namespace
            && kernel.origin == template.origin
    };
    module.named.iter().flat_map(|named| &named.kernels).filter(is_instance)
}

fn text(input: &Input) -> String {
    input.modules.iter().map(|module| module_text(input, module)).collect::<Vec<_>>().join("\n")
}

fn module_text(input: &Input, module: &Module) -> String {
    let count = module.kernels.len();
    let plural = if count == 1 { "" } else { "s" };
    // Of a fatbin it matters which of its images it is.
    let target = if input.modules.len() > 1 { target(module) } else { module.target.clone() };
    let of = target.map(|target| format!(" for {target}")).unwrap_or_default();
    let head = format!("{} ({}{of})", input.path, input.kind());
    let mut text = format!("{}: {count} kernel{plural}\n", style::heading(&head));
    if count > 0 {
        text += &table(module);
        text.push('\n');
    }
    let own = module.kernels.iter().flat_map(|kernel| {
        let name = kernel.qualified_name();
        kernel.notes.iter().map(move |note| format!("`{name}`: {note}"))
    });
    for note in own.chain(module.notes.iter().map(ToString::to_string)) {
        text += &format!("{}: {note}\n", style::note("note"));
    }
    text
}

/// One row a parameter; a kernel without any has one too. The instances of a template stand below it.
fn table(module: &Module) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(["KERNEL", "WHERE", "MACRO", "PARAMETER", "TYPE", "CONST", "SIZE", "ALIGN"]);
    let all =
        module.kernels.iter().flat_map(|kernel| std::iter::once(kernel).chain(instances(kernel, module)));
    for kernel in all {
        for row in rows(kernel) {
            table.add_row(row);
        }
    }
    for column in [6, 7] {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    if let Some(first) = table.column_mut(0) {
        first.set_padding((0, 1));
    }
    // The last column is padded to its width, which leaves blanks at the ends of lines.
    table.lines().map(|line| line.trim_end().to_owned()).collect::<Vec<_>>().join("\n")
}

fn rows(kernel: &Kernel) -> Vec<[String; 8]> {
    let origin = kernel.origin.as_ref();
    let place = origin.map(|origin| origin.position.to_string()).unwrap_or_default();
    let expansion = origin.and_then(|origin| origin.expansion.as_ref());
    let from_macro = expansion.map(|expansion| expansion.macro_name.clone()).unwrap_or_default();
    let mut head = [name(kernel), place, from_macro];
    let number = |number: Option<u64>| number.map_or_else(|| "?".to_owned(), |number| number.to_string());
    let mut rows = Vec::new();
    for parameter in &kernel.parameters {
        let [name, place, from_macro] = std::mem::take(&mut head);
        let constness = match pointee_is_const(parameter) {
            Some(true) => "const",
            Some(false) => "mut",
            None => "",
        };
        let mut ty = match (&parameter.ty, &parameter.spelling) {
            (Some(ty), _) => ty.to_string(),
            (None, Some(spelling)) => spelling.clone(),
            (None, None) => class(parameter.class).to_owned(),
        };
        if parameter.is_pack {
            ty += "...";
        }
        rows.push([
            name,
            place,
            from_macro,
            parameter.name.clone().unwrap_or_else(|| "-".to_owned()),
            ty,
            constness.to_owned(),
            number(parameter.size),
            number(parameter.alignment),
        ]);
    }
    if !kernel.is_complete {
        let [name, place, from_macro] = std::mem::take(&mut head);
        rows.push([
            name,
            place,
            from_macro,
            "…".into(),
            String::new(),
            String::new(),
            "?".into(),
            "?".into(),
        ]);
    } else if rows.is_empty() {
        let [name, place, from_macro] = head;
        rows.push([
            name,
            place,
            from_macro,
            "(none)".into(),
            String::new(),
            String::new(),
            String::new(),
            String::new(),
        ]);
    }
    rows
}

/// What is known of a parameter without a type. PTX writes pointers as integers.
fn class(class: Class) -> &'static str {
    match class {
        Class::Integer => "(integer or pointer)",
        Class::Float => "(float)",
        Class::Bytes => "(bytes)",
        Class::Pointer => "(pointer)",
        Class::Unknown => "?",
    }
}

/// The name with the arguments or the parameters of its template.
fn name(kernel: &Kernel) -> String {
    let name = kernel.qualified_name();
    match &kernel.template {
        Template::None => name,
        Template::Instance { arguments } => format!("{name}<{arguments}>"),
        Template::Primary { parameters, .. } => {
            let texts: Vec<&str> = parameters.iter().map(|parameter| &*parameter.text).collect();
            format!("{name}<{}>", texts.join(", "))
        }
    }
}
