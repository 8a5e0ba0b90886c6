//! From the instances of a declaration to the kernels that they are.

use std::collections::HashSet;

use syn::{ExprPath, Ident, LitStr, PathArguments, Type, parse_quote_spanned};

use super::{
    generics::{is_just, mentions},
    substitute,
};
use crate::{
    kernel::{
        declaration::{Function, Host, Instance},
        model::{CppName, Family, Kernel, Parameter, Passing},
        names, passing,
    },
    report::Report,
    text,
};

/// The instances of `function`, which `kernel` declares: its name in C++, or as a family.
pub(in crate::kernel) fn of(function: &Function, kernel: Kernel, report: &mut Report) -> Option<Kernel> {
    if function.generics.is_empty() {
        let Some(instance) = function.instances.first() else { return Some(kernel) };
        return Some(named(instance, kernel));
    }
    values_are_plain(function, &kernel, report);
    let complete = function.instances.iter().map(|instance| is_complete(instance, function, report));
    if complete.filter(|complete| !complete).count() > 0 {
        return None;
    }
    types_differ(function, report);
    let mut instances = Vec::new();
    for instance in &function.instances {
        instances.push(concrete(instance, &kernel, function, report)?);
    }
    let family = Family {
        bound: names::bound(&function.ident),
        parameters: function.generics.clone(),
        types: function.instances.iter().map(|instance| ordered(instance, &function.generics)).collect(),
        instances,
    };
    Some(Kernel { family: Some(family), ..kernel })
}

/// Reports what instances a declaration has and cannot have, and those that it lacks.
pub(in crate::kernel) fn refuse_others(function: &Function, report: &mut Report) {
    let ident = &function.ident;
    if let (Some(link_name), false) = (&function.link_name, function.instances.is_empty()) {
        report.error(
            link_name,
            format!("kernel `{ident}` has a `#[link_name]` and an `#[instance]`"),
            "its symbol is found by its name in C++",
            "remove one of the two",
        );
    }
    match (&function.generics[..], &function.instances[..]) {
        ([], [_, second, ..]) => report.error(
            &second.written,
            format!("kernel `{ident}` has two `#[instance]`, and no type parameter"),
            "one launch function launches one kernel, unless it is generic over its types",
            format!("declare the second under another name, or make `{ident}` generic"),
        ),
        ([], [only]) => {
            if let Some((parameter, _)) = only.types.first() {
                report.error(
                    parameter,
                    format!("the `#[instance]` of `{ident}` says what `{parameter}` is"),
                    "the function has no such type parameter",
                    format!("remove it, or declare `fn {ident}<{parameter}>(…)`"),
                );
            }
        }
        ([first, ..], []) if !function.has_bad_instance => report.error(
            first,
            format!("kernel `{ident}` is generic over `{first}`"),
            "no `#[instance]` says for which types it is compiled",
            format!(
                "write `#[instance(\"{ident}<float>\", {first} = f32)]` for each type that it is compiled for"
            ),
        ),
        _ => {}
    }
}

/// A kernel without type parameters, by its name in C++.
fn named(instance: &Instance, kernel: Kernel) -> Kernel {
    let name = instance.name.to_string();
    let symbol = LitStr::new(&name, instance.written.span());
    Kernel { name, symbol, cpp: Some(CppName { name: instance.name.clone(), symbol: None }), ..kernel }
}

/// What is passed by value is a parameter's type itself, or has no part in it.
fn values_are_plain(function: &Function, kernel: &Kernel, report: &mut Report) {
    for parameter in &kernel.parameters {
        let is_plain = function.generics.iter().any(|generic| is_just(&parameter.ty, generic));
        if parameter.is_value() && parameter.is_generic && !is_plain {
            let Parameter { name, written, ty, .. } = parameter;
            report.error(
                ty,
                format!("parameter `{name}` of `{}` is `{written}`", function.ident),
                "a family passes its type parameters by value, and no types that are made of them",
                "write a type parameter of its own for it, and its type in each `#[instance]`",
            );
        }
    }
}

/// Whether an instance gives a type to each parameter, and no other.
fn is_complete(instance: &Instance, function: &Function, report: &mut Report) -> bool {
    let ident = &function.ident;
    let mut seen = HashSet::new();
    let mut complete = true;
    for (parameter, _) in &instance.types {
        let is_known = function.generics.contains(parameter);
        if is_known && seen.insert(parameter) {
            continue;
        }
        complete = false;
        let generics: Vec<String> = function.generics.iter().map(|generic| format!("`{generic}`")).collect();
        let (found, instead) = if is_known {
            ("twice", "remove one of the two".to_owned())
        } else {
            ("", format!("the function is generic over {}", generics.join(" and ")))
        };
        report.error(
            parameter,
            format!(
                "the instance {} of `{ident}` says {found} what `{parameter}` is",
                text::of(&instance.written)
            )
            .replace("  ", " "),
            if is_known {
                "each type parameter has one type"
            } else {
                "the function has no such type parameter"
            },
            instead,
        );
    }
    for generic in function.generics.iter().filter(|generic| !seen.contains(generic)) {
        if instance.types.iter().any(|(parameter, _)| !function.generics.contains(parameter)) {
            break;
        }
        complete = false;
        report.error(
            &instance.written,
            format!(
                "the instance {} of `{ident}` does not say what `{generic}` is",
                text::of(&instance.written)
            ),
            "each instance has a type for each type parameter",
            format!("write `#[instance({}, {generic} = f32)]`", text::of(&instance.written)),
        );
    }
    complete
}

/// The types of an instance in the order of the function's parameters.
fn ordered(instance: &Instance, generics: &[Ident]) -> Vec<Type> {
    let of = |generic: &Ident| instance.types.iter().find(|(parameter, _)| parameter == generic);
    generics.iter().filter_map(|generic| of(generic).map(|(_, ty)| ty.clone())).collect()
}

/// Two instances of the same types would be one implementation of the trait.
fn types_differ(function: &Function, report: &mut Report) {
    let mut seen: Vec<(String, &LitStr)> = Vec::new();
    for instance in &function.instances {
        let types: Vec<String> =
            ordered(instance, &function.generics).iter().map(|ty| format!("`{}`", text::of(ty))).collect();
        let types = types.join(" and ");
        if let Some((_, first)) = seen.iter().find(|(other, _)| *other == types) {
            report.error(
                &instance.written,
                format!("kernel `{}` has a second instance for {types}", function.ident),
                format!("a call chooses the instance by its types, and {} has them", text::of(first)),
                "declare it under another name",
            );
        }
        seen.push((types, &instance.written));
    }
}

/// The kernel that an instance is.
fn concrete(
    instance: &Instance,
    kernel: &Kernel,
    function: &Function,
    report: &mut Report,
) -> Option<Kernel> {
    let mut parameters = Vec::new();
    for parameter in &kernel.parameters {
        parameters.push(with_types(parameter, instance, function, report)?);
    }
    let host = kernel.host.as_ref().map(|host| Host {
        function: substitute::in_place(&with_arguments(&host.function, &function.generics), &instance.types),
        takes_launch: host.takes_launch,
    });
    Some(named(instance, Kernel { host, parameters, ..kernel.clone() }))
}

/// The host function of a family: `reference::scale` is `reference::scale::<T>`, unless it has arguments already.
fn with_arguments(path: &ExprPath, generics: &[Ident]) -> ExprPath {
    let mut path = path.clone();
    if let Some(last) = path.path.segments.last_mut()
        && last.arguments.is_none()
    {
        let place = last.ident.span();
        let generics = generics.iter().map(|generic| Ident::new(&generic.to_string(), place));
        last.arguments = PathArguments::AngleBracketed(parse_quote_spanned!(place=> ::<#(#generics),*>));
    }
    path
}

/// A parameter with the types of an instance.
fn with_types(
    parameter: &Parameter,
    instance: &Instance,
    function: &Function,
    report: &mut Report,
) -> Option<Parameter> {
    if !parameter.is_generic {
        return Some(parameter.clone());
    }
    let ty = substitute::in_place(&parameter.ty, &instance.types);
    let Parameter { name, written, .. } = parameter;
    let found = format!(
        "parameter `{name}` of `{}` is `{written}`, which is `{}` in the instance {}",
        function.ident,
        text::of(&ty),
        text::of(&instance.written)
    );
    let given =
        instance.types.iter().find(|(generic, _)| mentions(&parameter.ty, std::slice::from_ref(generic)));
    let place = given.map_or(&ty, |(_, ty)| ty);
    match passing::of(&ty, parameter.is_nullable()) {
        Err(refusal) => {
            report.error(place, format!("{found}, {}", refusal.found), refusal.expected, refusal.instead);
            None
        }
        Ok(passing) if !passing.is_like(&parameter.passing) => {
            report.error(
                place,
                found,
                "a call passes it in another way than the types of a family",
                "declare this instance as a kernel of its own, without type parameters",
            );
            None
        }
        Ok(passing) => Some(Parameter {
            generic: Some(written.clone()),
            written: text::of(&ty),
            ty,
            passing,
            ..parameter.clone()
        }),
    }
}

impl Passing {
    /// Whether a launch function passes both in one way.
    fn is_like(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Pointer { element, .. }, Self::Pointer { element: other, .. }) => {
                std::mem::discriminant(element) == std::mem::discriminant(other)
            }
            (this, other) => std::mem::discriminant(this) == std::mem::discriminant(other),
        }
    }
}
