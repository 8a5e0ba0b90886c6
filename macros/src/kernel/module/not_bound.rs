//! The kernels of a file that are not bound: in the module's documentation and in a warning.

use std::fmt::Write as _;

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use warpcall_signature::{Kernel, Template, rust::NotBound};

use super::candidate::{Candidate, Never};
use crate::kernel::proof::Places;

/// A kernel without a launch function.
pub(super) struct Unbound<'a> {
    pub(super) candidate: &'a Candidate,
    name: String,
    /// ` (cuda/norm.cu:12)`.
    pub(super) place: String,
    pub(super) reason: String,
}

impl<'a> Unbound<'a> {
    /// Whatever its parameters are.
    pub(super) fn never(
        candidate: &'a Candidate,
        never: &Never,
        image: &str,
        source: &str,
        places: &Places<'_>,
    ) -> Self {
        let reason = match never {
            Never::NotBound(reason) => explained(reason, &candidate.kernel),
            Never::Overloaded => {
                "there are several of this name, which their names in C++ do not tell apart: rename one, or name the `image` \
                 that is loaded, which has their symbols"
                    .to_owned()
            }
            Never::NoInstance(reason) => reason.clone(),
            Never::NotInImage => format!("{image} has no kernel of this name: compile it again"),
            Never::NotInSource => format!("{image} has it, but {source} has no kernel of this name"),
            Never::OtherParameters => {
                format!("it takes other parameters in {image} than in {source}: compile the image again")
            }
        };
        Self::new(candidate, reason, places)
    }

    /// For its parameters.
    pub(super) fn parameters(candidate: &'a Candidate, reason: &NotBound, places: &Places<'_>) -> Self {
        Self::new(candidate, explained(reason, &candidate.kernel), places)
    }

    fn new(candidate: &'a Candidate, reason: String, places: &Places<'_>) -> Self {
        Self { candidate, name: candidate.shown(), place: place(&candidate.kernel, places), reason }
    }

    fn line(&self) -> String {
        let Self { name, place, reason, .. } = self;
        format!("`{name}`{place}: {reason}")
    }
}

/// Where a kernel stands.
pub(super) fn place(kernel: &Kernel, places: &Places<'_>) -> String {
    let origin = kernel.origin.as_ref().filter(|origin| &*origin.position.file != "PTX");
    origin.map(|origin| format!(" ({})", places.origin(origin))).unwrap_or_default()
}

/// Why a kernel is not bound, and what to do.
fn explained(reason: &NotBound, kernel: &Kernel) -> String {
    match reason {
        NotBound::Template => {
            let first = match &kernel.template {
                Template::Primary { parameters, .. } => {
                    let arguments: Vec<&str> = parameters
                        .iter()
                        .map(|parameter| if parameter.is_type { "float" } else { "4" })
                        .collect();
                    format!("{}<{}>", kernel.qualified_name(), arguments.join(", "))
                }
                _ => kernel.expression(),
            };
            format!(
                "{reason}: declare its instances in an `extern \"C\"` block, as in `#[instance(\"{first}\")]`"
            )
        }
        NotBound::Local => format!("{reason}: remove `static`, or name the `image` that is loaded"),
        NotBound::Undefined => format!("{reason}: bind the file that has its body"),
        NotBound::Parameter { is_untyped: true, .. } => format!("{reason}; name the `source`"),
        _ => reason.to_string(),
    }
}

/// The section of the module's documentation.
pub(super) fn docs(unbound: &[Unbound<'_>], left_out: &[String]) -> Vec<String> {
    let mut lines = Vec::new();
    if !left_out.is_empty() {
        let names: Vec<String> = left_out.iter().map(|name| format!("`{name}`")).collect();
        lines.extend([String::new(), format!(" Left out on request: {}.", names.join(", "))]);
    }
    if !unbound.is_empty() {
        lines.extend([String::new(), " # Not bound".to_owned(), String::new()]);
        lines.extend(unbound.iter().map(|unbound| format!(" - {}", plain(&unbound.line()))));
    }
    lines
}

/// Most kernels that the warning names.
const MOST: usize = 8;

/// The warning. The compiler warns of what is deprecated, in the words that its author wrote.
pub(super) fn warning(unbound: &[Unbound<'_>], file: &str, span: Span) -> Option<TokenStream> {
    if unbound.is_empty() {
        return None;
    }
    let kernels =
        if unbound.len() == 1 { "1 kernel of".to_owned() } else { format!("{} kernels of", unbound.len()) };
    let mut note = format!("{kernels} {file} cannot be bound");
    for unbound in unbound.iter().take(MOST) {
        let _ = write!(note, "\n  {}", unbound.line());
    }
    if unbound.len() > MOST {
        let more = unbound.len() - MOST;
        let _ = write!(note, "\n  and {more} more, which the documentation of the module lists");
    }
    note += "\n`skip(\"…\")` in the attribute leaves a kernel out without a word";
    let warned = quote_spanned!(span=> NOT_BOUND);
    Some(quote! {
        const _: () = {
            #[deprecated(note = #note)]
            const #warned: () = ();
            #warned
        };
    })
}

/// Text in which nothing but code is marked, as links and tags are made of brackets.
fn plain(text: &str) -> String {
    let mut is_code = false;
    let mut plain = String::with_capacity(text.len());
    for letter in text.chars() {
        is_code ^= letter == '`';
        if !is_code && matches!(letter, '[' | ']' | '<' | '>' | '*' | '_' | '\\') {
            plain.push('\\');
        }
        plain.push(letter);
    }
    plain.replace('\n', " ")
}
