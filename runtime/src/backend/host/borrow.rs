use std::cell::RefCell;
use std::ops::Range;

use super::memory::overlap;

/// What one host function has taken of the memory while it runs, and how.
///
/// Rust's rule for references, kept at run time: cells beside cells, readers beside readers, and an
/// exclusive one beside nothing.
#[derive(Debug, Default)]
pub(super) struct Borrows(RefCell<Vec<Borrow>>);

#[derive(Clone, Debug)]
pub(super) struct Borrow {
    /// The device addresses.
    pub(super) addresses: Range<u64>,
    pub(super) access: Access,
    /// The index of the parameter that it came by; `None` for a pointer out of a table.
    pub(super) parameter: Option<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    /// `&mut [T]`.
    Exclusive,
    /// `&[T]`.
    Shared,
    /// `&[Cell<T>]`.
    Cells,
}

impl Borrows {
    /// Notes the borrow, or returns one that stands against it.
    pub(super) fn take(&self, borrow: Borrow) -> Result<(), Borrow> {
        if let Some(other) = self.against(&borrow.addresses, borrow.access) {
            return Err(other);
        }
        self.0.borrow_mut().push(borrow);
        Ok(())
    }

    /// An exclusive borrow of one of these addresses, which then must not even be read in another way.
    pub(super) fn exclusive(&self, addresses: &Range<u64>) -> Option<Borrow> {
        let taken = self.0.borrow();
        let found = taken
            .iter()
            .find(|other| other.access == Access::Exclusive && overlap(&other.addresses, addresses));
        found.cloned()
    }

    /// A borrow that stands against an access to these addresses.
    fn against(&self, addresses: &Range<u64>, access: Access) -> Option<Borrow> {
        let taken = self.0.borrow();
        taken
            .iter()
            .find(|other| {
                overlap(&other.addresses, addresses)
                    && (other.access != access || access == Access::Exclusive)
            })
            .cloned()
    }
}
