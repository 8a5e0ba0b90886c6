//! From declarations to the model: the rules that hold between the parts of a declaration, and between
//! it and the file system.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
};

use proc_macro2::Span;
use syn::{Ident, LitStr, Type, ext::IdentExt};

use super::{
    declaration::{Block, Forwarded, Function, Marks, Options, Parameter},
    instance,
    model::{self, Base, Define, File, Freedom, Passing},
    names, passing,
};
use crate::{crate_path::CratePath, report::Report, site::Site, text};

/// Checks a block. What it returns is complete if, and only if, `report` is empty afterwards.
pub(super) fn block(block: &Block, site: &Site, report: &mut Report) -> Option<model::Module> {
    let module = module(&block.options, site, report);
    selects_nothing(&block.options, report);
    if block.functions.is_empty() && report.is_empty() {
        report.error(
            &block.keyword,
            "the block is empty",
            "it declares the kernels of a module",
            "declare one, as in `pub unsafe fn scale(x: *mut f32, factor: f32);`",
        );
    }
    let kernels = kernels(block, report);
    Some(model::Module { kernels, ..module? })
}

/// Checks what the attribute says. The module has no kernels yet.
pub(super) fn module(options: &Options, site: &Site, report: &mut Report) -> Option<model::Module> {
    let source = options.source.as_ref().and_then(|path| file("source", path, site, report));
    let image = options.image.as_ref().and_then(|path| file("image", path, site, report));
    let defines = defines(options, report);
    let include = include(options, site, report);
    embed_source_has_a_source(options, report);
    Some(model::Module {
        krate: CratePath::new(options.crate_path.clone()),
        name: module_name(options, report)?,
        source,
        image,
        embed_source: options.embed_source.is_some(),
        defines,
        include,
        kernels: Vec::new(),
    })
}

/// Checks the kernels of a block. They are complete if, and only if, `report` is empty afterwards.
pub(super) fn kernels(block: &Block, report: &mut Report) -> Vec<model::Kernel> {
    unique_kernels(block, report);
    no_parameter_is_a_static(block, report);
    block.functions.iter().filter_map(|function| kernel(function, &block.forwarded, report)).collect()
}

/// A block has the kernels that it declares, and no others to choose from.
fn selects_nothing(options: &Options, report: &mut Report) {
    for (key, list) in [("only", &options.only), ("skip", &options.skip)] {
        if let Some(first) = list.first() {
            let instead = "remove it, or write `#[kernel]` on a module, `mod kernels {}`";
            report.error(first, format!("`{key}` is given"), "this declares the kernels one by one", instead);
        }
    }
}

/// The module's name: the one that is given, or else that of its image or source.
fn module_name(options: &Options, report: &mut Report) -> Option<LitStr> {
    if let Some(name) = &options.module {
        return Some(name.clone());
    }
    let Some(path) = options.image.as_ref().or(options.source.as_ref()) else {
        if !options.incomplete {
            report.error(
                proc_macro2::TokenStream::new(),
                "`#[kernel]` names no module",
                "a kernel is found by its module and its name",
                "write `#[kernel(module = \"…\")]`, or name its `source` or `image`",
            );
        }
        return None;
    };
    let written = path.value();
    let Some(stem) = Path::new(&written).file_stem().and_then(|stem| stem.to_str()) else {
        report.error(
            path,
            format!("{} has no file name", path.token()),
            "a module without a name of its own has that of its file",
            "write the path of a file, or `module = \"…\"`",
        );
        return None;
    };
    Some(LitStr::new(stem, path.span()))
}

/// Finds the file that `key = "written"` names.
fn file(key: &str, written: &LitStr, site: &Site, report: &mut Report) -> Option<File> {
    let value = written.value();
    if value.is_empty() {
        return None;
    }
    let (base, path) = place(key, written, site, report)?;
    let extension = path.extension().map(|extension| extension.to_string_lossy().to_ascii_lowercase());
    let meant = match extension.as_deref() {
        Some("ptx" | "cubin" | "fatbin") => "image",
        Some("cu" | "cuh") => "source",
        _ => key,
    };
    if meant != key {
        let (an_image, a_source) = ("an image", "a CUDA source");
        let (is, should) = if meant == "image" { (an_image, a_source) } else { (a_source, an_image) };
        let found = format!("`{key}` is {}, {is}", written.token());
        let instead = format!("write `{meant} = {}`", written.token());
        report.error(written, found, format!("`{key}` names {should}"), instead);
        return None;
    }
    if !path.is_file() {
        let state = if path.is_dir() { "is a folder" } else { "does not exist" };
        let (shown, instead) = match base {
            Base::OutDir(_) => {
                (value, "write it in `build.rs`, into the folder that the variable `OUT_DIR` names")
            }
            _ => (path.display().to_string(), RELATIVE),
        };
        report.error(written, format!("the {key} `{shown}` {state}"), "`#[kernel]` embeds it", instead);
        return None;
    }
    Some(File { written: written.clone(), base, path })
}

const RELATIVE: &str =
    "write a path relative to the folder of `Cargo.toml`, or one that begins with `$OUT_DIR/`";

/// What the path `written` is relative to, and where it leads.
fn place(key: &str, written: &LitStr, site: &Site, report: &mut Report) -> Option<(Base, PathBuf)> {
    let value = written.value();
    let in_out_dir = value.strip_prefix("$OUT_DIR").filter(|rest| rest.is_empty() || rest.starts_with('/'));
    let (base, folder) = if let Some(rest) = in_out_dir {
        let Some(folder) = &site.out_dir else {
            report.error(
                written,
                format!("`{key}` is {}", written.token()),
                "this package has no build script, so `$OUT_DIR` is not set",
                "add a `build.rs` that compiles the kernel, or write a path relative to `Cargo.toml`",
            );
            return None;
        };
        (Base::OutDir(rest.trim_start_matches('/').into()), Some(folder))
    } else if Path::new(&value).is_absolute() {
        (Base::Absolute(value.clone().into()), None)
    } else {
        (Base::Manifest(value.clone().into()), site.manifest_dir.as_ref())
    };
    let relative = match &base {
        Base::Absolute(path) | Base::Manifest(path) | Base::OutDir(path) => path,
    };
    let path = folder.map_or_else(|| relative.clone(), |folder| folder.join(relative));
    Some((base, path))
}

/// The folders that `include(…)` names.
fn include(options: &Options, site: &Site, report: &mut Report) -> Vec<PathBuf> {
    if let (Some(first), None, false) = (options.include.first(), &options.source, options.incomplete) {
        let expected = "its folders are for reading the CUDA source, and none is named";
        report.error(first, "`include` is given", expected, "name it in `source = \"…\"`, or remove them");
        return Vec::new();
    }
    let mut folders = Vec::new();
    for written in &options.include {
        let Some((_, path)) = place("include", written, site, report) else { continue };
        if path.is_dir() {
            folders.push(path);
            continue;
        }
        let state = if path.exists() { "is no folder" } else { "does not exist" };
        let found = format!("the folder `{}` {state}", path.display());
        report.error(written, found, "headers are looked for in it", RELATIVE);
    }
    folders
}

fn embed_source_has_a_source(options: &Options, report: &mut Report) {
    if let (Some(key), None, false) = (&options.embed_source, &options.source, options.incomplete) {
        let instead = "name it in `source = \"…\"`, or remove `embed_source`";
        report.error(key, "`embed_source` is given", "no source is named that could be embedded", instead);
    }
}

/// What `defines(…)` says, as `-D` says it to a compiler.
fn defines(options: &Options, report: &mut Report) -> Vec<Define> {
    const FORM: &str = "write `defines(\"NAME\", \"NAME=VALUE\")`";
    if let (Some(first), None, false) = (options.defines.first(), &options.source, options.incomplete) {
        let expected = "they are for reading the CUDA source, and none is named";
        report.error(first, "`defines` is given", expected, "name it in `source = \"…\"`, or remove them");
    }
    let read = options.defines.iter().filter_map(|literal| {
        let text = literal.value();
        // As for a compiler, a name alone stands for 1.
        let (name, value) = text.split_once('=').unwrap_or((&text, "1"));
        let is_name = |name: &str| {
            !name.starts_with(|first: char| first.is_ascii_digit())
                && !name.is_empty()
                && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
        };
        // A macro with parameters may be defined too.
        let plain = name.split_once('(').map_or(name, |(plain, _)| plain);
        if is_name(plain) && !text.contains(['\n', '\0']) && (plain == name || name.ends_with(')')) {
            return Some(Define { name: name.to_owned(), value: value.to_owned() });
        }
        let found = format!("`defines` holds {}", literal.token());
        report.error(literal, found, "it defines a macro of C", FORM);
        None
    });
    read.collect()
}

/// Two kernels that would have the same generated items.
fn unique_kernels(block: &Block, report: &mut Report) {
    let mut seen: HashMap<Ident, &Function> = HashMap::new();
    for function in &block.functions {
        let item = names::item(&function.ident);
        let Some(first) = seen.insert(item.clone(), function) else { continue };
        // Under a `#[cfg]` only the compiler knows which of the two there is.
        if !(first.forwarded.conditions.is_empty() && function.forwarded.conditions.is_empty()) {
            continue;
        }
        let instead = "rename one of the two; `#[link_name = \"…\"]` keeps its name in the module";
        if first.ident == function.ident {
            let found = format!("kernel `{}` is declared twice", function.ident);
            report.error(&function.ident, found, "each kernel of a block has a name of its own", instead);
        } else {
            let found =
                format!("kernels `{}` and `{}` both make a static `{item}`", first.ident, function.ident);
            report.error(&function.ident, found, "each kernel has one of its own", instead);
        }
    }
}

/// A parameter of the launch function would be taken for a pattern that names the static.
fn no_parameter_is_a_static(block: &Block, report: &mut Report) {
    let statics: HashMap<Ident, &Ident> =
        block.functions.iter().map(|function| (names::item(&function.ident), &function.ident)).collect();
    for function in &block.functions {
        for ident in function.parameters.iter().filter_map(|parameter| parameter.ident.as_ref()) {
            let Some(kernel) = statics.get(&names::binding(ident)) else { continue };
            report.error(
                ident,
                format!(
                    "parameter `{ident}` of `{}` is called like the static of the kernel `{kernel}`",
                    function.ident
                ),
                "Rust tells no parameter from a static of its name",
                "rename the parameter, or the kernel with `#[link_name = \"…\"]`",
            );
        }
    }
}

fn kernel(function: &Function, of_block: &Forwarded, report: &mut Report) -> Option<model::Kernel> {
    let mut forwarded = of_block.clone();
    forwarded.both.extend(function.forwarded.both.iter().cloned());
    forwarded.launch.extend(function.forwarded.launch.iter().cloned());
    forwarded.conditions.extend(function.forwarded.conditions.iter().cloned());
    unique_parameters(function, report);
    instance::refuse_others(function, report);
    let parameters =
        function.parameters.iter().filter_map(|declared| parameter(declared, function, report)).collect();
    let name = function.ident.unraw().to_string();
    let kernel = model::Kernel {
        forwarded,
        visibility: function.visibility.clone(),
        unsafety: function.unsafety?,
        ident: function.ident.clone(),
        symbol: function.link_name.clone().unwrap_or_else(|| LitStr::new(&name, function.ident.span())),
        launch: names::launch(&function.ident),
        item: names::item(&function.ident),
        name,
        cpp: None,
        family: None,
        host: function.host.clone(),
        parameters,
    };
    instance::of(function, kernel, report)
}

fn unique_parameters(function: &Function, report: &mut Report) {
    let mut seen: HashMap<String, Span> = HashMap::new();
    for ident in function.parameters.iter().filter_map(|parameter| parameter.ident.as_ref()) {
        if seen.insert(ident.unraw().to_string(), ident.span()).is_some() {
            report.error(
                ident,
                format!("kernel `{}` has two parameters `{ident}`", function.ident),
                "each parameter has a name of its own",
                "rename one of the two",
            );
        }
    }
}

fn parameter(declared: &Parameter, function: &Function, report: &mut Report) -> Option<model::Parameter> {
    let kernel = &function.ident;
    let ty = declared.ty.as_ref()?;
    let shown = declared.ident.as_ref().map_or_else(|| "_".to_owned(), |ident| ident.unraw().to_string());
    let marks = &declared.marks;
    let passing = match passing::of(ty, marks.nullable.is_some()) {
        Ok(passing) => passing,
        Err(refusal) => {
            let found = format!("parameter `{shown}` of `{kernel}` is `{}`, {}", text::of(ty), refusal.found);
            report.error(ty, found, refusal.expected, refusal.instead);
            return None;
        }
    };
    if let (Some(nullable), Passing::Value | Passing::TensorMap) = (&marks.nullable, &passing) {
        refuse_nullable(nullable, &shown, ty, kernel, report);
    }
    constness_is_of_a_pointer(marks, &passing, &shown, kernel, report);
    let ident = declared.ident.clone()?;
    let freedom = Freedom {
        unchecked: marks.unchecked.is_some(),
        allow_mut: marks.allow_mut.is_some(),
        assume_const: marks.assume_const.is_some(),
    };
    Some(model::Parameter {
        cuda_name: marks.name.as_ref().map_or_else(|| shown.clone(), LitStr::value),
        name: shown,
        binding: names::binding(&ident),
        ident,
        written: declared.written.clone().unwrap_or_else(|| text::of(ty)),
        ty: ty.clone(),
        passing,
        freedom,
        is_generic: instance::mentions(ty, &function.generics),
        generic: None,
    })
}

/// `#[allow_mut]` and `#[assume_const]` are about what stands behind a pointer.
fn constness_is_of_a_pointer(
    marks: &Marks,
    passing: &Passing,
    parameter: &str,
    kernel: &Ident,
    report: &mut Report,
) {
    if matches!(passing, Passing::Pointer { .. }) {
        return;
    }
    for mark in [&marks.allow_mut, &marks.assume_const].into_iter().flatten() {
        let found = format!("parameter `{parameter}` of `{kernel}` has `#[{}]`", text::of(mark));
        report.error(mark, found, "only a pointer leads to something that is `const` or is not", "remove it");
    }
}

fn refuse_nullable(nullable: &syn::Path, parameter: &str, ty: &Type, kernel: &Ident, report: &mut Report) {
    let ty = text::of(ty);
    report.error(
        nullable,
        format!("parameter `{parameter}` of `{kernel}` is `#[nullable]` and `{ty}`"),
        "only a pointer can be null",
        format!("remove it, or write `*const {ty}` or `*mut {ty}`"),
    );
}
