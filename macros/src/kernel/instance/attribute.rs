//! `#[instance("scale<float, 4>", T = f32)]`.

use syn::{Attribute, Ident, LitStr, Meta, Token, Type, parse::ParseStream};
use warpcall_signature::{NameExpression, Problem};

use crate::{kernel::declaration::Instance, report::Report, text};

const FORMS: &str = "write `#[instance(\"scale<float, 4>\")]`, with `T = f32` behind it where the function is generic over `T`";

/// Reads the attribute of the kernel `kernel`.
pub(in crate::kernel) fn read(
    attribute: &Attribute,
    kernel: &Ident,
    report: &mut Report,
) -> Option<Instance> {
    let nameless = |report: &mut Report| {
        report.error(
            attribute,
            format!("the `#[instance]` of `{kernel}` names no kernel"),
            "it gives the kernel's name in C++",
            FORMS,
        );
    };
    let Meta::List(list) = &attribute.meta else {
        nameless(report);
        return None;
    };
    let parser = |input: ParseStream<'_>| {
        let written = input.peek(LitStr).then(|| input.parse::<LitStr>()).transpose()?;
        let mut types: Vec<(Ident, Type)> = Vec::new();
        while written.is_some() && !input.is_empty() {
            input.parse::<Token![,]>()?;
            if input.is_empty() {
                break;
            }
            let parameter = input.parse()?;
            input.parse::<Token![=]>()?;
            types.push((parameter, input.parse()?));
        }
        if written.is_none() {
            input.parse::<proc_macro2::TokenStream>()?;
        }
        Ok((written, types))
    };
    let (written, types) = match list.parse_args_with(parser) {
        Ok((Some(written), types)) => (written, types),
        Ok((None, _)) => {
            nameless(report);
            return None;
        }
        Err(error) => {
            report.syntax(error);
            return None;
        }
    };
    match NameExpression::parse(&written.value()) {
        Ok(name) => Some(Instance { written, name, types }),
        Err(error) => {
            let reason = match &error.problem {
                Problem::NameExpression { reason, .. } => reason.clone(),
                problem => problem.to_string(),
            };
            let found = format!("the `#[instance]` of `{kernel}` is {}", text::of(&written));
            report.error(
                &written,
                found,
                format!("it is a kernel's name in C++, and {reason}"),
                error.help(),
            );
            None
        }
    }
}
