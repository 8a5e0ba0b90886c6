//! What only the compiler can compare, which knows the user's types: constants that do not evaluate, and
//! bounds that do not hold, where the declaration is wrong. The error stands under the type.

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::Type;
use warpcall_signature::{Alignments, Class, Layout, Record};

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

/// The assertions of a block, each where its kernel exists.
pub(super) fn of(
    assertions: &[(&Kernel, Assertion)],
    krate: &CratePath,
    places: &Places<'_>,
) -> Option<TokenStream> {
    if assertions.is_empty() {
        return None;
    }
    // Parsed where it is needed alone: what every expansion repeats, every build pays for.
    let needs_helpers = assertions.iter().any(|(_, a)| !matches!(a.later, Later::OneOf { .. }));
    let helpers = needs_helpers.then(|| {
        let helpers: TokenStream = include_str!("emitted.rs").parse().unwrap_or_default();
        quote!(mod __warpcall { #helpers })
    });
    let each = assertions.iter().map(|(kernel, assertion)| {
        let conditions = &kernel.forwarded.conditions;
        let parameter = &kernel.parameters[assertion.parameter];
        let body = match &assertion.later {
            Later::OneOf { ty, names } => one_of(parameter, ty, names, &assertion.expected, krate),
            Later::Layout { ty, layouts } => layout(parameter, ty, layouts, &assertion.expected),
            Later::Value { ty, size, alignments, class } => {
                value(parameter, ty, (*size, *alignments), *class, &assertion.expected, krate)
            }
            Later::Struct { ty, record, layouts } => {
                structure(parameter, ty, record, layouts, &assertion.expected, krate, places)
            }
        };
        quote!(#(#conditions)* const _: () = { #body };)
    });
    Some(quote! {
        #[allow(dead_code, clippy::all, clippy::pedantic)]
        const _: () = {
            #helpers
            #(#each)*
        };
    })
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
    let check = quote_spanned!(place=> <#ty as __WarpcallDeclared>::IS);
    quote! {
        #[diagnostic::on_unimplemented(message = #message, label = #label, note = #note)]
        trait __WarpcallDeclared {
            const IS: () = ();
        }
        #(#[diagnostic::do_not_recommend] impl __WarpcallDeclared for #accepted {})*
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
    let (size, align) = (quote!(::core::mem::size_of::<#ty>()), quote!(::core::mem::align_of::<#ty>()));
    let head = format!("parameter `{}` leads to `{}`", parameter.name, text::of(ty));
    let tail = format!("but {expected}, {}", sizes(layouts));
    let fits = any_layout(&size, &align, layouts);
    let panic = panic_with_layout(ty, &head, &size, &align, &tail);
    quote!(if !(#fits) { #panic })
}

fn value(
    parameter: &Parameter,
    ty: &Type,
    (size, alignments): (u64, Alignments),
    class: Class,
    expected: &str,
    krate: &CratePath,
) -> TokenStream {
    let description = description(ty, krate);
    let size = Literal::u64_unsuffixed(size);
    let alignment = (alignments != Alignments::ALL).then(|| {
        // Each is one bit.
        let bits = Literal::u64_unsuffixed(alignments.bits());
        let bits = quote!(#bits as ::core::primitive::u64);
        // Of a number in PTX the size says it all.
        let matters = (class != Class::Unknown).then(|| quote!(__WARPCALL_CLASS == 2 &&));
        quote!(|| #matters __WARPCALL_FOUND.align as ::core::primitive::u64 & #bits == 0)
    });
    let class = match class {
        Class::Integer | Class::Pointer => quote!(|| (__WARPCALL_CLASS != 0 && __WARPCALL_CLASS != 3)),
        Class::Float => {
            quote!(|| (__WARPCALL_CLASS != 1 && __WARPCALL_CLASS != 3 && __WARPCALL_FOUND.size != 2))
        }
        Class::Bytes => quote!(|| (__WARPCALL_CLASS != 2 && __WARPCALL_CLASS != 3)),
        Class::Unknown => quote!(),
    };
    let panic = panic_about(parameter, ty, expected);
    quote! {
        #description
        const __WARPCALL_CLASS: ::core::primitive::u8 = match __WARPCALL_FOUND.kind {
            #krate::ParameterKind::Bool | #krate::ParameterKind::Signed | #krate::ParameterKind::Unsigned => 0,
            #krate::ParameterKind::Float => if __WARPCALL_FOUND.size > 2 { 1 } else { 2 },
            #krate::ParameterKind::Vector | #krate::ParameterKind::Struct { .. } | #krate::ParameterKind::TensorMap => 2,
            _ => 3,
        };
        if __WARPCALL_FOUND.size != #size #alignment #class { #panic }
    }
}

/// The fields first, as they say more, and then the whole.
fn structure(
    parameter: &Parameter,
    ty: &Type,
    record: &Record,
    layouts: &[Layout],
    expected: &str,
    krate: &CratePath,
    places: &Places<'_>,
) -> TokenStream {
    let description = description(ty, krate);
    let fields = fields::of(record, places).map(|members| compare_fields(ty, &members, expected, krate));
    let fits = any_layout(&quote!(__WARPCALL_FOUND.size), &quote!(__WARPCALL_FOUND.align), layouts);
    let panic = panic_about(parameter, ty, &format!("{expected}, {}", sizes(layouts)));
    quote! {
        #description
        #fields
        if !(#fits) { #panic }
    }
}

fn compare_fields(ty: &Type, members: &[Member], expected: &str, krate: &CratePath) -> TokenStream {
    let written = text::of(ty);
    let members = members.iter().map(|Member { name, words, offset, size, shown, remedy }| {
        let (offset, size) = (Literal::u64_unsuffixed(*offset), Literal::u64_unsuffixed(*size));
        quote!(__warpcall::Expected {
            name: #name, words: &[#(#words),*], offset: #offset, size: #size, shown: #shown, remedy: #remedy,
        })
    });
    let place = types::ends(ty).0;
    let panic = quote_spanned!(place=> ::core::panic!("{}", __warpcall::text(&__WARPCALL_TEXT)));
    quote! {
        const __WARPCALL_FIELDS: &[#krate::FieldDescription] = match __WARPCALL_FOUND.kind {
            #krate::ParameterKind::Struct { fields, .. } => fields,
            _ => &[],
        };
        const __WARPCALL_ALL: [__warpcall::Found; __WARPCALL_FIELDS.len()] = {
            let mut all = [const { __warpcall::Found::NONE }; __WARPCALL_FIELDS.len()];
            let mut index = 0;
            while index < __WARPCALL_FIELDS.len() {
                let #krate::FieldDescription { name, rust_type, offset, size, .. } = __WARPCALL_FIELDS[index];
                all[index] = __warpcall::Found { name, rust_type, offset, size };
                index += 1;
            }
            all
        };
        const __WARPCALL_EXPECTED: &[__warpcall::Expected] = &[#(#members),*];
        const __WARPCALL_DIFFERENCE: __warpcall::Difference = __warpcall::difference(&__WARPCALL_ALL, __WARPCALL_EXPECTED);
        const __WARPCALL_WORDS: [&::core::primitive::str; 9] =
            __warpcall::words(&__WARPCALL_DIFFERENCE, &__WARPCALL_ALL, __WARPCALL_EXPECTED, #written, #expected);
        const __WARPCALL_TEXT: [::core::primitive::u8; __warpcall::length(&__WARPCALL_WORDS)] = __warpcall::join(&__WARPCALL_WORDS);
        if !__WARPCALL_TEXT.is_empty() { #panic }
    }
}

fn description(ty: &Type, krate: &CratePath) -> TokenStream {
    let (start, end) = types::ends(ty);
    let (open, close) =
        (quote_spanned!(start=> <), quote_spanned!(end=> as #krate::KernelParam>::DESCRIPTION));
    quote!(const __WARPCALL_FOUND: #krate::ParameterDescription = #open #ty #close;)
}

/// Ends with what the type is beside what the kernel takes.
fn panic_about(parameter: &Parameter, ty: &Type, expected: &str) -> TokenStream {
    let head = format!("parameter `{}` is declared `{}`", parameter.name, text::of(ty));
    panic_with_layout(
        ty,
        &head,
        &quote!(__WARPCALL_FOUND.size),
        &quote!(__WARPCALL_FOUND.align),
        &format!("but {expected}"),
    )
}

fn panic_with_layout(
    ty: &Type,
    head: &str,
    size: &TokenStream,
    align: &TokenStream,
    tail: &str,
) -> TokenStream {
    let place = types::ends(ty).0;
    let head = format!("{head}, which has ");
    let tail = format!(", {tail}");
    let panic = quote_spanned!(place=> ::core::panic!("{}", __warpcall::text(&__WARPCALL_MESSAGE)));
    quote! {
        const __WARPCALL_SIZE: [::core::primitive::u8; __warpcall::digits(#size)] = __warpcall::decimal(#size);
        const __WARPCALL_ALIGN: [::core::primitive::u8; __warpcall::digits(#align)] = __warpcall::decimal(#align);
        const __WARPCALL_PARTS: [&::core::primitive::str; 5] =
            [#head, __warpcall::text(&__WARPCALL_SIZE), " bytes aligned to ", __warpcall::text(&__WARPCALL_ALIGN), #tail];
        const __WARPCALL_MESSAGE: [::core::primitive::u8; __warpcall::length(&__WARPCALL_PARTS)] = __warpcall::join(&__WARPCALL_PARTS);
        #panic
    }
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
