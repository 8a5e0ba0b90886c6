//! The items that stand beside an error: with them, whoever uses the kernel gets no further errors from
//! one mistake in its declaration. They take what was declared, as far as it was understood, and are
//! never run.

use std::collections::HashSet;

use proc_macro2::TokenStream;
use quote::quote;
use syn::{PointerMutability, ext::IdentExt};

use super::{
    declaration::{Block, Function, Parameter},
    expand,
    model::Passing,
    names, passing,
};
use crate::crate_path::CratePath;

/// Items for all functions of a block that is refused.
pub(super) fn block(block: &Block) -> TokenStream {
    let krate = CratePath::new(block.options.crate_path.clone());
    let of_block = &block.forwarded;
    let mut seen = HashSet::new();
    // A second kernel of one name would be reported by the compiler again.
    let unique = block.functions.iter().filter(|function| seen.insert(names::item(&function.ident)));
    let items = unique.map(|function| {
        let items = function_items(function, &krate);
        let both = &of_block.both;
        let [launch, item] = items;
        quote!(#(#both)* #launch #(#both)* #item)
    });
    quote!(#(#items)*)
}

fn function_items(function: &Function, krate: &CratePath) -> [TokenStream; 2] {
    let Function { forwarded, visibility, unsafety, ident, .. } = function;
    let (launch, item) = (names::launch(ident), names::item(ident));
    let both = &forwarded.both;
    let name = ident.unraw().to_string();
    let parameters = function.parameters.iter().map(|declared| parameter(declared, krate));
    let memory = expand::memory();
    [
        quote! {
            #forwarded
            #[allow(unused, missing_docs, non_snake_case, clippy::all, clippy::pedantic)]
            #visibility #unsafety fn #launch<#memory>(
                _: &(impl #krate::AsStream + ?::core::marker::Sized),
                _: #krate::LaunchConfig,
                #(#parameters)*
            ) -> #krate::Result<()> {
                loop {}
            }
        },
        quote! {
            #(#both)*
            #[allow(unused, missing_docs, non_upper_case_globals)]
            #visibility static #item: #krate::Kernel = #krate::Kernel::new(#krate::Module::new(#name), #name, &[]);
        },
    ]
}

fn parameter(declared: &Parameter, krate: &CratePath) -> TokenStream {
    let passing = declared.ty.as_ref().map(|ty| (ty, passing::of(ty, declared.marks.nullable.is_some())));
    let ty = match passing {
        Some((ty, Ok(Passing::Value))) => quote!(#ty),
        Some((ty, Ok(Passing::TensorMap))) => quote!(&#ty),
        Some((_, Ok(Passing::Pointer { mutability, element, nullable }))) => {
            pointer(&mutability, &expand::element(&element, krate), nullable, krate)
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
    krate: &CratePath,
) -> TokenStream {
    let memory = expand::memory();
    match (mutability, nullable) {
        (PointerMutability::Const(_), false) => {
            quote!(&(impl #krate::DeviceRef<#element> + ?::core::marker::Sized))
        }
        (PointerMutability::Mut(_), false) => {
            quote!(&mut (impl #krate::DeviceMut<#element> + ?::core::marker::Sized))
        }
        (PointerMutability::Const(_), true) => {
            quote!(impl ::core::convert::Into<#krate::NullableRef<#memory, #element>>)
        }
        (PointerMutability::Mut(_), true) => {
            quote!(impl ::core::convert::Into<#krate::NullableMut<#memory, #element>>)
        }
    }
}
