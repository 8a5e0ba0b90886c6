//! `only("a", "b")` and `skip("a")`: which kernels of the file are bound.

use syn::LitStr;
use warpcall_signature::{Module, rust::Candidate};

use super::not_bound::Unbound;
use crate::{
    kernel::{
        declaration::Options,
        proof::{Hidden, Places, hidden, listed},
    },
    report::Report,
};

/// Takes out the kernels that the attribute leaves out, and gives their names.
pub(super) fn apply(
    candidates: &mut Vec<Candidate>,
    options: &Options,
    file: &str,
    source: Option<(&Module, &Places<'_>)>,
    report: &mut Report,
) -> Vec<String> {
    let Options { only, skip, .. } = options;
    if let (Some(_), Some(first)) = (only.first(), skip.first()) {
        let expected = "`only` has said which kernels are bound";
        report.error(first, "`skip` is given beside `only`", expected, "remove one of the two");
    }
    for (key, name) in only.iter().map(|name| ("only", name)).chain(skip.iter().map(|name| ("skip", name))) {
        if !candidates.iter().any(|candidate| candidate.is_called(&name.value())) {
            let hidden = source.and_then(|(source, places)| hidden(source, &name.value(), places));
            unknown(key, name, candidates, file, hidden, report);
        }
    }
    let is_named =
        |list: &[LitStr], candidate: &Candidate| list.iter().any(|name| candidate.is_called(&name.value()));
    let mut left_out = Vec::new();
    candidates.retain(|candidate| {
        let stays = if only.is_empty() { !is_named(skip, candidate) } else { is_named(only, candidate) };
        if !stays {
            left_out.push(candidate.shown());
        }
        stays
    });
    left_out
}

/// Reports the kernels that `only` names and that cannot be bound.
pub(super) fn asks_in_vain(options: &Options, unbound: &[Unbound<'_>], report: &mut Report) {
    for name in &options.only {
        for Unbound { candidate, place, reason, .. } in unbound {
            if candidate.is_called(&name.value()) {
                let found = format!("`only` asks for {}{place}", name.token());
                report.error(name, found, reason, "remove it there");
            }
        }
    }
}

fn unknown(
    key: &str,
    name: &LitStr,
    candidates: &[Candidate],
    file: &str,
    hidden: Option<Hidden>,
    report: &mut Report,
) {
    let names: Vec<String> = candidates.iter().map(Candidate::shown).collect();
    let found = format!("`{key}` names {}", name.token());
    if let Some(Hidden { reason, instead }) = hidden {
        return report.error(name, found, reason, instead);
    }
    let instead = listed(names.iter().map(String::as_str), &name.value());
    report.error(
        name,
        found,
        format!("{file} has no kernel of this name"),
        instead.unwrap_or_else(|| "remove it".to_owned()),
    );
}
