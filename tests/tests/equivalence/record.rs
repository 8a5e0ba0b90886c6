//! What the generated host functions note of each call.

use std::cell::Cell;

use warpcall::{HostLaunch, LaunchConfig, TensorMap};

use super::{Bits, kept};

/// One call of a host function.
pub(crate) struct Record {
    /// The bits of each argument; `None` for a nullable pointer that was not given.
    pub(crate) arguments: Vec<Option<Vec<u8>>>,
    /// The configuration, where the function asked to see the launch.
    pub(crate) config: Option<LaunchConfig>,
}

impl Record {
    pub(crate) fn new() -> Self {
        Self { arguments: Vec::new(), config: None }
    }

    pub(crate) fn launch(&mut self, launch: &HostLaunch<'_>) {
        self.config = Some(*launch.config());
    }

    pub(crate) fn value(&mut self, value: &impl Bits) {
        let mut bits = Vec::new();
        value.bits(&mut bits);
        self.arguments.push(Some(bits));
    }

    pub(crate) fn tensor_map(&mut self, map: &TensorMap) {
        self.value(map.slots());
    }

    pub(crate) fn null(&mut self) {
        self.arguments.push(None);
    }

    pub(crate) fn slice<T: Bits>(&mut self, elements: &[T]) {
        let mut bits = Vec::new();
        for element in elements {
            element.bits(&mut bits);
        }
        self.arguments.push(Some(bits));
    }

    pub(crate) fn slice_mut<T: Bits>(&mut self, elements: &mut [T]) {
        self.slice(elements);
        elements.reverse();
    }

    pub(crate) fn cells<T: Bits + Copy>(&mut self, elements: &[Cell<T>]) {
        let elements: Vec<T> = elements.iter().map(Cell::get).collect();
        self.slice(&elements);
    }

    pub(crate) fn cells_mut<T: Bits + Copy>(&mut self, elements: &[Cell<T>]) {
        self.cells(elements);
        let last = elements.len() - 1;
        (0..elements.len() / 2).for_each(|place| elements[place].swap(&elements[last - place]));
    }

    /// Leaves the record for the test to look at.
    pub(crate) fn keep(self) {
        kept().push(self);
    }
}
