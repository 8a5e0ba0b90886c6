//! The arguments of `#[kernel(…)]`.

use proc_macro2::{TokenStream, TokenTree};
use syn::{
    Expr, Ident, Lit, Path, Token,
    ext::IdentExt,
    parse::{Parse as _, ParseStream, Parser},
    token,
};

use super::{
    attributes::{is_name, string},
    declaration::Options,
};
use crate::{report::Report, text};

/// Reads the arguments of `#[kernel(…)]`.
pub(super) fn read(arguments: TokenStream, report: &mut Report) -> Options {
    let mut options = Options::default();
    let parser = |input: ParseStream<'_>| {
        while !input.is_empty() {
            option(input, &mut options, report)?;
            if input.is_empty() {
                break;
            }
            input.parse::<Token![,]>()?;
        }
        Ok(())
    };
    if let Err(error) = parser.parse2(arguments) {
        report.syntax(error);
        options.incomplete = true;
    }
    options
}

const KEYS: &str =
    "write `module = \"…\"`, `source = \"…\"`, `image = \"…\"`, `defines(\"…\")` or `crate = path`";

fn option(input: ParseStream<'_>, options: &mut Options, report: &mut Report) -> syn::Result<()> {
    if input.peek(Lit) {
        let literal: Lit = input.parse()?;
        let found = format!("`#[kernel]` is given {} without a key", text::of(&literal));
        report.error(&literal, found, "each of its arguments has one", KEYS);
        options.incomplete = true;
        return Ok(());
    }
    let key = input.call(Ident::parse_any)?;
    let name = key.to_string();
    if name == "defines" {
        return defines(&key, input, options, report);
    }
    if !matches!(name.as_str(), "module" | "source" | "image" | "crate") {
        let found = format!("`#[kernel]` is given `{name}`");
        report.error(&key, found, "it has no such argument", KEYS);
        options.incomplete = true;
        // Whatever stands after it is skipped up to the next comma.
        while !input.is_empty() && !input.peek(Token![,]) {
            input.parse::<TokenTree>()?;
        }
        return Ok(());
    }
    if !input.peek(Token![=]) {
        let found = format!("`{name}` has no value");
        report.error(&key, found, "each argument of `#[kernel]` has one", KEYS);
        options.incomplete = true;
        return Ok(());
    }
    input.parse::<Token![=]>()?;
    if name == "crate" {
        let path = input.call(Path::parse_mod_style)?;
        if options.crate_path.is_some() {
            repeated(&key, report);
        }
        options.crate_path = Some(path);
        return Ok(());
    }
    let value: Expr = input.parse()?;
    let Some(literal) = string(&value) else {
        let found = format!("`{name}` is `{}`", text::of(&value));
        report.error(&value, found, "it is a string literal", format!("write `{name} = \"…\"`"));
        options.incomplete = true;
        return Ok(());
    };
    if literal.value().is_empty() {
        let found = format!("`{name}` is empty");
        let expected = if name == "module" { "it names what is loaded" } else { "it is the path of a file" };
        report.error(&literal, found, expected, format!("write `{name} = \"…\"`"));
        options.incomplete = true;
    }
    if name == "module" && !literal.value().is_empty() && !is_name(&literal) {
        let found = format!("`module` is {}", literal.token());
        report.error(
            &literal,
            found,
            "the name of a module is one word",
            "write it without spaces and control characters",
        );
        options.incomplete = true;
    }
    let place = match name.as_str() {
        "module" => &mut options.module,
        "source" => &mut options.source,
        _ => &mut options.image,
    };
    if place.replace(literal).is_some() {
        repeated(&key, report);
    }
    Ok(())
}

fn repeated(key: &Ident, report: &mut Report) {
    report.error(
        key,
        format!("`{key}` is given twice"),
        "a block belongs to one module",
        "remove one of the two",
    );
}

/// `defines("NAME", "NAME=VALUE")`, after its name. What each of them says is checked later.
fn defines(
    key: &Ident,
    input: ParseStream<'_>,
    options: &mut Options,
    report: &mut Report,
) -> syn::Result<()> {
    if !input.peek(token::Paren) {
        let instead = "write `defines(\"NAME\", \"NAME=VALUE\")`";
        report.error(key, "`defines` has no list", "it holds strings in parentheses", instead);
        options.incomplete = true;
        while !input.is_empty() && !input.peek(Token![,]) {
            input.parse::<TokenTree>()?;
        }
        return Ok(());
    }
    let content;
    syn::parenthesized!(content in input);
    for value in content.parse_terminated(Expr::parse, Token![,])? {
        if let Some(literal) = string(&value) {
            options.defines.push(literal);
        } else {
            let found = format!("`defines` holds `{}`", text::of(&value));
            report.error(&value, found, "it holds string literals", "write `\"NAME\"` or `\"NAME=VALUE\"`");
        }
    }
    Ok(())
}
