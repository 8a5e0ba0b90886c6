//! The parameter list of a declaration, from tokens.

use quote::quote;
use syn::{
    Attribute, FnArg, Ident, Pat, PatIdent, Token, Type,
    ext::IdentExt,
    parse::{ParseStream, discouraged::Speculative},
};

use super::{
    declaration::{Marks, Parameter},
    marks,
};
use crate::{report::Report, text};

/// Reads the parameters of `kernel`, between its parentheses.
pub(super) fn parameters(
    content: ParseStream<'_>,
    kernel: &Ident,
    report: &mut Report,
) -> syn::Result<Vec<Parameter>> {
    let mut parameters = Vec::new();
    while !content.is_empty() {
        parameters.extend(parameter(content, kernel, report)?);
        if content.is_empty() {
            break;
        }
        content.parse::<Token![,]>()?;
    }
    Ok(parameters)
}

/// Reads one parameter; `None` for a `...`.
fn parameter(
    content: ParseStream<'_>,
    kernel: &Ident,
    report: &mut Report,
) -> syn::Result<Option<Parameter>> {
    let attributes = content.call(Attribute::parse_outer)?;
    if content.peek(Token![...]) {
        variadic(content.parse()?, kernel, report);
        return Ok(None);
    }
    let ahead = content.fork();
    if let Ok(FnArg::Receiver(receiver)) = ahead.parse::<FnArg>() {
        content.advance_to(&ahead);
        report.error(
            receiver,
            format!("kernel `{kernel}` takes `self`"),
            "a kernel is a free function",
            "give the parameter a name and the type that the CUDA kernel declares",
        );
        return Ok(Some(Parameter { ident: None, marks: Marks::default(), ty: None, written: None }));
    }
    let pattern = content.call(Pat::parse_single)?;
    content.parse::<Token![:]>()?;
    if content.peek(Token![...]) {
        variadic(content.parse()?, kernel, report);
        return Ok(None);
    }
    let ty: Type = content.parse()?;
    let ident = name(&pattern, &ty, kernel, report);
    let shown = ident.as_ref().map_or_else(|| text::of(&pattern), |ident| ident.unraw().to_string());
    let marks = marks::of_parameter(&attributes, &shown, kernel, report);
    Ok(Some(Parameter { ident, marks, ty: Some(ty), written: None }))
}

fn variadic(dots: Token![...], kernel: &Ident, report: &mut Report) {
    report.error(
        dots,
        format!("kernel `{kernel}` takes `...`"),
        "the driver reads exactly the parameters that the compiled kernel has",
        "declare each of them",
    );
}

fn name(pattern: &Pat, ty: &Type, kernel: &Ident, report: &mut Report) -> Option<Ident> {
    match pattern {
        Pat::Ident(PatIdent { ident, by_ref: None, mutability: None, subpat: None, .. }) => {
            Some(ident.clone())
        }
        Pat::Ident(PatIdent { ident, mutability, by_ref, .. }) => {
            let extra = text::of(quote!(#by_ref #mutability));
            report.error(
                pattern,
                format!(
                    "parameter `{ident}` of `{kernel}` is declared with the pattern `{}`",
                    text::of(pattern)
                ),
                "a declaration gives names alone",
                if extra.is_empty() { format!("write `{ident}`") } else { format!("remove `{extra}`") },
            );
            Some(ident.clone())
        }
        Pat::Wild(wild) => {
            report.error(
                wild,
                format!("a parameter `{}` of `{kernel}` has no name", text::of(ty)),
                "errors and traces name each parameter",
                "write a name in the place of `_`",
            );
            None
        }
        pattern => {
            report.error(
                pattern,
                format!("a parameter of `{kernel}` is declared with the pattern `{}`", text::of(pattern)),
                "a declaration gives names alone",
                "write a name",
            );
            None
        }
    }
}
