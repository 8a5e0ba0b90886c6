//! The items that stand beside an error: with them, whoever uses the kernel gets no further errors from
//! one mistake in its declaration. They take what was declared, as far as it was understood, and are
//! never run.

use std::collections::HashSet;

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use syn::{Attribute, PointerMutability, ext::IdentExt};

use super::{
    declaration::{Block, Function, Parameter},
    expand, instance,
    model::Passing,
    names, passing,
};
use crate::crate_path::CratePath;

/// Items for all functions of a block that is refused.
pub(super) fn block(block: &Block) -> TokenStream {
    let krate = CratePath::new(block.options.crate_path.clone());
    let of_block = &block.forwarded.both;
    let mut seen = HashSet::new();
    // A second kernel of one name would be reported by the compiler again.
    let unique = block.functions.iter().filter(|function| seen.insert(names::item(&function.ident)));
    let items = unique.map(|function| function_items(function, of_block, &krate));
    quote!(#(#items)*)
}

fn function_items(function: &Function, of_block: &[Attribute], krate: &CratePath) -> TokenStream {
    let Function { forwarded, visibility, unsafety, ident, generics, .. } = function;
    let (launch, item) = (names::launch(ident), names::item(ident));
    let both = of_block.iter().chain(&forwarded.both).collect::<Vec<_>>();
    let name = ident.unraw().to_string();
    let parameters = function.parameters.iter().map(|declared| parameter(declared, function, krate));
    let memory = expand::memory();
    let (bound, kernels) = family(function, &both, krate).unzip();
    let kernels = kernels.unwrap_or_else(|| {
        quote!(static #item: #krate::Kernel = #krate::Kernel::new(#krate::Module::new(#name), #name, &[]);)
    });
    quote! {
        #(#of_block)* #forwarded
        #[allow(unused, missing_docs, non_snake_case, clippy::all, clippy::pedantic)]
        #visibility #unsafety fn #launch<#memory, #(#generics),*>(
            _: &(impl #krate::AsStream + ?::core::marker::Sized),
            _: #krate::LaunchConfig,
            #(#parameters)*
        ) -> #krate::Result<()> {
            loop {}
        }
        #(#both)*
        #[allow(unused, missing_docs, non_upper_case_globals)]
        #visibility #kernels
        #bound
    }
}

/// The trait of a family, which every type has, and the array of its kernels.
fn family(function: &Function, both: &[&Attribute], krate: &CratePath) -> Option<(TokenStream, TokenStream)> {
    let Function { visibility, ident, generics, .. } = function;
    let (_, others) = generics.split_first()?;
    let (bound, item) = (names::bound(ident), names::item(ident));
    let this = names::hidden("Any", ident.span());
    let arguments = (!others.is_empty()).then(|| quote!(<#(#others),*>));
    let bound = quote! {
        #(#both)*
        #[allow(unused, missing_docs, clippy::all, clippy::pedantic)]
        #visibility unsafe trait #bound #arguments {
            const KERNEL: &'static #krate::Kernel;
        }
        #(#both)*
        #[allow(non_camel_case_types)]
        unsafe impl<#this: ?::core::marker::Sized, #(#others),*> #bound #arguments for #this {
            const KERNEL: &'static #krate::Kernel = loop {};
        }
    };
    Some((bound, quote!(static #item: [&#krate::Kernel; 0] = [];)))
}

fn parameter(declared: &Parameter, function: &Function, krate: &CratePath) -> TokenStream {
    let passing = declared.ty.as_ref().map(|ty| (ty, passing::of(ty, declared.marks.nullable.is_some())));
    let ty = match passing {
        Some((ty, Ok(Passing::Value))) => quote!(#ty),
        Some((ty, Ok(Passing::TensorMap))) => quote!(&#ty),
        Some((_, Ok(Passing::Pointer { mutability, element, nullable }))) => {
            let is_generic = instance::mentions(&declared.ty, &function.generics);
            pointer(&mutability, &expand::element(&element, krate), nullable, is_generic, krate)
        }
        // What was not understood takes anything.
        Some((_, Err(_))) | None => quote!(impl ::core::marker::Sized),
    };
    quote!(_: #ty,)
}

fn pointer(
    mutability: &PointerMutability,
    element: &TokenStream,
    nullable: bool,
    is_generic: bool,
    krate: &CratePath,
) -> TokenStream {
    let memory = expand::memory();
    let bound = Ident::new(expand::memory_bound(mutability, is_generic), Span::call_site());
    match (mutability, nullable) {
        (PointerMutability::Const(_), false) => {
            quote!(&(impl #krate::#bound<#element> + ?::core::marker::Sized))
        }
        (PointerMutability::Mut(_), false) => {
            quote!(&mut (impl #krate::#bound<#element> + ?::core::marker::Sized))
        }
        (PointerMutability::Const(_), true) => {
            quote!(impl ::core::convert::Into<#krate::NullableRef<#memory, #element>>)
        }
        (PointerMutability::Mut(_), true) => {
            quote!(impl ::core::convert::Into<#krate::NullableMut<#memory, #element>>)
        }
    }
}
