//! From the syntax of a type to the model of a parameter: the rules on layout and on fields.

use quote::quote;
use syn::{
    Attribute, Data, DeriveInput, Index, Member, Meta, Path, Token, ext::IdentExt, punctuated::Punctuated,
};

use super::model::{Field, Parameter};
use crate::{
    crate_path::CratePath,
    refusal::{self, Place},
    report::Report,
    text,
};

/// Checks what the derive stands on. What it returns is complete if, and only if, `report` is empty
/// afterwards.
pub(super) fn input(input: &DeriveInput, report: &mut Report) -> Parameter {
    let krate = crate_path(input, report);
    generics(input, report);
    let ident = input.ident.clone();
    let fields = match &input.data {
        Data::Struct(data) => {
            layout(input, report);
            data.fields
                .iter()
                .enumerate()
                .map(|(index, field)| self::field(index, field, input, report))
                .collect()
        }
        Data::Enum(data) => {
            report.error(
                data.enum_token,
                format!("`{ident}` is an enum"),
                "not every number the device may read is one of its variants",
                "pass a number (`value as u32`), or a `#[repr(C)]` struct",
            );
            Vec::new()
        }
        Data::Union(data) => {
            report.error(
                data.union_token,
                format!("`{ident}` is a union"),
                "which of its bytes hold a value is not known",
                "write a `#[repr(C)]` struct, or an array of bytes in one",
            );
            Vec::new()
        }
    };
    let may_be_copy = fields.iter().all(|field: &Field| {
        !refusal::of_value(&field.ty, Place::Field).is_some_and(|refusal| refusal.is_owner())
    });
    Parameter { krate, ident, fields, may_be_copy }
}

fn crate_path(input: &DeriveInput, report: &mut Report) -> CratePath {
    let mut path = None;
    for attribute in input.attrs.iter().filter(|attribute| attribute.path().is_ident("kernel_param")) {
        let parsed = attribute.parse_args_with(|input: syn::parse::ParseStream<'_>| {
            input.parse::<Token![crate]>()?;
            input.parse::<Token![=]>()?;
            input.call(Path::parse_mod_style)
        });
        match parsed {
            Ok(given) if path.is_none() => path = Some(given),
            Ok(_) => report.error(
                attribute,
                format!("`{}` has `#[kernel_param]` twice", input.ident),
                "once is enough",
                "remove one of the two",
            ),
            Err(_) => report.error(
                attribute,
                format!("`#[kernel_param]` on `{}` has other arguments", input.ident),
                "it takes the path of the runtime crate alone",
                "write `#[kernel_param(crate = path)]`",
            ),
        }
    }
    CratePath::new(path)
}

fn generics(input: &DeriveInput, report: &mut Report) {
    let generics = &input.generics;
    if generics.params.is_empty() && generics.where_clause.is_none() {
        return;
    }
    report.error(
        quote!(#generics),
        format!("`{}` is generic over `{}`", input.ident, text::of(&generics.params)),
        "a compiled kernel has one layout for it",
        "write a struct for each instance, with concrete types",
    );
}

/// The `#[repr]` of a struct: C's layout, not packed.
fn layout(input: &DeriveInput, report: &mut Report) {
    let ident = &input.ident;
    let mut is_c = false;
    for attribute in input.attrs.iter().filter(|attribute| attribute.path().is_ident("repr")) {
        // What cannot be read here the compiler refuses itself.
        let Ok(words) = attribute.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated) else {
            return;
        };
        for word in &words {
            if word.path().is_ident("C") {
                is_c = true;
            } else if word.path().is_ident("packed") {
                report.error(
                    word,
                    format!("`{ident}` is `#[repr({})]`", text::of(word)),
                    "a kernel's parameter has C's alignment",
                    "remove it, or move the fields so that no padding arises",
                );
            } else if word.path().is_ident("transparent") {
                report.error(
                    word,
                    format!("`{ident}` is `#[repr(transparent)]`"),
                    "the device sees a struct",
                    "write `#[repr(C)]`",
                );
                is_c = true;
            }
        }
    }
    if !is_c {
        report.error(
            ident,
            format!("`{ident}` has Rust's layout, which is not fixed"),
            "a kernel reads it with C's",
            "write `#[repr(C)]` above the struct",
        );
    }
}

fn field(index: usize, field: &syn::Field, input: &DeriveInput, report: &mut Report) -> Field {
    let member = match &field.ident {
        Some(ident) => Member::Named(ident.clone()),
        None => Member::Unnamed(Index::from(index)),
    };
    let name = field.ident.as_ref().map_or_else(|| index.to_string(), |ident| ident.unraw().to_string());
    if let Some(refusal) = refusal::of_value(&field.ty, Place::Field) {
        let found =
            format!("field `{name}` of `{}` is `{}`, {}", input.ident, text::of(&field.ty), refusal.found);
        report.error(&field.ty, found, refusal.expected, refusal.instead);
    }
    for attribute in field.attrs.iter().filter(|attribute| stray(attribute)) {
        report.error(
            attribute,
            format!("field `{name}` of `{}` has `#[kernel_param]`", input.ident),
            "it belongs to the struct",
            "move it above the struct",
        );
    }
    Field { member, name, ty: field.ty.clone() }
}

fn stray(attribute: &Attribute) -> bool {
    attribute.path().is_ident("kernel_param")
}
