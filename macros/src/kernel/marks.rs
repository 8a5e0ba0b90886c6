//! The attributes of a parameter.

use syn::{Attribute, Ident, LitStr, Meta, Path};

use super::{attributes::string, declaration::Marks};
use crate::{report::Report, text};

const KNOWN: &str = "a parameter takes `#[nullable]`, `#[name = \"…\"]`, `#[allow_mut]`, `#[assume_const]` and `#[unchecked]` alone";

/// Reads the attributes of a parameter.
pub(super) fn of_parameter(
    attributes: &[Attribute],
    parameter: &str,
    kernel: &Ident,
    report: &mut Report,
) -> Marks {
    let mut marks = Marks::default();
    for attribute in attributes {
        let name = text::of(attribute.path());
        let found = format!("parameter `{parameter}` of `{kernel}` has `#[{name}]`");
        match name.as_str() {
            "nullable" => flag(attribute, &found, &mut marks.nullable, report),
            "unchecked" => flag(attribute, &found, &mut marks.unchecked, report),
            "allow_mut" => flag(attribute, &found, &mut marks.allow_mut, report),
            "assume_const" => flag(attribute, &found, &mut marks.assume_const, report),
            "name" => cuda_name(attribute, &found, &mut marks.name, report),
            "len" => report.error(
                attribute,
                found,
                "contracts on lengths are not supported yet",
                "remove it; the caller of the `unsafe` launch function vouches for the length",
            ),
            "cfg" | "cfg_attr" => report.error(
                attribute,
                found,
                "a compiled kernel has one signature",
                "write two declarations of the kernel, each under its own `#[cfg]`",
            ),
            "doc" => report.error(
                attribute,
                format!("parameter `{parameter}` of `{kernel}` has a doc comment"),
                "Rust documents parameters with their function",
                "move it to the doc comment of the kernel",
            ),
            _ => report.error(attribute, found, KNOWN, "remove it"),
        }
    }
    marks
}

/// An attribute that is there or is not.
fn flag(attribute: &Attribute, found: &str, place: &mut Option<Path>, report: &mut Report) {
    let Meta::Path(path) = &attribute.meta else {
        let instead = format!("write `#[{}]`", text::of(attribute.path()));
        return report.error(attribute, format!("{found} with arguments"), "it takes none", instead);
    };
    if place.replace(path.clone()).is_some() {
        twice(attribute, found, report);
    }
}

fn cuda_name(attribute: &Attribute, found: &str, place: &mut Option<LitStr>, report: &mut Report) {
    let literal = match &attribute.meta {
        Meta::NameValue(pair) => string(&pair.value).filter(|literal| !literal.value().is_empty()),
        _ => None,
    };
    let Some(literal) = literal else {
        return report.error(
            attribute,
            format!("{found} without a name"),
            "it gives the parameter's name in CUDA",
            "write `#[name = \"…\"]`",
        );
    };
    if place.replace(literal).is_some() {
        twice(attribute, found, report);
    }
}

fn twice(attribute: &Attribute, found: &str, report: &mut Report) {
    report.error(attribute, format!("{found} twice"), "once is enough", "remove one of the two");
}
