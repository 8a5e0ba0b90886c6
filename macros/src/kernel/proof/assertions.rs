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
    let each = assertions.iter().map(|(kernel, assertion)| {
        let conditions = &kernel.forwarded.conditions;
        let parameter = &kernel.parameters[assertion.parameter];
        let body = match &assertion.later {
            Later::OneOf { ty, names } => one_of(parameter, ty, names, &assertion.expected, krate),
            Later::Is { ty, name } => is(ty, name, krate),
            Later::Layout { ty, layouts } => layout(parameter, ty, layouts, &assertion.expected, krate),
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

/// The type is the one of its name that is known, and not one of the user's.
fn is(ty: &Type, name: &str, krate: &CratePath) -> TokenStream {
    let (accepted, place) = (named(name, krate), types::ends(ty).0);
    let check = quote_spanned!(place=> <#ty as #krate::__private::proof::Is<#accepted>>::IS);
    quote!(const _: () = #check;)
}

/// A type that is known by name, wherever the user's own types may share its name.
fn named(name: &str, krate: &CratePath) -> TokenStream {
    if let Some((element, length)) = name.strip_prefix('[').and_then(|array| array.rsplit_once("; ")) {
        let element = named(element, krate);
        let length = length.trim_end_matches(']').parse().map(Literal::usize_unsuffixed);
        return length.map(|length| quote!([#element; #length])).unwrap_or_default();
    }
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

fn layout(
    parameter: &Parameter,
    ty: &Type,
    layouts: &[Layout],
    expected: &str,
    krate: &CratePath,
) -> TokenStream {
    let subject = subject(
        &format!("parameter `{}` leads to `{}`", parameter.name, text::of(ty)),
        &format!("{expected}, {}", sizes(layouts)),
        krate,
    );
    let layouts = pairs(layouts);
    let message = quote!(#krate::__private::proof::layout(
        ::core::mem::size_of::<#ty>(), ::core::mem::align_of::<#ty>(), &[#(#layouts),*], #subject,
    ));
    refused(ty, &message, krate)
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
    let (size, bits) = (Literal::u64_unsuffixed(size), Literal::u64_unsuffixed(alignments.bits()));
    let class = Ident::new(
        match class {
            Class::Integer | Class::Pointer => "Integer",
            Class::Float => "Float",
            Class::Bytes => "Bytes",
            Class::Unknown => "Unknown",
        },
        Span::call_site(),
    );
    let subject = subject(&declared(parameter, ty), expected, krate);
    let proof = quote!(#krate::__private::proof);
    let message =
        quote!(#proof::value(&__WARPCALL_FOUND, #size, #bits, #proof::ImageClass::#class, #subject));
    let refused = refused(ty, &message, krate);
    quote!(#description #refused)
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
    let fields = fields::of(record, places).map(|members| {
        let (members, written) = (self::members(&members, krate), text::of(ty));
        let message = quote!(#krate::__private::proof::structure(
            &__WARPCALL_FOUND, &[#(#members),*], #written, #expected,
        ));
        let refused = refused(ty, &message, krate);
        quote!({ #refused })
    });
    let subject = subject(&declared(parameter, ty), &format!("{expected}, {}", sizes(layouts)), krate);
    let layouts = pairs(layouts);
    let message = quote!(#krate::__private::proof::layout(
        __WARPCALL_FOUND.size, __WARPCALL_FOUND.align, &[#(#layouts),*], #subject,
    ));
    let refused = refused(ty, &message, krate);
    quote!(#description #fields #refused)
}

fn members(members: &[Member], krate: &CratePath) -> Vec<TokenStream> {
    let each = members.iter().map(|Member { name, words, extents, offset, size, shown, remedy, members }| {
        let extents = extents.iter().map(|length| Literal::u64_unsuffixed(*length));
        let (offset, size) = (Literal::u64_unsuffixed(*offset), Literal::u64_unsuffixed(*size));
        let inside = self::members(members, krate);
        quote!(#krate::__private::proof::Expected {
            name: #name, words: &[#(#words),*], extents: &[#(#extents),*], offset: #offset, size: #size, shown: #shown, remedy: #remedy,
            members: &[#(#inside),*],
        })
    });
    each.collect()
}

fn description(ty: &Type, krate: &CratePath) -> TokenStream {
    let (start, end) = types::ends(ty);
    let (open, close) =
        (quote_spanned!(start=> <), quote_spanned!(end=> as #krate::KernelParam>::DESCRIPTION));
    quote!(const __WARPCALL_FOUND: #krate::ParameterDescription = #open #ty #close;)
}

/// Fails with a message, unless that is empty, under the type.
// Named as no constant of the user's is, which stand in the type.
fn refused(ty: &Type, message: &TokenStream, krate: &CratePath) -> TokenStream {
    let place = types::ends(ty).0;
    let panic = quote_spanned!(place=> ::core::panic!("{}", __WARPCALL_MESSAGE.text()));
    quote! {
        const __WARPCALL_MESSAGE: #krate::__private::proof::Message = #message;
        if !__WARPCALL_MESSAGE.is_empty() { #panic }
    }
}

fn subject(head: &str, expected: &str, krate: &CratePath) -> TokenStream {
    quote!(#krate::__private::proof::Subject { head: #head, expected: #expected })
}

fn declared(parameter: &Parameter, ty: &Type) -> String {
    format!("parameter `{}` is declared `{}`", parameter.name, text::of(ty))
}

/// Sizes and alignments.
fn pairs(layouts: &[Layout]) -> impl Iterator<Item = TokenStream> {
    layouts.iter().map(|layout| {
        let (size, alignment) =
            (Literal::u64_unsuffixed(layout.size), Literal::u64_unsuffixed(layout.alignment));
        quote!((#size, #alignment))
    })
}

fn sizes(layouts: &[Layout]) -> String {
    let each: Vec<String> = layouts
        .iter()
        .map(|layout| format!("{} bytes aligned to {}", layout.size, layout.alignment))
        .collect();
    each.join(" or ")
}
