//! What only the compiler can compare, which knows the user's types: constants that do not evaluate, and
//! bounds that do not hold, where the declaration is wrong. The error stands under the type.

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::Type;
use warpcall_signature::{Class, Layout, Record};

use super::{
    fields::{self, Member},
    finding::Assertion,
    places::Places,
    verdict::Later,
};
use crate::{
    crate_path::CratePath,
    kernel::model::{Kernel, Parameter, Passing},
    text, types,
};

/// The assertions of one kernel, which exist where it does.
pub(super) fn of(
    kernel: &Kernel,
    assertions: &[Assertion],
    krate: &CratePath,
    places: &Places<'_>,
) -> TokenStream {
    let conditions = &kernel.forwarded.conditions;
    let all = assertions.iter().map(|assertion| {
        let parameter = &kernel.parameters[assertion.parameter];
        let body = match &assertion.later {
            Later::OneOf { ty, names } => one_of(parameter, ty, names, &assertion.expected, krate),
            Later::Layout { ty, layouts } => layout(parameter, ty, layouts, &assertion.expected),
            Later::Value { ty, size, alignment, class } => {
                value(parameter, ty, (*size, *alignment), *class, &assertion.expected, krate)
            }
            Later::Struct { ty, record, layouts } => {
                structure(ty, record, layouts, &assertion.expected, krate, places)
            }
        };
        quote!(#(#conditions)* #[allow(dead_code, clippy::all, clippy::pedantic)] const _: () = { #body };)
    });
    all.collect()
}

/// `error[E0277]: parameter … is declared `u32`, but …`, with the type that the user's name stands for.
fn one_of(
    parameter: &Parameter,
    ty: &Type,
    names: &[String],
    expected: &str,
    krate: &CratePath,
) -> TokenStream {
    let is = if matches!(parameter.passing, Passing::Pointer { .. }) { "points to" } else { "is declared" };
    let message = format!("parameter `{}` {is} `{{Self}}`, but {}", parameter.name, escaped(expected));
    let all: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    let all = all.join(" or ");
    let (label, note) = (format!("not {all}"), format!("write {all} here, or change the kernel"));
    let accepted = names.iter().map(|name| named(name, krate));
    let place = types::ends(ty).0;
    let check = quote_spanned!(place=> __warpcall_check::<#ty>());
    quote! {
        #[diagnostic::on_unimplemented(message = #message, label = #label, note = #note)]
        trait __WarpcallDeclared {}
        #(impl __WarpcallDeclared for #accepted {})*
        const fn __warpcall_check<T: ?::core::marker::Sized + __WarpcallDeclared>() {}
        #check
    }
}

/// A type that is known by name, wherever the user's own types may share its name.
fn named(name: &str, krate: &CratePath) -> TokenStream {
    let ident = Ident::new(name, Span::call_site());
    if name.starts_with(char::is_lowercase) {
        quote!(::core::primitive::#ident)
    } else {
        quote!(#krate::#ident)
    }
}

fn escaped(text: &str) -> String {
    text.replace('{', "{{").replace('}', "}}")
}

fn layout(parameter: &Parameter, ty: &Type, layouts: &[Layout], expected: &str) -> TokenStream {
    let message = format!(
        "parameter `{}` leads to `{}`, which has another size or alignment than {}, but {expected}",
        parameter.name,
        text::of(ty),
        sizes(layouts),
    );
    let size = quote!(::core::mem::size_of::<#ty>());
    let align = quote!(::core::mem::align_of::<#ty>());
    let fits = any_layout(&size, &align, layouts);
    let panic = panic(ty, &message);
    quote!(if !(#fits) { #panic })
}

fn value(
    parameter: &Parameter,
    ty: &Type,
    (size, alignment): (u64, Option<u64>),
    class: Class,
    expected: &str,
    krate: &CratePath,
) -> TokenStream {
    let message = format!(
        "parameter `{}` is declared `{}`, which is something else, but {expected}",
        parameter.name,
        text::of(ty)
    );
    let description = description(ty, krate);
    let size = Literal::u64_unsuffixed(size);
    let alignment = alignment.map(|alignment| {
        let alignment = Literal::u64_unsuffixed(alignment);
        // Of a number the size says it all.
        quote!(|| CLASS == 2 && FOUND.align != #alignment)
    });
    let class = match class {
        Class::Integer | Class::Pointer => quote!(|| (CLASS != 0 && CLASS != 3)),
        Class::Float => quote!(|| (CLASS != 1 && CLASS != 3 && FOUND.size != 2)),
        Class::Bytes => quote!(|| (CLASS != 2 && CLASS != 3)),
        Class::Unknown => quote!(),
    };
    let panic = panic(ty, &message);
    quote! {
        #description
        const CLASS: ::core::primitive::u8 = match FOUND.kind {
            #krate::ParameterKind::Bool | #krate::ParameterKind::Signed | #krate::ParameterKind::Unsigned => 0,
            #krate::ParameterKind::Float => if FOUND.size > 2 { 1 } else { 2 },
            #krate::ParameterKind::Vector | #krate::ParameterKind::Struct { .. } | #krate::ParameterKind::TensorMap => 2,
            _ => 3,
        };
        if FOUND.size != #size #alignment #class { #panic }
    }
}

/// The fields first, as they say more, and then the whole.
fn structure(
    ty: &Type,
    record: &Record,
    layouts: &[Layout],
    expected: &str,
    krate: &CratePath,
    places: &Places<'_>,
) -> TokenStream {
    let written = text::of(ty);
    let description = description(ty, krate);
    let fields = fields::of(record, places).map(|members| compare_fields(ty, &members, expected, krate));
    let message = format!(
        "`{written}` has another size or alignment than `{}`, {}, but {expected}",
        record.name,
        sizes(layouts)
    );
    let fits = any_layout(&quote!(FOUND.size), &quote!(FOUND.align), layouts);
    let panic = panic(ty, &message);
    quote! {
        #description
        #fields
        if !(#fits) { #panic }
    }
}

fn compare_fields(ty: &Type, members: &[Member], expected: &str, krate: &CratePath) -> TokenStream {
    let written = text::of(ty);
    let helpers: TokenStream = include_str!("emitted.rs").parse().unwrap_or_default();
    let members = members.iter().map(|Member { name, words, offset, size, shown }| {
        let (offset, size) = (Literal::u64_unsuffixed(*offset), Literal::u64_unsuffixed(*size));
        quote!(__warpcall::Expected {
            name: #name, words: &[#(#words),*], offset: #offset, size: #size, shown: #shown,
        })
    });
    let place = types::ends(ty).0;
    let panic = quote_spanned!(place=> ::core::panic!("{}", __warpcall::text(&TEXT)));
    quote! {
        mod __warpcall { #helpers }
        const FIELDS: &[#krate::FieldDescription] = match FOUND.kind {
            #krate::ParameterKind::Struct { fields, .. } => fields,
            _ => &[],
        };
        const ALL: [__warpcall::Found; FIELDS.len()] = {
            let mut all = [const { __warpcall::Found::NONE }; FIELDS.len()];
            let mut index = 0;
            while index < FIELDS.len() {
                let #krate::FieldDescription { name, rust_type, offset, size, .. } = FIELDS[index];
                all[index] = __warpcall::Found { name, rust_type, offset, size };
                index += 1;
            }
            all
        };
        const EXPECTED: &[__warpcall::Expected] = &[#(#members),*];
        const DIFFERENCE: __warpcall::Difference = __warpcall::difference(&ALL, EXPECTED);
        const WORDS: [&::core::primitive::str; 8] =
            __warpcall::words(&DIFFERENCE, &ALL, EXPECTED, #written, #expected);
        const TEXT: [::core::primitive::u8; __warpcall::length(&WORDS)] = __warpcall::join(&WORDS);
        if !TEXT.is_empty() { #panic }
    }
}

fn description(ty: &Type, krate: &CratePath) -> TokenStream {
    let (start, end) = types::ends(ty);
    let (open, close) =
        (quote_spanned!(start=> <), quote_spanned!(end=> as #krate::KernelParam>::DESCRIPTION));
    quote!(const FOUND: #krate::ParameterDescription = #open #ty #close;)
}

fn panic(ty: &Type, message: &str) -> TokenStream {
    let place = types::ends(ty).0;
    quote_spanned!(place=> ::core::panic!("{}", #message))
}

fn any_layout(size: &TokenStream, align: &TokenStream, layouts: &[Layout]) -> TokenStream {
    let each = layouts.iter().map(|layout| {
        let (expected, alignment) =
            (Literal::u64_unsuffixed(layout.size), Literal::u64_unsuffixed(layout.alignment));
        quote!((#size == #expected && #align == #alignment))
    });
    quote!(#(#each)||*)
}

fn sizes(layouts: &[Layout]) -> String {
    let each: Vec<String> = layouts
        .iter()
        .map(|layout| format!("{} bytes aligned to {}", layout.size, layout.alignment))
        .collect();
    each.join(" or ")
}
