//! A declaration against the loaded kernel: where the two lay their parameters, and which one differs.

use std::fmt::Write as _;

use super::parameters::{LoadedClass, LoadedParameter};
use crate::argument::ParameterKind;
use crate::error::{Error, Result};
use crate::launch::Parameter;

/// The constant bank's parameters start at a multiple of this, on every architecture. Up to here an
/// alignment pins an offset; beyond, the offset depends on where in the bank the parameters start.
const PINNED_ALIGNMENT: usize = 16;
/// A tensor map is aligned to 64 bytes in CUDA 12's headers and to 128 in CUDA 13's.
const TENSOR_MAP_ALIGNMENTS: [usize; 2] = [64, 128];

/// Refuses a declaration that is not the loaded kernel's.
///
/// # Errors
///
/// [`Error::Declaration`], with the first parameter that differs. Where the numbers of parameters differ, that is the
/// one that is missing or too many in the alignment of both lists with the fewest differences.
pub(super) fn check(kernel: &str, declared: &[Parameter], loaded: &[LoadedParameter]) -> Result<()> {
    let difference = if declared.len() == loaded.len() {
        first_difference(declared, loaded)
    } else {
        Some(first_edit(declared, loaded))
    };
    match difference {
        None => Ok(()),
        Some(difference) => Err(difference.error(kernel, declared, loaded)),
    }
}

/// Where a declaration and a kernel part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Difference {
    /// The parameter is declared otherwise than it was loaded.
    Other { index: usize, what: What },
    /// `declared` has no counterpart.
    TooMany { declared: usize },
    /// `loaded`, which would stand before the declared parameter `before`, is not declared.
    Missing { loaded: usize, before: usize },
}

/// In what two parameters differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    Size,
    Offset,
    Alignment,
    Class,
}

fn first_difference(declared: &[Parameter], loaded: &[LoadedParameter]) -> Option<Difference> {
    let mut end = 0;
    for (index, (declared, loaded)) in declared.iter().zip(loaded).enumerate() {
        let what = if declared.size() != loaded.size {
            Some(What::Size)
        } else if loaded.offset.is_some_and(|offset| !offset_fits(declared, end, offset)) {
            Some(What::Offset)
        } else if loaded.align.is_some_and(|align| !alignment_fits(declared, align)) {
            Some(What::Alignment)
        } else if !class_fits(declared, loaded.class) {
            Some(What::Class)
        } else {
            None
        };
        if let Some(what) = what {
            return Some(Difference::Other { index, what });
        }
        end = loaded.offset.map_or(0, |offset| offset + loaded.size);
    }
    None
}

/// Whether a parameter may start at `offset` where the one before ends at `end`.
fn offset_fits(declared: &Parameter, end: usize, offset: usize) -> bool {
    let align = match declared.kind() {
        ParameterKind::TensorMap => TENSOR_MAP_ALIGNMENTS[1],
        _ => declared.align(),
    };
    let pinned = align.min(PINNED_ALIGNMENT);
    offset >= end && offset - end < align && offset.is_multiple_of(pinned)
}

fn alignment_fits(declared: &Parameter, align: usize) -> bool {
    match declared.kind() {
        ParameterKind::TensorMap => TENSOR_MAP_ALIGNMENTS.contains(&align),
        _ => declared.align() == align,
    }
}

/// Whether a declared parameter can be of this kind. Only integers and floating-point numbers of 32 and 64 bits are
/// told apart: a struct of one number is bytes in PTX, and its bytes are the number's.
fn class_fits(declared: &Parameter, loaded: LoadedClass) -> bool {
    match (declared.kind(), loaded) {
        (ParameterKind::Float, LoadedClass::Integer) => declared.size() < 4,
        (
            ParameterKind::Pointer { .. }
            | ParameterKind::Bool
            | ParameterKind::Signed
            | ParameterKind::Unsigned,
            LoadedClass::Float,
        ) => false,
        _ => true,
    }
}

/// The first edit of the shortest sequence of edits that makes the declaration the kernel's. The two differ in length.
fn first_edit(declared: &[Parameter], loaded: &[LoadedParameter]) -> Difference {
    let (rows, columns) = (declared.len() + 1, loaded.len() + 1);
    let fits = |row: usize, column: usize| {
        declared[row].size() == loaded[column].size && class_fits(&declared[row], loaded[column].class)
    };
    // `cost[row][column]`: the edits that make the declarations from `row` on the parameters from `column` on.
    let mut cost = vec![vec![0_usize; columns]; rows];
    for row in (0..rows).rev() {
        for column in (0..columns).rev() {
            cost[row][column] = match (declared.len() - row, loaded.len() - column) {
                (left, 0) | (0, left) => left,
                _ => (cost[row + 1][column + 1] + usize::from(!fits(row, column)))
                    .min(cost[row + 1][column] + 1)
                    .min(cost[row][column + 1] + 1),
            };
        }
    }
    let (mut row, mut column) = (0, 0);
    // Along equal parameters as far as that costs nothing; the lists differ in length, so an edit comes.
    while row < declared.len()
        && column < loaded.len()
        && fits(row, column)
        && cost[row][column] == cost[row + 1][column + 1]
    {
        (row, column) = (row + 1, column + 1);
    }
    let here = cost[row][column];
    if column < loaded.len() && here == cost[row][column + 1] + 1 {
        Difference::Missing { loaded: column, before: row }
    } else if row < declared.len() && here == cost[row + 1][column] + 1 {
        Difference::TooMany { declared: row }
    } else {
        Difference::Other { index: row, what: What::Size }
    }
}

impl Difference {
    #[cold]
    fn error(self, kernel: &str, declared: &[Parameter], loaded: &[LoadedParameter]) -> Error {
        let (parameter, declared_as, loaded_as) = match self {
            Self::Other { index, what } => {
                let (ours, theirs) = (&declared[index], &loaded[index]);
                let (declared_as, loaded_as) = words(what, ours, theirs);
                (ours.name().to_owned(), declared_as, loaded_as)
            }
            Self::TooMany { declared: index } => {
                let ours = &declared[index];
                let count = loaded.len();
                (
                    ours.name().to_owned(),
                    format!("`{}` ({} bytes)", ours.rust_type(), ours.size()),
                    format!("no such parameter: it has {count}, and {} are declared", declared.len()),
                )
            }
            Self::Missing { loaded: index, before } => {
                let place = match (before.checked_sub(1).map(|i| declared[i].name()), declared.get(before)) {
                    (_, Some(next)) => format!("before `{}`", next.name()),
                    (Some(last), None) => format!("after `{last}`"),
                    (None, None) => "the first".to_owned(),
                };
                (
                    format!("#{index} ({place})"),
                    "nowhere".to_owned(),
                    format!("{} there; declare it", described(&loaded[index])),
                )
            }
        };
        Error::Declaration {
            kernel: kernel.into(),
            parameter: parameter.into(),
            declared: declared_as.into(),
            loaded: loaded_as.into(),
            detail: side_by_side(self, declared, loaded).into(),
        }
    }
}

/// Both sides of a difference: what is declared, and what was loaded.
fn words(what: What, declared: &Parameter, loaded: &LoadedParameter) -> (String, String) {
    let ours = |rest: String| format!("`{}` ({rest})", declared.rust_type());
    match what {
        What::Offset => (
            ours(format!("{} bytes aligned to {}", declared.size(), declared.align())),
            format!("{}, where that alignment does not put it", described(loaded)),
        ),
        What::Alignment => (
            ours(format!("aligned to {}", declared.align())),
            format!("one aligned to {}", loaded.align.unwrap_or_default()),
        ),
        What::Size | What::Class => (ours(format!("{} bytes", declared.size())), described(loaded)),
    }
}

fn described(loaded: &LoadedParameter) -> String {
    let mut text = format!("{} bytes", loaded.size);
    if let Some(offset) = loaded.offset {
        let _ = write!(text, " at offset {offset}");
    }
    match loaded.class {
        LoadedClass::Integer => text.push_str(" of an integer or a pointer"),
        LoadedClass::Float => text.push_str(" of a floating-point number"),
        LoadedClass::Bytes | LoadedClass::Unknown => {}
    }
    text
}

/// One line a parameter: what is declared on the left, what was loaded on the right, and a mark at the difference.
fn side_by_side(difference: Difference, declared: &[Parameter], loaded: &[LoadedParameter]) -> String {
    let left: Vec<String> = declared
        .iter()
        .map(|parameter| {
            let (size, align) = (parameter.size(), parameter.align());
            format!("{}: {}, {size} bytes aligned to {align}", parameter.name(), parameter.rust_type())
        })
        .collect();
    let right: Vec<String> = loaded.iter().map(described).collect();
    // A list that lacks a parameter has a gap where it would stand, so that what belongs together is on one line.
    let (left_gap, right_gap, marked) = match difference {
        Difference::Other { index, .. } => (None, None, index),
        Difference::TooMany { declared } => (None, Some(declared), declared),
        Difference::Missing { before, .. } => (Some(before), None, before),
    };
    let width = left.iter().map(String::len).max().unwrap_or(0).max("declared".len());
    let mut text = format!("\n    {:width$} | loaded", "declared");
    let lines =
        (left.len() + usize::from(left_gap.is_some())).max(right.len() + usize::from(right_gap.is_some()));
    for line in 0..lines {
        let cell = |cells: &[String], gap: Option<usize>| match gap {
            Some(gap) if line == gap => String::from("-"),
            Some(gap) if line > gap => cells.get(line - 1).cloned().unwrap_or_default(),
            _ => cells.get(line).cloned().unwrap_or_default(),
        };
        let mark = if line == marked { '>' } else { ' ' };
        let _ = write!(text, "\n  {mark} {:width$} | {}", cell(&left, left_gap), cell(&right, right_gap));
    }
    text
}

#[cfg(test)]
#[path = "tests/layout.rs"]
mod tests;
