//! Names that two items would have.

use std::collections::HashMap;

use syn::{Ident, ext::IdentExt};
use warpcall_signature::Kernel;

use super::{body::Body, not_bound::place};
use crate::{
    kernel::{names, proof::Places},
    report::Report,
};

/// Reports kernels whose items another kernel or the module's body has already; false for each that is one.
pub(super) fn refuse(
    kernels: &[(Ident, &Kernel)],
    body: &Body,
    places: &Places<'_>,
    report: &mut Report,
) -> Vec<bool> {
    let mut seen: HashMap<Ident, &Kernel> = HashMap::new();
    let mut fits = Vec::new();
    for (ident, kernel) in kernels {
        let (launch, item) = (names::launch(ident), names::item(ident));
        let own = format!("`{}`{}", kernel.expression(), place(kernel, places));
        let skip = |kernel: &Kernel| {
            let name = kernel.symbol.as_deref().unwrap_or(&kernel.name);
            format!("write `skip({name:?})`, and declare it in an `extern \"C\"` block under another name")
        };
        if let Some(taken) = [&launch, &item].into_iter().find_map(|name| body.scope.value_named(name)) {
            report.error(
                taken,
                format!("`{}` is an item of the module", taken.unraw()),
                format!("it is generated for the kernel {own}"),
                format!("rename the item, or {}", skip(kernel)),
            );
            fits.push(false);
            continue;
        }
        let first = seen.entry(item.clone()).or_insert(kernel);
        let is_first = std::ptr::eq(*first, *kernel);
        if !is_first {
            report.error(
                &body.ident,
                format!(
                    "the kernels `{}`{} and {own} both make a static `{item}`",
                    first.expression(),
                    place(first, places)
                ),
                "each kernel of a module has one of its own",
                skip(kernel),
            );
        }
        fits.push(is_first);
    }
    fits
}
