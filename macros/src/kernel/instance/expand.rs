//! What is generated for a family beside its launch function: the kernels, and the trait of their types.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syn::{LitStr, Type, ext::IdentExt};

use super::generics::is_just;
use crate::{
    crate_path::CratePath,
    kernel::{
        expand,
        model::{Family, Kernel, Module},
        proof,
    },
    text,
};

/// `<f16 as ScaleInstance>::KERNEL` of the launch function's own type parameters.
pub(in crate::kernel) fn chosen(family: &Family) -> TokenStream {
    let (first, bound) = (&family.parameters[0], applied(family));
    quote!(<#first as #bound>::KERNEL)
}

/// The type parameters of the launch function with their bounds.
pub(in crate::kernel) fn parameters(kernel: &Kernel, family: &Family, krate: &CratePath) -> Vec<TokenStream> {
    let bound = applied(family);
    let parameters = family.parameters.iter().enumerate().map(|(index, parameter)| {
        if index == 0 {
            return quote!(#parameter: #bound);
        }
        let value = is_value(kernel, parameter).then(|| quote!(: #krate::KernelParam));
        quote!(#parameter #value)
    });
    parameters.collect()
}

/// The trait with the type parameters behind the first: `ScaleInstance<U>`.
fn applied(family: &Family) -> TokenStream {
    let Family { bound, parameters, .. } = family;
    let others = arguments(parameters[1..].iter());
    quote!(#bound #others)
}

fn arguments<T: quote::ToTokens>(all: impl ExactSizeIterator<Item = T>) -> Option<TokenStream> {
    (all.len() > 0).then(|| quote!(<#(#all),*>))
}

/// Whether a type parameter is passed by value.
fn is_value(kernel: &Kernel, generic: &Ident) -> bool {
    kernel.parameters.iter().any(|parameter| parameter.is_value() && is_just(&parameter.ty, generic))
}

/// What each type of the trait is, so that generic code need not ask for it: what is passed by value, and where all are
/// numbers, what a buffer holds.
fn supertraits(kernel: &Kernel, family: &Family, krate: &CratePath) -> Option<TokenStream> {
    let value = is_value(kernel, &family.parameters[0]).then(|| quote!(#krate::KernelParam));
    let element = family.types.iter().all(|types| proof::is_number(&types[0])).then(|| quote!(#krate::Pod));
    match (value, element) {
        (Some(value), Some(element)) => Some(quote!(: #value + #element)),
        (value, element) => value.or(element).map(|only| quote!(: #only)),
    }
}

/// The array of the kernels, the trait and its implementations.
pub(in crate::kernel) fn items(
    kernel: &Kernel,
    family: &Family,
    module: &Module,
    files: &TokenStream,
) -> TokenStream {
    let Module { krate, .. } = module;
    let Kernel { forwarded, visibility, item, launch, .. } = kernel;
    let Family { bound, parameters, types, instances } = family;
    let both = &forwarded.both;
    let conditions = &forwarded.conditions;
    let count = instances.len();
    let name = kernel.ident.unraw();
    let listed: Vec<String> =
        instances.iter().zip(types).map(|(instance, types)| listed(instance, types)).collect();
    let listed = listed.join(", ");

    let statics: Vec<Ident> = (0..count).map(|index| format_ident!("WARPCALL_INSTANCE_{index}")).collect();
    let kernels = instances.iter().map(|instance| expand::static_value(instance, module, files));
    let silenced = expand::silenced_in_static(kernel);
    let docs = format!(
        " The instances of the kernel `{name}` of the module `{}`, one of which [`{launch}`] launches: {listed}.",
        module.name.value()
    );

    let trait_docs = [
        format!(" A type for which the kernel `{name}` has an instance: {listed}."),
        String::new(),
        format!(" Code that is generic over the type has this as its bound, and calls [`{launch}`]."),
        String::new(),
        " # Safety".to_owned(),
        String::new(),
        " `KERNEL` takes the declared parameters, with this type in their place.".to_owned(),
    ];
    let supertraits = supertraits(kernel, family, krate);
    let others = &parameters[1..];
    let declared = arguments(others.iter());
    let (message, label) = refusal(&name.to_string(), others);
    let note = format!(
        "there are instances for {listed}; declare another with `#[instance(\"…\", {} = …)]`",
        parameters[0]
    );
    let implementations = types.iter().enumerate().map(|(index, types)| {
        let (first, others) = (&types[0], arguments(types[1..].iter()));
        quote! {
            #(#conditions)*
            #[diagnostic::do_not_recommend]
            unsafe impl #bound #others for #first {
                const KERNEL: &'static #krate::Kernel = #item[#index];
            }
        }
    });
    quote! {
        #(#both)*
        #[doc = #docs]
        #[allow(dead_code #silenced)]
        #visibility static #item: [&#krate::Kernel; #count] = {
            #(static #statics: #krate::Kernel = #kernels;)*
            [#(&#statics),*]
        };
        #(#both)*
        #(#[doc = #trait_docs])*
        #[allow(dead_code, clippy::all, clippy::pedantic, non_camel_case_types)]
        #[diagnostic::on_unimplemented(message = #message, label = #label, note = #note)]
        #visibility unsafe trait #bound #declared #supertraits {
            /// The instance.
            const KERNEL: &'static #krate::Kernel;
        }
        #(#implementations)*
    }
}

/// The names in C++ with which the module's source is compiled, which may also come at run time: those of the block. One
/// under a condition is with its own kernel alone, since only the compiler knows if it is there.
pub(in crate::kernel) fn cpp_names(kernel: &Kernel, module: &Module) -> Option<TokenStream> {
    let is_there = |other: &&Kernel| {
        other.cpp.is_some() && (other.forwarded.conditions.is_empty() || other.item == kernel.item)
    };
    let names: Vec<&LitStr> = module.concrete().filter(is_there).map(|other| &other.symbol).collect();
    (!names.is_empty()).then(|| quote!(.with_cpp_names(&[#(#names),*])))
}

/// `` `f16` (`scale<__half, 4>`) ``.
fn listed(instance: &Kernel, types: &[Type]) -> String {
    let types: Vec<String> = types.iter().map(|ty| format!("`{}`", text::of(ty))).collect();
    format!("{} (`{}`)", types.join(" and "), instance.name)
}

/// What the compiler says of types without an instance.
fn refusal(name: &str, others: &[Ident]) -> (String, String) {
    let all: Vec<String> = std::iter::once("`{Self}`".to_owned())
        .chain(others.iter().map(|other| format!("`{{{other}}}`")))
        .collect();
    let all = all.join(" and ");
    (format!("the kernel `{name}` has no instance for {all}"), format!("no instance for {all}"))
}
