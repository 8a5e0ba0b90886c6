//! What a comparison finds, and where its error stands.

use crate::{kernel::model::Kernel, report::Report};

use super::{places::Places, verdict::Later};

/// What comparing one kernel with one file gives.
#[derive(Default)]
pub(super) struct Comparison {
    pub(super) findings: Vec<Finding>,
    /// What only the compiler can compare.
    pub(super) assertions: Vec<Assertion>,
    /// Whether the lists themselves differ, so that no parameter has a certain place in the other list.
    pub(super) lists_differ: bool,
    /// The symbol in the image, of a kernel that is declared by its name in C++.
    pub(super) symbol: Option<String>,
}

impl Comparison {
    /// Shows places as a user knows them.
    pub(super) fn shorten(&mut self, places: &Places<'_>) {
        let findings = self.findings.iter_mut().flat_map(|f| [&mut f.found, &mut f.expected, &mut f.instead]);
        for text in findings.chain(self.assertions.iter_mut().map(|assertion| &mut assertion.expected)) {
            *text = places.shorten(text);
        }
    }

    /// Whether a parameter is known to be wrong.
    pub(super) fn is_wrong(&self, parameter: usize) -> bool {
        self.findings.iter().any(|finding| finding.at.parameter() == Some(parameter))
    }
}

/// One disagreement, in the words of its error.
pub(super) struct Finding {
    pub(super) at: At,
    pub(super) found: String,
    pub(super) expected: String,
    pub(super) instead: String,
}

/// Under which tokens an error stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum At {
    /// The kernel's name.
    Kernel,
    /// Its name in the module, where that is written.
    Symbol,
    /// The name of the parameter of this index.
    Name(usize),
    /// Its type.
    Type(usize),
}

impl At {
    /// The parameter that is wrong, if it is one.
    pub(super) fn parameter(self) -> Option<usize> {
        match self {
            Self::Kernel | Self::Symbol => None,
            Self::Name(index) | Self::Type(index) => Some(index),
        }
    }
}

impl Finding {
    /// Reports it, unless a `#[cfg]` removes the kernel.
    pub(super) fn report(&self, kernel: &Kernel, report: &mut Report) {
        let Self { at, found, expected, instead } = self;
        let conditions = &kernel.forwarded.conditions;
        match *at {
            At::Kernel => report.error_if(conditions, &kernel.ident, found, expected, instead),
            At::Symbol => report.error_if(conditions, &kernel.symbol, found, expected, instead),
            At::Name(index) => {
                report.error_if(conditions, &kernel.parameters[index].ident, found, expected, instead);
            }
            At::Type(index) => {
                report.error_if(conditions, &kernel.parameters[index].ty, found, expected, instead);
            }
        }
    }
}

/// A comparison that the compiler makes.
pub(super) struct Assertion {
    pub(super) parameter: usize,
    pub(super) later: Later,
    /// What the kernel takes, and where that is written.
    pub(super) expected: String,
}
