//! Finding the declared kernel among those of a file.

use warpcall_signature::{Kernel, Linkage, Module, Type, kernel_of_symbol};

/// What looking for a kernel gives.
pub(in crate::kernel) enum Lookup<'a> {
    Found(&'a Kernel),
    /// An instance of a template.
    Instance(Box<Kernel>),
    /// It is there, but its name in the module is a mangled one, which the declaration does not say.
    Mangled(&'a Kernel),
    /// The symbol is of the kernel's name, but of other parameters.
    OtherTypes(&'a Kernel),
    Absent,
}

/// The kernel of the source whose name in the module is `symbol`.
pub(in crate::kernel) fn in_source<'a>(module: &'a Module, symbol: &str) -> Lookup<'a> {
    if let Some(kernel) = module.kernels.iter().find(|kernel| kernel.symbol.as_deref() == Some(symbol)) {
        return Lookup::Found(kernel);
    }
    let (of_symbol, types) = kernel_of_symbol(symbol);
    let named: Vec<&Kernel> = module
        .kernels
        .iter()
        .filter(|kernel| kernel.symbol.is_none())
        .filter(|kernel| kernel.name == of_symbol.name && kernel.namespace == of_symbol.namespace)
        .collect();
    if of_symbol.linkage == Linkage::C {
        let by_name =
            module.kernels.iter().find(|kernel| kernel.name == symbol || kernel.qualified_name() == symbol);
        return by_name.map_or(Lookup::Absent, Lookup::Mangled);
    }
    let Some(types) = types else {
        return named.first().map_or(Lookup::Absent, |kernel| Lookup::Found(kernel));
    };
    if let Some(kernel) = named.iter().find(|kernel| fits(kernel, &types)) {
        return instance(kernel, types);
    }
    named.first().map_or(Lookup::Absent, |kernel| Lookup::OtherTypes(kernel))
}

/// Whether the kernel takes what its mangled name says.
fn fits(kernel: &Kernel, types: &[Type]) -> bool {
    let agree = |own: Option<&Type>, other: &Type| {
        own.is_none_or(|own| own.is_dependent() || own.agrees_with(other) != Some(false))
    };
    let same_count = !kernel.is_complete || kernel.parameters.len() == types.len();
    same_count && kernel.parameters.iter().zip(types).all(|(own, other)| agree(own.ty.as_ref(), other))
}

/// A template with what the mangled name of one instance says in the place of what depends on its parameters.
fn instance(kernel: &Kernel, types: Vec<Type>) -> Lookup<'_> {
    let depends = |ty: &Option<Type>| ty.as_ref().is_some_and(Type::is_dependent);
    if !kernel.parameters.iter().any(|parameter| depends(&parameter.ty)) {
        return Lookup::Found(kernel);
    }
    let mut kernel = kernel.clone();
    for (parameter, ty) in kernel.parameters.iter_mut().zip(types) {
        if depends(&parameter.ty) {
            parameter.size = ty.layout().map(|layout| layout.size);
            parameter.alignment = ty.layout().map(|layout| layout.alignment);
            parameter.class = ty.class();
            parameter.ty = Some(ty);
        }
    }
    Lookup::Instance(Box::new(kernel))
}

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
