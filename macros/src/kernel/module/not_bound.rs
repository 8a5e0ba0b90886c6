//! The kernels of a file that are not bound: in the module's documentation and in a warning.

use std::fmt::Write as _;

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use warpcall_signature::{
    Kernel, Template,
    rust::{Candidate, NotBound},
};

use crate::kernel::{model, proof::Places};

/// A kernel without a launch function.
pub(super) struct Unbound<'a> {
    pub(super) candidate: &'a Candidate,
    name: String,
    /// ` (cuda/norm.cu:12)`.
    pub(super) place: String,
    pub(super) reason: String,
}

impl<'a> Unbound<'a> {
    pub(super) fn new(
        candidate: &'a Candidate,
        reason: &NotBound,
        module: &model::Module,
        places: &Places<'_>,
    ) -> Self {
        Self {
            candidate,
            name: candidate.shown(),
            place: place(&candidate.kernel, places),
            reason: places.shorten(&explained(reason, &candidate.kernel, module)),
        }
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
fn explained(reason: &NotBound, kernel: &Kernel, module: &model::Module) -> String {
    let path =
        |file: &Option<model::File>| file.as_ref().map(|file| file.written.value()).unwrap_or_default();
    let (image, source) = (path(&module.image), path(&module.source));
    match reason {
        NotBound::Template if kernel.unfollowed_parameter().is_some() => format!(
            "{reason}, and no name in C++ is followed through its parameters: name the `image` that is loaded, which has its instances by their symbols"
        ),
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
        NotBound::Overloaded => {
            format!("{reason}: rename one, or name the `image` that is loaded, which has their symbols")
        }
        NotBound::Local if kernel.namespace.iter().any(String::is_empty) => {
            format!(
                "{reason}: take it out of the namespace without a name, or name the `image` that is loaded"
            )
        }
        // One that is `static` is bound by its name where there is no image.
        NotBound::NotInImage | NotBound::Local => {
            format!("{image} has no kernel of this name: compile it again")
        }
        NotBound::NotInSource => format!("{image} has it, but {source} has no kernel of this name"),
        NotBound::OtherParameters => {
            format!("it takes other parameters in {image} than in {source}: compile the image again")
        }
        NotBound::Undefined => format!("{reason}: bind the file that has its body"),
        NotBound::Parameter { is_untyped: true, .. } => format!("{reason}; name the `source`"),
        _ => reason.to_string(),
    }
}

/// What of a file is not bound.
pub(super) struct Rest<'a> {
    pub(super) file: &'a str,
    pub(super) unbound: Vec<Unbound<'a>>,
    /// What could not be read, where there may be kernels.
    pub(super) unread: Vec<String>,
    /// The kernels that the attribute leaves out.
    pub(super) left_out: Vec<String>,
}

/// Most lines of a warning for kernels, and for what could not be read.
const MOST: usize = 8;

impl Rest<'_> {
    /// The end of the module's documentation.
    pub(super) fn docs(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if !self.left_out.is_empty() {
            let names: Vec<String> = self.left_out.iter().map(|name| format!("`{name}`")).collect();
            lines.extend([String::new(), format!(" Left out on request: {}.", names.join(", "))]);
        }
        let kernels = self.unbound.iter().map(Unbound::line);
        let all: Vec<String> = kernels.chain(self.unread.iter().cloned()).collect();
        if !all.is_empty() {
            lines.extend([String::new(), " # Not bound".to_owned(), String::new()]);
            lines.extend(all.iter().map(|line| format!(" - {}", plain(line))));
        }
        lines
    }

    /// The warning. The compiler warns of what is deprecated, in the words that its author wrote.
    pub(super) fn warning(&self, span: Span) -> Option<TokenStream> {
        let Self { file, unbound, unread, .. } = self;
        let mut note = match unbound.len() {
            0 if unread.is_empty() => return None,
            0 => format!("{file} cannot all be read, and may have more kernels than are bound"),
            1 => format!("1 kernel of {file} cannot be bound"),
            count => format!("{count} kernels of {file} cannot be bound"),
        };
        let kernels: Vec<String> = unbound.iter().map(Unbound::line).collect();
        for lines in [&kernels, unread] {
            for line in lines.iter().take(MOST) {
                let _ = write!(note, "\n  {line}");
            }
            if lines.len() > MOST {
                let more = lines.len() - MOST;
                let _ = write!(note, "\n  and {more} more, which the module's documentation lists");
            }
        }
        if !kernels.is_empty() {
            note += "\n`skip(\"…\")` in the attribute leaves a kernel out without a word";
        }
        note += "\nnothing is deprecated: it is the lint by which `#[kernel]` can warn, and `#[allow(deprecated)]` on the \
                 module silences it";
        let warned = quote_spanned!(span=> NOT_BOUND);
        Some(quote! {
            const _: () = {
                #[deprecated(note = #note)]
                const #warned: () = ();
                #warned
            };
        })
    }
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
