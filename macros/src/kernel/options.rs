//! The arguments of `#[kernel(…)]`.

use proc_macro2::{TokenStream, TokenTree};
use syn::{
    Expr, Ident, Lit, LitStr, Path, Token,
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

const KEYS: &str = "write `module = \"…\"`, `source = \"…\"`, `image = \"…\"`, `embed_source`, `defines(\"…\")`, \
                    `include(\"…\")`, `only(\"…\")`, `skip(\"…\")` or `crate = path`";

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
    match name.as_str() {
        "defines" | "include" | "only" | "skip" => {
            let (place, examples) = match name.as_str() {
                "defines" => (&mut options.defines, ["NAME", "NAME=VALUE"]),
                "include" => (&mut options.include, ["cuda/include", "$OUT_DIR/include"]),
                "only" => (&mut options.only, ["one_kernel", "another"]),
                _ => (&mut options.skip, ["one_kernel", "another"]),
            };
            let (strings, is_read) = list(&key, input, examples, report)?;
            place.extend(strings);
            options.incomplete |= !is_read;
            return Ok(());
        }
        "embed_source" => return embed_source(key, input, options, report),
        _ => {}
    }
    if !matches!(name.as_str(), "module" | "source" | "image" | "crate") {
        let found = format!("`#[kernel]` is given `{name}`");
        report.error(&key, found, "it has no such argument", KEYS);
        options.incomplete = true;
        return skip(input);
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

/// `embed_source`, which says all by being there.
fn embed_source(
    key: Ident,
    input: ParseStream<'_>,
    options: &mut Options,
    report: &mut Report,
) -> syn::Result<()> {
    if !input.is_empty() && !input.peek(Token![,]) {
        report.error(&key, "`embed_source` has a value", "it takes none", "write `embed_source`");
        options.incomplete = true;
        return skip(input);
    }
    if options.embed_source.is_some() {
        repeated(&key, report);
    }
    options.embed_source = Some(key);
    Ok(())
}

/// `key("…", "…")`, after its name, and whether it could be read. What each string says is checked later.
fn list(
    key: &Ident,
    input: ParseStream<'_>,
    examples: [&str; 2],
    report: &mut Report,
) -> syn::Result<(Vec<LitStr>, bool)> {
    let [first, second] = examples;
    if !input.peek(token::Paren) {
        let found = format!("`{key}` has no list");
        let instead = format!("write `{key}(\"{first}\", \"{second}\")`");
        report.error(key, found, "it holds strings in parentheses", instead);
        skip(input)?;
        return Ok((Vec::new(), false));
    }
    let content;
    syn::parenthesized!(content in input);
    let mut strings = Vec::new();
    for value in content.parse_terminated(Expr::parse, Token![,])? {
        if let Some(literal) = string(&value) {
            strings.push(literal);
        } else {
            let found = format!("`{key}` holds `{}`", text::of(&value));
            let instead = format!("write `\"{first}\"` or `\"{second}\"`");
            report.error(&value, found, "it holds string literals", instead);
        }
    }
    Ok((strings, true))
}

/// Passes over what stands up to the next comma.
fn skip(input: ParseStream<'_>) -> syn::Result<()> {
    while !input.is_empty() && !input.peek(Token![,]) {
        input.parse::<TokenTree>()?;
    }
    Ok(())
}
