//! The text of declarations.

use std::collections::{BTreeMap, BTreeSet};

use warpcall_signature::rust::DeclaredParameter;

use super::kernel::{Bound, Declaration};
use super::structs::Struct;
use super::types::Types;

/// Longest line of a function that stands on one.
const WIDTH: usize = 100;

/// What is bound of one file.
pub(super) struct Unit {
    /// What is said before all else.
    pub(super) comments: Vec<String>,
    /// The arguments of `#[kernel]`.
    pub(super) arguments: String,
    pub(super) kernels: Vec<Bound>,
    pub(super) types: Types,
}

impl Unit {
    /// The text, without an empty line at its end.
    pub(super) fn text(&self) -> String {
        let mut parts = Vec::new();
        let has_block = self.kernels.iter().any(Result::is_ok);
        if has_block {
            parts.push(imports(&self.types.imports));
        }
        let comments: String = self.comments.iter().map(|text| comment(text, "")).collect();
        parts.push(comments);
        parts.extend(self.types.structs.all.iter().map(structure));
        if has_block {
            let mut block = format!("#[kernel({})]\nunsafe extern \"C\" {{\n", self.arguments);
            let kernels: Vec<String> = self.kernels.iter().map(|kernel| bound(kernel, "    ")).collect();
            block += &kernels.join("\n");
            parts.push(block + "}\n");
        } else {
            parts.push(self.kernels.iter().map(|kernel| bound(kernel, "")).collect());
        }
        parts.retain(|part| !part.is_empty());
        parts.join("\n")
    }
}

/// A module of Rust around a text.
pub(super) fn module(name: &str, doc: &str, text: &str) -> String {
    let mut module = format!("/// {doc}\npub mod {name} {{\n");
    for line in text.lines() {
        if !line.is_empty() {
            module += "    ";
            module += line;
        }
        module.push('\n');
    }
    module + "}\n"
}

/// Those of the standard library first, as rustfmt has them.
fn imports(imports: &BTreeSet<(&'static str, String)>) -> String {
    let mut of = BTreeMap::<&str, Vec<&str>>::new();
    for (from, name) in imports {
        of.entry(from).or_default().push(name);
    }
    let line = |(from, names): (&&str, &Vec<&str>)| match &names[..] {
        [name] => format!("use {from}::{name};\n"),
        names => format!("use {from}::{{{}}};\n", names.join(", ")),
    };
    let (std, others): (Vec<_>, Vec<_>) = of.iter().partition(|(from, _)| from.starts_with("std::"));
    let blank = if std.is_empty() { "" } else { "\n" };
    let text = |lines: Vec<_>| lines.into_iter().map(line).collect::<String>();
    format!("{}{blank}{}", text(std), text(others))
}

fn structure(structure: &Struct) -> String {
    let align = structure.align.map(|align| format!(", align({align})")).unwrap_or_default();
    let mut text = doc(&structure.doc, "");
    text +=
        &format!("#[repr(C{align})]\n#[derive(Clone, Copy, KernelParam)]\npub struct {} {{", structure.name);
    for (index, field) in structure.fields.iter().enumerate() {
        if index == 0 {
            text.push('\n');
        }
        text += &doc(&field.doc, "    ");
        text += &format!("    pub {}: {},\n", field.name, field.ty);
    }
    text + "}\n"
}

fn bound(kernel: &Bound, indent: &str) -> String {
    match kernel {
        Ok(declaration) => function(declaration, indent),
        Err((name, reason)) => comment(&format!("`{name}` is not bound: {reason}"), indent),
    }
}

fn function(declaration: &Declaration, indent: &str) -> String {
    let mut text = doc(&declaration.doc, indent);
    if let Some(attribute) = &declaration.attribute {
        text += &format!("{indent}{attribute}\n");
    }
    let head = format!("{indent}pub unsafe fn {}(", declaration.name);
    let all: Vec<String> = declaration.parameters.iter().map(|p| format!("{}: {}", p.name, p.ty)).collect();
    let one_line = format!("{head}{});\n", all.join(", "));
    let is_plain = |p: &DeclaredParameter| p.cuda_name.is_none() && p.unchecked.is_none();
    if one_line.len() <= WIDTH && declaration.parameters.iter().all(is_plain) {
        return text + &one_line;
    }
    text += &format!("{head}\n");
    for (parameter, written) in declaration.parameters.iter().zip(all) {
        let deeper = format!("{indent}    ");
        if let Some(reason) = &parameter.unchecked {
            text += &comment(reason, &deeper);
            text += &format!("{deeper}#[unchecked]\n");
        }
        if let Some(name) = &parameter.cuda_name {
            text += &format!("{deeper}#[name = {name:?}]\n");
        }
        text += &format!("{deeper}{written},\n");
    }
    text + indent + ");\n"
}

fn doc(text: &str, indent: &str) -> String {
    lines(text, indent, "///")
}

fn comment(text: &str, indent: &str) -> String {
    lines(text, indent, "//")
}

fn lines(text: &str, indent: &str, mark: &str) -> String {
    // A carriage return alone is refused in a comment of Rust.
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let mut lines = String::new();
    for line in text.lines().map(str::trim_end) {
        let blank = if line.is_empty() { "" } else { " " };
        lines += &format!("{indent}{mark}{blank}{line}\n");
    }
    lines
}
