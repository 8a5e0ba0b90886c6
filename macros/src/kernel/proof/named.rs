//! Kernels that are declared by their names in C++: which one of a source, and which of an image.

use std::borrow::Cow;

use warpcall_signature::{
    Difference, DifferenceKind, Kernel, Module, NameExpression, Problem, Template, compare,
};

use super::{
    Files,
    absent::{Hidden, hidden},
    finding::{At, Comparison, Finding},
    image, listed,
    places::Places,
    source,
};
use crate::kernel::model::{self, CppName};

/// The kernel of the source that a declaration means. Of overloads it is the one that takes what is declared.
pub(super) fn in_source<'a>(
    declared: &model::Kernel,
    cpp: &CppName,
    files: &Files<'_>,
    module: &'a Module,
) -> Result<Cow<'a, Kernel>, Finding> {
    let places = Places(files.site);
    let named = module.named(&cpp.name);
    let kernels: &[Kernel] = named.map_or(&[], |named| &named.kernels);
    if let [kernel] = kernels {
        return Ok(Cow::Borrowed(kernel));
    }
    if kernels.is_empty() {
        let Some(refusal) = named.and_then(|named| named.refusals.first()) else {
            let path = files.module.source.as_ref().map(|file| file.written.value()).unwrap_or_default();
            if let Some(Hidden { reason, instead }) = hidden(module, cpp.name.name(), &places) {
                return Err(finding(declared, reason, instead));
            }
            let notes = source::notes(&module.notes, &places);
            return Err(absent(declared, &path, &names(&module.kernels), &notes));
        };
        let reason = match &refusal.problem {
            Problem::Instance { reason, .. } => reason.clone(),
            problem => problem.to_string(),
        };
        let place = refusal.position.as_ref();
        let place = place.map(|position| format!(" ({})", places.position(position)));
        let expected = format!("{reason}{}", place.unwrap_or_default());
        return Err(finding(declared, expected, remedy(declared, module)));
    }
    let setting = files.setting(module);
    let fitting: Vec<&Kernel> = kernels
        .iter()
        .filter(|kernel| source::compare(declared, kernel, &setting).findings.is_empty())
        .collect();
    match fitting[..] {
        [kernel] if files.images.is_some() && files.module.embedded_source().is_none() => {
            Ok(Cow::Borrowed(kernel))
        }
        [kernel] => {
            let expected =
                format!("NVRTC, which compiles the source, cannot tell it from {}", others(kernels, kernel));
            let instead = "rename one of them in CUDA, or name an `image`".to_owned();
            Err(finding(declared, expected, instead))
        }
        _ => {
            let all: Vec<String> = kernels.iter().map(|kernel| format!("`{kernel}`")).collect();
            let expected = format!("the source has several kernels of this name: {}", all.join(", "));
            Err(finding(declared, expected, "declare exactly what one of them takes".to_owned()))
        }
    }
}

fn others(kernels: &[Kernel], chosen: &Kernel) -> String {
    let others = kernels.iter().filter(|kernel| !std::ptr::eq(*kernel, chosen));
    others.map(|kernel| format!("`{kernel}`")).collect::<Vec<_>>().join(" and ")
}

/// Compares a declaration with the kernel of its name in each image, as far as there is one. The symbol is noted.
pub(super) fn in_images(
    declared: &model::Kernel,
    cpp: &CppName,
    images: &[Module],
    setting: &image::Setting<'_>,
    comparison: &mut Comparison,
) {
    // The source knows what the defaults and the aliases are.
    let name = setting.written.map_or_else(|| cpp.name.clone(), NameExpression::of);
    let mut is_there = false;
    for module in images {
        let mut candidates = name.select(&module.kernels);
        if candidates.len() > 1 {
            let fits = |kernel: &&&Kernel| {
                if let Some(written) = setting.written {
                    return compare(written, kernel).iter().all(is_about_names);
                }
                let mut alone = Comparison::default();
                image::compare(declared, module, kernel, setting, &mut alone);
                alone.findings.is_empty()
            };
            let fitting: Vec<&Kernel> = candidates.iter().filter(fits).copied().collect();
            if fitting.len() != 1 {
                let all: Vec<String> = candidates.iter().map(|kernel| described(kernel)).collect();
                let expected =
                    format!("{} has several kernels of this name: {}", setting.path, all.join(", "));
                let instead =
                    "declare what one of them takes, or write its symbol as `#[link_name]`".to_owned();
                comparison.findings.push(finding(declared, expected, instead));
                return;
            }
            candidates = fitting;
        }
        if let Some(compiled) = candidates.first() {
            is_there = true;
            image::compare(declared, module, compiled, setting, comparison);
            comparison.symbol = comparison.symbol.take().or_else(|| compiled.symbol.clone());
        }
    }
    // An image for one architecture may lack what another one has.
    if !is_there {
        let all = images.iter().flat_map(|image| &image.kernels);
        let mut finding = absent(declared, setting.path, &names(all), "");
        if let Some(source) = setting.source {
            finding.instead = format!(
                "compile the image again from {source}, where `template __global__ void {name}(…);` makes an instance; {}",
                finding.instead
            );
        }
        comparison.findings.push(finding);
    }
}

/// Names in an image are those of a compiler, or of whoever wrote the PTX.
fn is_about_names(difference: &Difference) -> bool {
    matches!(difference.kind, DifferenceKind::Name(..) | DifferenceKind::Order(_))
}

/// A kernel of an image, with all that tells it from others.
fn described(kernel: &Kernel) -> String {
    let symbol = kernel.symbol.as_deref().unwrap_or(&kernel.name);
    let signature = kernel.to_string();
    let list = signature.find('(').map_or("", |at| &signature[at..]);
    format!("`{}{list}` (`{symbol}`)", kernel.expression())
}

fn finding(declared: &model::Kernel, expected: String, instead: String) -> Finding {
    let found = format!("kernel `{}` is declared as `{}`", declared.ident, declared.name);
    Finding { at: At::Symbol, found, expected, instead }
}

/// There is no kernel of the declared name.
fn absent(declared: &model::Kernel, file: &str, names: &[String], notes: &str) -> Finding {
    let instead = match listed::listed(names.iter().map(String::as_str), &declared.name) {
        Some(names) => names,
        None => "there is no kernel that can be read; define what it needs in `defines(…)`".to_owned(),
    };
    finding(declared, format!("{file} has no kernel of this name"), instead + notes)
}

/// The kernels as a declaration may name them.
fn names<'k>(kernels: impl IntoIterator<Item = &'k Kernel>) -> Vec<String> {
    let each = kernels.into_iter().flat_map(|kernel| match &kernel.template {
        Template::Primary { parameters, instances } => {
            let written = instances.iter().filter(|instance| !instance.arguments.is_empty());
            let mut names: Vec<String> = written
                .map(|instance| format!("{}<{}>", kernel.qualified_name(), instance.arguments))
                .collect();
            if names.is_empty() {
                let parameters: Vec<&str> = parameters.iter().map(|parameter| &*parameter.text).collect();
                names.push(format!("{}<{}>", kernel.qualified_name(), parameters.join(", ")));
            }
            names
        }
        _ => vec![kernel.expression()],
    });
    each.collect()
}

/// What to write for a template that the declared name does not fit.
fn remedy(declared: &model::Kernel, module: &Module) -> String {
    let name = declared.cpp.as_ref().map(|cpp| cpp.name.name());
    let templates = module.kernels.iter().filter(|kernel| Some(&*kernel.name) == name);
    match names(templates).first() {
        Some(name) => format!("there is `{name}`"),
        None => "compare it with the kernel".to_owned(),
    }
}

/// What to write for a kernel that is declared by its plain name and has a mangled symbol.
pub(super) fn instead_of_plain_name(cuda: &Kernel, files: &Files<'_>) -> (&'static str, String) {
    let is_overloaded = files.images.is_none()
        && files.source.is_some_and(|source| {
            let mut alike = source.kernels.iter().filter(|other| {
                other.is_template() == cuda.is_template() && other.qualified_name() == cuda.qualified_name()
            });
            alike.nth(1).is_some()
        });
    if is_overloaded && !cuda.is_template() {
        return (
            "there are several of this name there, which NVRTC cannot tell apart",
            "rename one of them in CUDA, or name the `image` that is loaded and write `#[instance(\"…\")]`"
                .to_owned(),
        );
    }
    if let Some(hard) = cuda.unfollowed_parameter() {
        let instead = format!(
            "no name in C++ is followed through `{}`: name the `image` and write an instance's symbol as `#[link_name = \"…\"]`, or write a kernel without it",
            hard.text
        );
        return ("it is a template there, and each of its instances has a mangled name", instead);
    }
    let names = names([cuda]);
    let name = names.first().map_or("", String::as_str);
    match &cuda.template {
        Template::Primary { instances, .. }
            if instances.iter().any(|instance| !instance.arguments.is_empty()) =>
        {
            (
                "it is a template there, and each of its instances has a mangled name",
                format!("declare one of its instances: `#[instance(\"{name}\")]`"),
            )
        }
        Template::Primary { .. } => (
            "it is a template there, and each of its instances has a mangled name",
            format!("declare one of its instances with `#[instance(\"…\")]`: `{name}` with its arguments"),
        ),
        _ => (
            "its name in the module is mangled there",
            format!(
                "write `#[instance(\"{name}\")]` before the function, or `extern \"C\"` before `__global__`"
            ),
        ),
    }
}
