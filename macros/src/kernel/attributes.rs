//! The attributes of a declaration: what each may be, where it may stand, and what it says.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{
    Attribute, Expr, ExprLit, ExprPath, Ident, Lit, LitStr, Meta, Token, parse::ParseStream,
    punctuated::Punctuated,
};

use super::{
    declaration::{Forwarded, Host, Instance},
    instance,
};
use crate::{report::Report, text};

/// What the attributes of a function say.
#[derive(Default)]
pub(super) struct FunctionAttributes {
    pub(super) forwarded: Forwarded,
    pub(super) link_name: Option<LitStr>,
    pub(super) instances: Vec<Instance>,
    pub(super) has_bad_instance: bool,
    pub(super) host: Option<Host>,
}

/// Reads the attributes of the kernel `kernel`.
pub(super) fn of_function(
    attributes: Vec<Attribute>,
    kernel: &Ident,
    report: &mut Report,
) -> FunctionAttributes {
    let mut read = FunctionAttributes::default();
    for attribute in attributes {
        let name = text::of(attribute.path());
        match name.as_str() {
            "link_name" => link_name(&attribute, kernel, &mut read.link_name, report),
            "instance" => match instance::read(&attribute, kernel, report) {
                Some(instance) => read.instances.push(instance),
                None => read.has_bad_instance = true,
            },
            "name" => report.error(
                &attribute,
                format!("kernel `{kernel}` has `#[name]`"),
                "that is the name of a parameter in CUDA",
                "write `#[instance(\"…\")]` for the kernel's name in C++, such as `fft::scale`, or `#[link_name = \"…\"]` for its symbol",
            ),
            "host" => host(&attribute, kernel, &mut read.host, report),
            "launch" => report.error(
                &attribute,
                format!("kernel `{kernel}` has `#[launch]`"),
                "contracts on the geometry are not supported yet",
                "remove it; the launch function takes a `LaunchConfig`",
            ),
            _ if forward(&attribute, &mut read.forwarded, report) => {}
            _ => report.error(
                &attribute,
                format!("kernel `{kernel}` has `#[{}]`", text::of(&attribute.meta)),
                "a kernel takes `#[host]`, `#[instance]`, `#[link_name]`, and attributes for documentation, `cfg`, lints, `deprecated` and `must_use`",
                "remove it",
            ),
        }
    }
    read
}

/// Reads the attributes of the block, which hold of each of its kernels.
pub(super) fn of_block(attributes: Vec<Attribute>, report: &mut Report) -> Forwarded {
    let mut forwarded = Forwarded::default();
    for attribute in attributes {
        let name = text::of(attribute.path());
        match name.as_str() {
            // Words about the block are for the reader of the source; rustdoc shows the kernels.
            "doc" => {}
            "link" => report.error(
                &attribute,
                "the block has `#[link]`",
                "nothing is linked: the module is loaded when a kernel is first used",
                "remove it, and name the module in `#[kernel(module = \"…\")]`",
            ),
            "expect" => report.error(
                &attribute,
                "the block has `#[expect]`",
                "it would have to come true in each of its kernels",
                "write `#[allow]` here, or `#[expect]` on one kernel",
            ),
            "host" | "instance" | "link_name" | "deprecated" | "must_use" => report.error(
                &attribute,
                format!("the block has `#[{name}]`"),
                "it belongs to one kernel",
                "write it on the function",
            ),
            _ if forward(&attribute, &mut forwarded, report) => {}
            _ => report.error(
                &attribute,
                format!("the block has `#[{}]`", text::of(&attribute.meta)),
                "a block of kernels takes `cfg` and lint attributes",
                "remove it",
            ),
        }
    }
    forwarded
}

/// Keeps an attribute for the generated items; false where it is none that they take.
fn forward(attribute: &Attribute, forwarded: &mut Forwarded, report: &mut Report) -> bool {
    match place(&attribute.meta) {
        Some(Place::Condition) => {
            forwarded.conditions.push(attribute.clone());
            forwarded.both.push(attribute.clone());
        }
        Some(Place::Both) => forwarded.both.push(attribute.clone()),
        Some(Place::Launch) => forwarded.launch.push(attribute.clone()),
        None if attribute.path().is_ident("cfg_attr") => forward_conditionally(attribute, forwarded, report),
        None => return false,
    }
    true
}

enum Place {
    Condition,
    Both,
    Launch,
}

fn place(meta: &Meta) -> Option<Place> {
    let path = meta.path();
    let Some(name) = path.get_ident() else {
        let tool = path.segments.first()?.ident.to_string();
        return matches!(tool.as_str(), "rustfmt" | "clippy" | "diagnostic").then_some(Place::Launch);
    };
    match name.to_string().as_str() {
        "cfg" => Some(Place::Condition),
        "doc" if matches!(meta, Meta::List(list) if list.tokens.to_string() == "hidden") => Some(Place::Both),
        "allow" | "warn" | "deny" | "forbid" => Some(Place::Both),
        // A deprecated static would be reported in the launch function, which names it.
        "doc" | "deprecated" | "must_use" | "expect" => Some(Place::Launch),
        _ => None,
    }
}

/// Keeps a `#[cfg_attr(predicate, attributes…)]`: the compiler evaluates it on the generated items, so
/// it can carry only what they take.
fn forward_conditionally(attribute: &Attribute, forwarded: &mut Forwarded, report: &mut Report) {
    let parser = |input: ParseStream<'_>| {
        let predicate: Meta = input.parse()?;
        input.parse::<Token![,]>()?;
        Ok((predicate, Punctuated::<Meta, Token![,]>::parse_terminated(input)?))
    };
    let (predicate, carried) = match attribute.parse_args_with(parser) {
        Ok(read) => read,
        Err(error) => return report.syntax(error),
    };
    for meta in carried {
        let conditional: Attribute = syn::parse_quote!(#[cfg_attr(#predicate, #meta)]);
        match place(&meta) {
            Some(Place::Condition) => {
                forwarded.conditions.push(conditional.clone());
                forwarded.both.push(conditional);
            }
            Some(Place::Both) => forwarded.both.push(conditional),
            Some(Place::Launch) => forwarded.launch.push(conditional),
            None => {
                let name = text::of(meta.path());
                report.error(
                    &meta,
                    format!("`cfg_attr` carries `{name}`"),
                    "`#[kernel]` is expanded before the condition is known",
                    "write two declarations, each under its own `#[cfg]`",
                );
            }
        }
    }
}

fn link_name(attribute: &Attribute, kernel: &Ident, place: &mut Option<LitStr>, report: &mut Report) {
    let literal = match &attribute.meta {
        Meta::NameValue(pair) => string(&pair.value),
        _ => None,
    };
    let Some(literal) = literal else {
        report.error(
            attribute,
            format!("kernel `{kernel}` has a `#[link_name]` without a string"),
            "it gives the kernel's name in the compiled module",
            "write `#[link_name = \"…\"]`",
        );
        return;
    };
    if !is_name(&literal) {
        report.error(
            &literal,
            format!("the `#[link_name]` of `{kernel}` is {}", literal.token()),
            "the name of a kernel in its compiled module is one word",
            "write the name as the PTX spells it after `.entry`",
        );
    }
    if place.replace(literal).is_some() {
        report.error(
            attribute,
            format!("kernel `{kernel}` has `#[link_name]` twice"),
            "a kernel has one name in its module",
            "remove one of the two",
        );
    }
}

fn host(attribute: &Attribute, kernel: &Ident, place: &mut Option<Host>, report: &mut Report) {
    const FORMS: &str =
        "write `#[host(path)]`, or `#[host(path, launch)]` for a function that takes the launch first";
    let Meta::List(list) = &attribute.meta else {
        report.error(
            attribute,
            format!("the `#[host]` of `{kernel}` names no function"),
            "the host backend runs one",
            FORMS,
        );
        return;
    };
    let arguments = match list.parse_args_with(Punctuated::<Expr, Token![,]>::parse_terminated) {
        Ok(arguments) => arguments,
        Err(error) => return report.syntax(error),
    };
    let mut arguments = arguments.into_iter();
    let Some(first) = arguments.next() else {
        report.error(
            attribute,
            format!("the `#[host]` of `{kernel}` names no function"),
            "the host backend runs one",
            FORMS,
        );
        return;
    };
    let Expr::Path(function) = plain(first.clone()) else {
        let found = format!("the `#[host]` of `{kernel}` is `{}`", text::of(&first));
        report.error(&first, found, "it is the path of a function", FORMS);
        return;
    };
    let mut takes_launch = false;
    for extra in arguments {
        if !takes_launch && matches!(&extra, Expr::Path(ExprPath { path, .. }) if path.is_ident("launch")) {
            takes_launch = true;
        } else {
            let found = format!("the `#[host]` of `{kernel}` has the argument `{}`", text::of(&extra));
            report.error(&extra, found, "after the function it takes `launch` alone", FORMS);
        }
    }
    if place.replace(Host { function, takes_launch }).is_some() {
        report.error(
            attribute,
            format!("kernel `{kernel}` has `#[host]` twice"),
            "the host backend runs one function",
            "remove one of the two",
        );
    }
}

/// Whether a string can name a module or a kernel: a word that the driver, a file system and a log can all carry.
pub(super) fn is_name(literal: &LitStr) -> bool {
    let name = literal.value();
    !name.is_empty() && !name.contains(|letter: char| letter.is_whitespace() || letter.is_control())
}

/// The string of an expression that is a string literal.
pub(super) fn string(value: &Expr) -> Option<LitStr> {
    match value {
        Expr::Lit(ExprLit { lit: Lit::Str(literal), .. }) => Some(literal.clone()),
        // A literal that came through a `macro_rules!` fragment.
        Expr::Group(group) => string(&group.expr),
        _ => None,
    }
}

fn plain(value: Expr) -> Expr {
    match value {
        Expr::Group(group) => plain(*group.expr),
        value => value,
    }
}

impl ToTokens for Forwarded {
    /// All of them: what the launch function carries.
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let Self { both, launch, .. } = self;
        tokens.extend(quote!(#(#both)* #(#launch)*));
    }
}
