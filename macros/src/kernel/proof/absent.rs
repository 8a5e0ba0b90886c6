//! A declared kernel that a file does not have: why, as far as it can be told, and which there are.

use warpcall_signature::Module;

use super::{
    finding::{At, Finding},
    listed::listed,
    places::Places,
    source,
};
use crate::kernel::model;

/// Why a source does not have a kernel that stands in it.
pub(in crate::kernel) struct Hidden {
    pub(in crate::kernel) reason: String,
    pub(in crate::kernel) instead: String,
}

/// The condition that hides a kernel of this name, if one does.
pub(in crate::kernel) fn hidden(source: &Module, name: &str, places: &Places<'_>) -> Option<Hidden> {
    let hidden = source.hidden.iter().find(|hidden| hidden.name == name)?;
    let reason = format!(
        "it stands under `{}` ({}), which does not hold",
        hidden.condition,
        places.position(&hidden.condition_position)
    );
    let instead = match &hidden.define {
        Some(name) => format!("write `defines(\"{name}\")` in the attribute"),
        None => "define what the condition asks for in `defines(…)`".to_owned(),
    };
    Some(Hidden { reason, instead })
}

/// The source has no kernel of the declared name.
pub(super) fn from_source(
    kernel: &model::Kernel,
    source: &Module,
    path: &str,
    places: &Places<'_>,
) -> Finding {
    let names = source.kernels.iter().map(|kernel| &**kernel.symbol.as_ref().unwrap_or(&kernel.name));
    let finding = from_file(kernel, path, names, &source::notes(&source.notes, places));
    match hidden(source, &kernel.symbol.value(), places) {
        Some(Hidden { reason, instead }) => Finding { expected: reason, instead, ..finding },
        None => finding,
    }
}

/// There is no kernel of the declared name.
pub(super) fn from_file<'n>(
    kernel: &model::Kernel,
    file: &str,
    names: impl Iterator<Item = &'n str>,
    notes: &str,
) -> Finding {
    let symbol = kernel.symbol.value();
    let listed = listed(names, &symbol);
    let (found, at) = if symbol == kernel.name {
        (format!("kernel `{symbol}` is declared"), At::Kernel)
    } else {
        (format!("kernel `{}` is declared with the name `{symbol}`", kernel.name), At::Symbol)
    };
    let instead = match listed {
        Some(names) => names,
        None => "there is no kernel that can be read; define what it needs in `defines(…)`, or name the folders of its headers in `include(…)`".to_owned(),
    };
    Finding { at, found, expected: format!("{file} has no kernel of this name"), instead: instead + notes }
}
