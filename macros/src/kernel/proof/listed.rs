//! Naming the kernels that there are, for one that is not.

/// Most names that a message lists.
const MOST_NAMES: usize = 8;

/// Which kernels there are, those most like `wanted` first; `None` where there are none.
pub(in crate::kernel) fn listed<'a>(names: impl Iterator<Item = &'a str>, wanted: &str) -> Option<String> {
    let mut names: Vec<&str> = names.collect();
    names.sort_by_cached_key(|name| (distance(name, wanted), (*name).to_owned()));
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

/// How many letters have to be changed, added or removed to make one name of the other.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, letter) in a.chars().enumerate() {
        let mut corner = row[0];
        row[0] = i + 1;
        for (j, other) in b.iter().enumerate() {
            let changed = corner + usize::from(letter != *other);
            corner = row[j + 1];
            row[j + 1] = changed.min(row[j] + 1).min(corner + 1);
        }
    }
    row[b.len()]
}
