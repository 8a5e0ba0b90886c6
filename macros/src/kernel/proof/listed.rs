//! Naming the kernels that there are, for one that is not.

/// Most names that a message lists.
const MOST_NAMES: usize = 8;

/// Which kernels there are, those most like `wanted` first; `None` where there are none.
pub(in crate::kernel) fn listed<'a>(names: impl Iterator<Item = &'a str>, wanted: &str) -> Option<String> {
    let mut names: Vec<&str> = names.collect();
    names.sort_by_cached_key(|name| (strsim::levenshtein(name, wanted), (*name).to_owned()));
    names.dedup();
    if names.is_empty() {
        return None;
    }
    let shown: Vec<String> = names.iter().take(MOST_NAMES).map(|name| format!("`{name}`")).collect();
    let more = names.len() - shown.len();
    let rest = if more == 0 { String::new() } else { format!(" and {more} more") };
    let there = if names.len() == 1 { "there is" } else { "there are" };
    Some(format!("{there} {}{rest}", shown.join(", ")))
}
