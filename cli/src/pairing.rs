//! Which kernel of one image is which of another.

use warpcall_signature::{Kernel, Template, compare};

/// The kernels of two lists, by their indices.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Pairing {
    /// In the order of the first list. A template is there once for each of its instances.
    pub(crate) pairs: Vec<(usize, usize)>,
    /// Those of the first list that have none beside them.
    pub(crate) only_left: Vec<usize>,
    /// Those of the second list that have none beside them.
    pub(crate) only_right: Vec<usize>,
}

/// Pairs kernels of one symbol, and then those of one name: the symbol of a C++ kernel is not known from source, and
/// changes with its parameters.
pub(crate) fn of(left: &[Kernel], right: &[Kernel]) -> Pairing {
    let mut pairs = Vec::new();
    let mut used = (vec![false; left.len()], vec![false; right.len()]);
    for (l, kernel) in left.iter().enumerate() {
        let same = |other: &Kernel| kernel.symbol.is_some() && other.symbol == kernel.symbol;
        if let Some(r) = right.iter().position(same) {
            pairs.push((l, r));
            (used.0[l], used.1[r]) = (true, true);
        }
    }
    // Overloads have one name: those that differ least belong together, and of those alike the first.
    let mut named = Vec::new();
    for (l, kernel) in left.iter().enumerate().filter(|(l, _)| !used.0[*l]) {
        for (r, other) in right.iter().enumerate().filter(|(r, _)| !used.1[*r]) {
            if may_be_one(kernel, other) {
                named.push((compare(kernel, other).len(), l, r));
            }
        }
    }
    named.sort_unstable();
    for (_, l, r) in named {
        // A template stands beside all of its instances.
        let free_left = !used.0[l] || left[l].is_template() && !used.1[r];
        let free_right = !used.1[r] || right[r].is_template() && !used.0[l];
        if free_left && free_right {
            pairs.push((l, r));
            (used.0[l], used.1[r]) = (true, true);
        }
    }
    pairs.sort_unstable();
    let unused = |used: &[bool]| (0..used.len()).filter(|index| !used[*index]).collect();
    Pairing { pairs, only_left: unused(&used.0), only_right: unused(&used.1) }
}

fn may_be_one(left: &Kernel, right: &Kernel) -> bool {
    let arguments = |kernel: &Kernel| match &kernel.template {
        Template::Instance { arguments } => {
            Some(arguments.chars().filter(|letter| !letter.is_whitespace()).collect::<String>())
        }
        _ => None,
    };
    let is_instance = match (arguments(left), arguments(right)) {
        (Some(left), Some(right)) => left == right,
        (None, None) => true,
        (Some(_), None) => right.is_template(),
        (None, Some(_)) => left.is_template(),
    };
    left.name == right.name && path(left).eq(path(right)) && is_instance
}

/// The namespaces that have a name; the compiler makes one up for what is local to a file.
fn path(kernel: &Kernel) -> impl Iterator<Item = &str> {
    let named = |part: &&str| !part.is_empty() && !part.starts_with("_INTERNAL_");
    kernel.namespace.iter().map(String::as_str).filter(named)
}
