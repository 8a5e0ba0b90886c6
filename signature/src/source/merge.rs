//! One kernel declared several times: a declaration ahead, the definition, an overload.

use super::unit::Unit;
use crate::{Diagnostic, Kernel, Linkage, Problem};

impl Unit {
    /// Adds a kernel, or what is new about it to the one that is there.
    pub(super) fn add_kernel(&mut self, kernel: Kernel) {
        self.declare_kernel(&kernel);
        let same_name = |k: &Kernel| {
            let c = k.linkage == Linkage::C && kernel.linkage == Linkage::C;
            k.name == kernel.name
                && (c || k.namespace == kernel.namespace)
                && k.is_template() == kernel.is_template()
                && !matches!(kernel.template, crate::Template::Instance { .. })
        };
        let places = self.places_of_kernels.entry(kernel.name.clone()).or_default();
        let mut alike = places.iter().copied();
        let known =
            alike.find(|at| same_name(&self.kernels[*at]) && same_parameters(&self.kernels[*at], &kernel));
        if let Some(known) = known {
            let first = std::mem::replace(&mut self.kernels[known], Kernel::named(""));
            self.kernels[known] = merge(first, kernel);
            return;
        }
        // C++ has overloads; C linkage has none.
        let mut alike = places.iter().map(|at| &self.kernels[*at]);
        let clash = alike.find(|k| same_name(k) && k.symbol.is_some() && kernel.symbol.is_some());
        if let Some(first) = clash.and_then(|k| k.origin.as_ref()) {
            let problem = Problem::Redeclared { name: kernel.name.clone(), first: first.position.clone() };
            let note = Diagnostic { problem, position: kernel.origin.as_ref().map(|o| o.position.clone()) };
            self.notes.push(note);
        }
        places.push(self.kernels.len());
        self.kernels.push(kernel);
    }
}

pub(super) fn same_parameters(a: &Kernel, b: &Kernel) -> bool {
    a.parameters.len() == b.parameters.len()
        && a.parameters.iter().zip(&b.parameters).all(|(x, y)| match (&x.ty, &y.ty) {
            (Some(x), Some(y)) if x.is_dependent() || y.is_dependent() => x == y,
            (Some(x), Some(y)) => x.agrees_with(y) != Some(false),
            _ => true,
        })
}

/// The definition wins; what only the declaration says is kept.
pub(super) fn merge(first: Kernel, second: Kernel) -> Kernel {
    let (mut kept, other) =
        if second.is_defined && !first.is_defined { (second, first) } else { (first, second) };
    for (mine, theirs) in kept.parameters.iter_mut().zip(other.parameters) {
        mine.default = mine.default.take().or(theirs.default);
        mine.name = mine.name.take().or(theirs.name);
        mine.unknown_word = mine.unknown_word.take().or(theirs.unknown_word);
        mine.is_restrict |= theirs.is_restrict;
        mine.is_grid_constant |= theirs.is_grid_constant;
    }
    // C linkage and `static` hold for all declarations once one has them.
    if other.linkage == Linkage::C {
        kept.linkage = Linkage::C;
    }
    kept.is_static |= other.is_static;
    kept.symbol = kept.symbol.or(other.symbol).filter(|_| !kept.is_static);
    kept.doc = kept.doc.or(other.doc);
    let (mine, theirs) = (&mut kept.bounds, other.bounds);
    mine.max_threads_per_block = mine.max_threads_per_block.take().or(theirs.max_threads_per_block);
    mine.min_blocks_per_multiprocessor =
        mine.min_blocks_per_multiprocessor.take().or(theirs.min_blocks_per_multiprocessor);
    mine.max_blocks_per_cluster = mine.max_blocks_per_cluster.take().or(theirs.max_blocks_per_cluster);
    mine.required_block = mine.required_block.take().or(theirs.required_block);
    mine.cluster_dimensions = mine.cluster_dimensions.take().or(theirs.cluster_dimensions);
    mine.max_registers = mine.max_registers.take().or(theirs.max_registers);
    if let (crate::Template::Primary { instances, .. }, crate::Template::Primary { instances: more, .. }) =
        (&mut kept.template, other.template)
    {
        instances.extend(more);
    }
    kept
}
