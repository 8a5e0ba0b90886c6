//! Which declared parameter is which of the kernel's: by their names, as far as there are any.

use std::collections::HashSet;

/// The parameters of a declaration beside those of the kernel, by their indices.
pub(super) struct Pairing {
    pub(super) pairs: Vec<Pair>,
    /// Declared, but the kernel has none such.
    pub(super) extra: Vec<usize>,
    /// Of the kernel, but not declared.
    pub(super) missing: Vec<usize>,
    /// Whether the names are the same in another order; the pairs are those of one name.
    pub(super) is_reordered: bool,
}

pub(super) struct Pair {
    pub(super) declared: usize,
    pub(super) cuda: usize,
    /// Whether the names agree, or the kernel's has none.
    pub(super) is_named_alike: bool,
}

/// Pairs the names of a declaration with those of a kernel.
pub(super) fn of(declared: &[&str], cuda: &[Option<&str>]) -> Pairing {
    let names = Names::new(declared, cuda);
    if declared.len() != cuda.len() {
        return aligned(declared, cuda, &names);
    }
    let count = declared.len();
    let in_place = (0..count).all(|index| names.agree(declared[index], cuda[index]));
    let by_name: Option<Vec<usize>> = if in_place {
        None
    } else {
        let place = |name: &&str| cuda.iter().position(|other| other.is_some() && names.agree(name, *other));
        declared.iter().map(place).collect()
    };
    // Each of the kernel's once.
    let by_name = by_name.filter(|places| places.iter().collect::<HashSet<_>>().len() == count);
    let pairs = (0..count).map(|index| {
        let other = by_name.as_ref().map_or(index, |places| places[index]);
        Pair { declared: index, cuda: other, is_named_alike: names.agree(declared[index], cuda[other]) }
    });
    Pairing {
        pairs: pairs.collect(),
        extra: Vec::new(),
        missing: Vec::new(),
        is_reordered: by_name.is_some(),
    }
}

/// Pairs lists of different lengths so that as many names as possible agree.
fn aligned(declared: &[&str], cuda: &[Option<&str>], names: &Names) -> Pairing {
    let (rows, columns) = (declared.len(), cuda.len());
    let mut longest = vec![vec![0_usize; columns + 1]; rows + 1];
    for row in (0..rows).rev() {
        for column in (0..columns).rev() {
            longest[row][column] = if names.agree(declared[row], cuda[column]) {
                longest[row + 1][column + 1] + 1
            } else {
                longest[row + 1][column].max(longest[row][column + 1])
            };
        }
    }
    let mut pairing =
        Pairing { pairs: Vec::new(), extra: Vec::new(), missing: Vec::new(), is_reordered: false };
    let (mut row, mut column) = (0, 0);
    // Those since the last pair, which may be one parameter that was renamed.
    let (mut rows_between, mut columns_between) = (Vec::new(), Vec::new());
    loop {
        let is_end = row == rows || column == columns;
        if is_end {
            rows_between.extend(row..rows);
            columns_between.extend(column..columns);
        }
        let is_pair = !is_end && names.agree(declared[row], cuda[column]);
        if is_end || is_pair {
            between(&mut rows_between, &mut columns_between, &mut pairing);
        }
        if is_end {
            return pairing;
        }
        if is_pair {
            pairing.pairs.push(Pair { declared: row, cuda: column, is_named_alike: true });
            row += 1;
            column += 1;
        } else if longest[row + 1][column] >= longest[row][column + 1] {
            rows_between.push(row);
            row += 1;
        } else {
            columns_between.push(column);
            column += 1;
        }
    }
}

fn between(rows: &mut Vec<usize>, columns: &mut Vec<usize>, pairing: &mut Pairing) {
    let both = rows.len().min(columns.len());
    for (declared, cuda) in rows.drain(..both).zip(columns.drain(..both)) {
        pairing.pairs.push(Pair { declared, cuda, is_named_alike: false });
    }
    pairing.extra.append(rows);
    pairing.missing.append(columns);
}

/// How the names of one kernel are compared.
struct Names {
    /// Whether case and underscores count, because names differ in nothing else.
    exact: bool,
}

impl Names {
    fn new(declared: &[&str], cuda: &[Option<&str>]) -> Self {
        let mut seen = HashSet::new();
        let of_cuda = cuda.iter().flatten().all(|name| seen.insert(plain(name)));
        seen.clear();
        let of_rust = declared.iter().all(|name| seen.insert(plain(name)));
        Self { exact: !(of_cuda && of_rust) }
    }

    fn agree(&self, declared: &str, cuda: Option<&str>) -> bool {
        cuda.is_none_or(|cuda| declared == cuda || (!self.exact && plain(declared) == plain(cuda)))
    }
}

/// A name without what Rust and C++ write differently: `blockRows`, `block_rows`, `block_rows_`.
fn plain(name: &str) -> String {
    name.chars().filter(|letter| *letter != '_').map(|letter| letter.to_ascii_lowercase()).collect()
}
