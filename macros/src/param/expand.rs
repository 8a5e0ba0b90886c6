//! From the model to the implementations. Nothing can fail here any more.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::{Generics, ext::IdentExt, parse_quote};

use super::model::{Field, Parameter};
use crate::{crate_path::CratePath, text, types};

/// The implementations of `KernelField` and `KernelParam`.
pub(super) fn parameter(parameter: &Parameter) -> TokenStream {
    let Parameter { krate, ident, fields, .. } = parameter;
    let name = ident.unraw().to_string();
    // Shown by rustdoc, and yet called like no static of the user's, which it would be taken for.
    let bytes = Ident::new("bytes_", Span::mixed_site());
    let descriptions = fields.iter().map(|field| description(field, ident, krate));
    let writes = fields.iter().map(|field| {
        let Field { member, .. } = field;
        let (implementation, range) = (implementation(field, krate), range(field));
        quote!(#implementation::write(&self.#member, &mut #bytes #range);)
    });
    let reads = fields.iter().map(|field| {
        let Field { member, .. } = field;
        let (implementation, range) = (implementation(field, krate), range(field));
        quote!(#member: #implementation::read(&#bytes #range)?,)
    });
    let sizes = fields.iter().map(|field| assert_size(field, &name));
    // SAFETY of the generated implementations: `write` and `read` go through every field, at the offset
    // that the compiler gives it under `#[repr(C)]`, and touch no byte between; the size and alignment
    // are the compiler's own, which C++ shares, because no field is empty.
    quote! {
        #[allow(clippy::undocumented_unsafe_blocks)]
        const _: () = {
            #(#sizes)*
            const __WARPCALL_FIELDS: &[#krate::FieldDescription] = &[#(#descriptions)*];
            #[automatically_derived]
            unsafe impl #krate::KernelField for #ident {
                const FIELDS: &'static [#krate::FieldDescription] = __WARPCALL_FIELDS;
                #[inline]
                fn write(&self, #bytes: &mut [::core::primitive::u8]) {
                    let _ = &#bytes;
                    #(#writes)*
                }
                fn read(#bytes: &[::core::primitive::u8]) -> ::core::option::Option<Self> {
                    let _ = #bytes;
                    ::core::option::Option::Some(Self { #(#reads)* })
                }
            }
            #[automatically_derived]
            unsafe impl #krate::KernelParam for #ident {
                type Slots = [::core::primitive::u64; #krate::__private::slots_for(<Self as #krate::KernelParam>::DESCRIPTION.size)];
                const DESCRIPTION: #krate::ParameterDescription =
                    #krate::ParameterDescription::of_struct::<Self>(#name, __WARPCALL_FIELDS);
            }
        };
    }
}

/// Implementations that stand beside an error, so that the kernels which take the struct show none.
pub(super) fn fallback(parameter: &Parameter, mut generics: Generics) -> TokenStream {
    let Parameter { krate, ident, .. } = parameter;
    let name = ident.unraw().to_string();
    if !generics.params.is_empty() {
        // Of an instance only its kernels know whether it is these.
        generics.make_where_clause().predicates.push(parse_quote!(Self: ::core::marker::Copy + 'static));
    }
    let (before, arguments, clause) = generics.split_for_impl();
    quote! {
        const _: () = {
            unsafe impl #before #krate::KernelField for #ident #arguments #clause {
                fn write(&self, _: &mut [::core::primitive::u8]) {}
                fn read(_: &[::core::primitive::u8]) -> ::core::option::Option<Self> {
                    ::core::option::Option::None
                }
            }
            unsafe impl #before #krate::KernelParam for #ident #arguments #clause {
                type Slots = [::core::primitive::u64; 1];
                const DESCRIPTION: #krate::ParameterDescription =
                    #krate::ParameterDescription::of_struct::<Self>(#name, &[]);
            }
        };
    }
}

/// `<Ty as KernelField>`, all of it under the type's span.
fn implementation(field: &Field, krate: &CratePath) -> TokenStream {
    let ty = &field.ty;
    let (start, end) = types::ends(ty);
    let (open, close) = (quote_spanned!(start=> <), quote_spanned!(end=> as #krate::KernelField>));
    quote!(#open #ty #close)
}

/// The field's place in the bytes of the struct.
fn range(field: &Field) -> TokenStream {
    let Field { member, ty, .. } = field;
    quote!([::core::mem::offset_of!(Self, #member)..][..::core::mem::size_of::<#ty>()])
}

fn description(field: &Field, structure: &Ident, krate: &CratePath) -> TokenStream {
    let Field { member, name, ty } = field;
    let (written, implementation) = (text::of(ty), implementation(field, krate));
    quote! {
        #krate::FieldDescription {
            name: #name,
            rust_type: #written,
            offset: ::core::mem::offset_of!(#structure, #member),
            size: ::core::mem::size_of::<#ty>(),
            align: ::core::mem::align_of::<#ty>(),
            fields: #implementation::FIELDS,
            shape: #implementation::SHAPE,
        },
    }
}

/// C++ gives an empty struct one byte inside another one, Rust none.
fn assert_size(field: &Field, parameter: &str) -> TokenStream {
    let Field { name, ty, .. } = field;
    let message = format!(
        "field `{name}` of `{parameter}` is empty, but C++ gives an empty field one byte; write a `u8` in its place"
    );
    let span = types::ends(ty).0;
    quote_spanned!(span=> const _: () = ::core::assert!(::core::mem::size_of::<#ty>() != 0, #message);)
}
