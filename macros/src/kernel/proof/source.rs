//! A declaration against the kernel in the CUDA source.

use warpcall_signature::{Diagnostic, Kernel, Parameter, Problem};

use super::{
    declared,
    finding::{Assertion, At, Comparison, Finding},
    pairing::{self, Pairing},
    places::Places,
    rust_words,
    verdict::{self, Verdict},
};
use crate::kernel::model;

/// What a comparison needs to know beside the two kernels.
pub(super) struct Setting<'a> {
    pub(super) places: Places<'a>,
    /// What of the source could not be read.
    pub(super) notes: &'a [Diagnostic],
    /// Whether an image is compared too, which tells what a type's name does not.
    pub(super) has_image: bool,
}

/// Compares count, order, names and types.
pub(super) fn compare(declared: &model::Kernel, cuda: &Kernel, setting: &Setting<'_>) -> Comparison {
    let mut comparison = Comparison::default();
    let subject = Subject { declared, cuda, setting };
    let own: Vec<&str> = declared.parameters.iter().map(|parameter| &*parameter.cuda_name).collect();
    let theirs: Vec<Option<&str>> =
        cuda.parameters.iter().filter(|parameter| !parameter.is_pack).map(|p| p.name.as_deref()).collect();
    if !cuda.is_complete {
        subject.incomplete(&mut comparison);
    }
    // What a list that is not complete holds stands at its beginning.
    let compared = if cuda.is_complete { own.len() } else { own.len().min(theirs.len()) };
    let pairing = pairing::of(&own[..compared], &theirs);
    comparison.lists_differ = cuda.is_complete && (pairing.is_reordered || own.len() != theirs.len());
    let same_count = compared == theirs.len();
    for pair in &pairing.pairs {
        // Beside a parameter too few or too many, only a name tells which one is meant.
        let is_certain = same_count || (pair.is_named_alike && theirs[pair.cuda].is_some());
        subject.parameter(pair, is_certain, &mut comparison);
    }
    if pairing.is_reordered {
        comparison.findings.extend(subject.order(&pairing));
    }
    if cuda.is_complete {
        comparison.findings.extend(pairing.extra.iter().map(|index| subject.extra(*index)));
        comparison.findings.extend(subject.missing(&pairing));
    }
    comparison
}

struct Subject<'a> {
    declared: &'a model::Kernel,
    cuda: &'a Kernel,
    setting: &'a Setting<'a>,
}

impl Subject<'_> {
    fn name(&self) -> &str {
        &self.declared.name
    }

    /// ` (file:line)` of the kernel.
    fn place(&self) -> String {
        let origin = self.cuda.origin.as_ref();
        origin.map(|origin| format!(" ({})", self.setting.places.origin(origin))).unwrap_or_default()
    }

    /// What the kernel takes, and where that is written.
    fn takes(&self, parameter: &Parameter) -> String {
        let origin = parameter.origin.as_ref().or(self.cuda.origin.as_ref());
        let place = origin.map(|origin| format!(" ({})", self.setting.places.origin(origin)));
        format!("`{}` takes `{}`{}", self.name(), shown(parameter), place.unwrap_or_default())
    }

    fn parameter(&self, pair: &pairing::Pair, is_certain: bool, comparison: &mut Comparison) {
        let own = &self.declared.parameters[pair.declared];
        let theirs = &self.cuda.parameters[pair.cuda];
        let mut add = |at: fn(usize) -> At, expected: String, instead: String| {
            let found = format!("parameter `{}` is declared {}", own.name, own.declared());
            comparison.findings.push(Finding { at: at(pair.declared), found, expected, instead });
        };
        let takes = self.takes(theirs);
        let verdict = match &theirs.ty {
            Some(ty) => verdict::of_parameter(&declared::of(&own.ty), ty, own.freedom),
            None if own.freedom.unchecked => Verdict::Agrees,
            None => Verdict::Undecided(self.why_unreadable()),
        };
        // Whatever the word stands for, it may make another type of it.
        let verdict = match &theirs.unknown_word {
            Some(word) if !own.freedom.unchecked && !self.is_told_by_image(own) => {
                Verdict::Undecided(format!("`{word}` is not defined in the files read"))
            }
            _ => verdict,
        };
        if let (false, Some(name)) = (pair.is_named_alike, &theirs.name) {
            let expected = format!("{takes} in its place");
            let rename = format!("write `#[name = \"{name}\"]` before it if it is the same");
            if own.cuda_name != own.name {
                let found = format!(
                    "parameter `{}` has `#[name = \"{}\"]`, its name in CUDA",
                    own.name, own.cuda_name
                );
                let instead =
                    format!("write `#[name = \"{name}\"]`, or leave it out for a name that is alike");
                let at = At::Name(pair.declared);
                return comparison.findings.push(Finding { at, found, expected, instead });
            }
            let instead = match (&verdict, theirs.ty.as_ref().and_then(rust_words::of_parameter)) {
                (Verdict::Differs, Some(word)) if is_certain => {
                    format!("declare `{name}` as {word}, or change the kernel")
                }
                _ => format!("rename it to `{name}`, or {rename}"),
            };
            return add(At::Name, expected, instead);
        }
        if !is_certain {
            return;
        }
        let word = theirs.ty.as_ref().and_then(rust_words::of_parameter);
        let write = word.map_or_else(|| "change the kernel".to_owned(), |word| format!("write {word} here"));
        match verdict {
            Verdict::Agrees => {}
            Verdict::Later(later) => {
                comparison.assertions.push(Assertion { parameter: pair.declared, later, expected: takes });
            }
            Verdict::Differs => {
                let untyped = [&own.written, &shown(theirs)].iter().any(|text| text.contains("void"));
                let other = if write.starts_with("change") || untyped {
                    "write `#[unchecked]` before the parameter to have its type taken as declared"
                } else {
                    "change the kernel"
                };
                add(At::Type, takes, format!("{write}, or {other}"));
            }
            Verdict::Mut => add(
                At::Type,
                format!("{takes}, which it only reads"),
                format!("{write}, or `#[allow_mut]` before the parameter"),
            ),
            Verdict::Const => add(
                At::Type,
                format!("{takes}, which it may write"),
                format!("{write}, or `#[assume_const]` before the parameter if the kernel only reads"),
            ),
            Verdict::OtherName => add(
                At::Type,
                format!("{takes}, and what this name stands for cannot be compared with it"),
                format!("{write}, or `#[unchecked]` before the parameter"),
            ),
            Verdict::Undecided(_) if self.is_told_by_image(own) => {}
            Verdict::Undecided(reason) => {
                let image = if self.setting.has_image { "" } else { "name the `image` that is loaded, " };
                let first = if theirs.ty.is_none() && theirs.unknown_word.is_none() {
                    "change the kernel, "
                } else {
                    "include its header with quotes or by `include(…)`, define what it needs in `defines(…)`, "
                };
                let instead =
                    format!("{first}{image}or write `#[unchecked]` before the parameter{}", self.notes());
                add(At::Type, format!("{takes}, and {reason}"), instead);
            }
        }
    }

    /// Whether there is an image, which tells the size and the kind of a value, but not what a pointer leads to.
    fn is_told_by_image(&self, own: &model::Parameter) -> bool {
        self.setting.has_image && !matches!(own.passing, model::Passing::Pointer { .. })
    }

    /// The first parameter that stands elsewhere in the kernel.
    fn order(&self, pairing: &Pairing) -> Option<Finding> {
        let pair = pairing.pairs.iter().find(|pair| pair.declared != pair.cuda)?;
        let name = &self.declared.parameters[pair.declared].name;
        let mut in_order: Vec<(usize, &str)> = pairing
            .pairs
            .iter()
            .map(|pair| (pair.cuda, &*self.declared.parameters[pair.declared].name))
            .collect();
        in_order.sort_unstable();
        let names: Vec<String> = in_order.iter().map(|(_, name)| format!("`{name}`")).collect();
        Some(Finding {
            at: At::Name(pair.declared),
            found: format!("parameter `{name}` is number {} of the declaration", pair.declared + 1),
            expected: format!("number {} of `{}`{}", pair.cuda + 1, self.name(), self.place()),
            instead: format!("declare them in the order {}", names.join(", ")),
        })
    }

    fn extra(&self, index: usize) -> Finding {
        let own = &self.declared.parameters[index];
        let count = self.cuda.parameters.len();
        let plural = if count == 1 { "parameter" } else { "parameters" };
        Finding {
            at: At::Name(index),
            found: format!("parameter `{}` is declared {}", own.name, own.declared()),
            expected: format!(
                "`{}` takes {count} {plural}, and none of this name{}",
                self.name(),
                self.place()
            ),
            instead: "remove it, or add it to the kernel".to_owned(),
        }
    }

    fn missing(&self, pairing: &Pairing) -> Option<Finding> {
        let first = *pairing.missing.first()?;
        let all: Vec<String> = pairing
            .missing
            .iter()
            .map(|index| format!("`{}`", shown(&self.cuda.parameters[*index])))
            .collect();
        let them = if all.len() == 1 { "it" } else { "them" };
        let theirs = &self.cuda.parameters[first];
        let place = theirs.origin.as_ref().or(self.cuda.origin.as_ref());
        let place = place.map(|origin| format!(" ({})", self.setting.places.origin(origin)));
        let name = theirs.name.clone().unwrap_or_else(|| format!("arg{first}"));
        let ty = theirs.ty.as_ref().and_then(rust_words::of_parameter);
        let plain = ty.filter(|ty| ty.starts_with('`')).map(|ty| format!(": {}", ty.trim_matches('`')));
        let before = pairing.pairs.iter().filter(|pair| pair.cuda < first).max_by_key(|pair| pair.cuda);
        let after = before.map_or_else(
            || "first".to_owned(),
            |pair| format!("after `{}`", self.declared.parameters[pair.declared].name),
        );
        Some(Finding {
            at: At::Kernel,
            found: format!("`{}` is declared without {}", self.name(), all.join(", ")),
            expected: format!("the kernel takes {them}{}", place.unwrap_or_default()),
            instead: format!("declare `{name}{}` {after}", plain.unwrap_or_default()),
        })
    }

    fn incomplete(&self, comparison: &mut Comparison) {
        if self.setting.has_image {
            return;
        }
        comparison.findings.push(Finding {
            at: At::Kernel,
            found: format!("the parameters of `{}` cannot all be read{}", self.name(), self.place()),
            expected: "the declaration has to agree with each".to_owned(),
            instead: format!("name the `image` that is loaded{}", self.notes()),
        });
    }

    fn why_unreadable(&self) -> String {
        let reason = self.cuda.notes.iter().find_map(|note| match &note.problem {
            Problem::Parameter { reason, .. } => Some(format!("it cannot be read: {reason}")),
            _ => None,
        });
        reason.unwrap_or_else(|| "it cannot be read".to_owned())
    }

    fn notes(&self) -> String {
        notes(self.setting.notes, &self.setting.places)
    }
}

/// What may be why something in the source is not known: conditions and heads that could not be read.
pub(in crate::kernel) fn notes(notes: &[Diagnostic], places: &Places<'_>) -> String {
    hiding(notes).take(2).map(|note| places.note(note)).collect()
}

/// The notes of what may hide a kernel, or what it takes.
pub(in crate::kernel) fn hiding(notes: &[Diagnostic]) -> impl Iterator<Item = &Diagnostic> {
    let matters = |note: &&Diagnostic| {
        matches!(
            note.problem,
            Problem::Condition { .. }
                | Problem::Directive { .. }
                | Problem::KernelHead { .. }
                | Problem::UnknownMacro { .. }
        )
    };
    notes.iter().filter(matters)
}

/// A parameter as it is in CUDA; what cannot be read, as it is written.
fn shown(parameter: &Parameter) -> String {
    match (&parameter.ty, &parameter.spelling) {
        (None, Some(spelling)) => spelling.clone(),
        _ => parameter.to_string(),
    }
}
