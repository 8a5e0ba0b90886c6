//! What the types of a file's kernels are in the module that they are bound into.

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{quote, quote_spanned};
use warpcall_signature::{
    Parameter, Record, TypeKind,
    rust::{Missing, RustType, Structs, identifier},
};

use super::body::Scope;
use crate::crate_path::CratePath;

/// The structs of a CUDA file, by the names that the module's body has.
pub(super) struct InScope<'a> {
    pub(super) scope: &'a Scope,
    /// Whether an image tells the sizes of values, so that a struct by value may be one that the source does not show.
    pub(super) has_image: bool,
}

impl Structs for InScope<'_> {
    fn of_record(&mut self, record: &Record) -> Result<String, Missing> {
        if record.layout.is_none() {
            let own = self.scope.type_named(&record.name);
            let reason = record.unreadable.as_deref().unwrap_or("its members are not all known");
            return own.ok_or_else(|| format!("`{}` has no known layout: {reason}", record.name).into());
        }
        if record.name.contains("(unnamed at") {
            return Err("it is a struct without a name, which nothing in Rust can be called after"
                .to_owned()
                .into());
        }
        self.scope.type_for(&record.name).ok_or_else(|| Missing {
            reason: format!(
                "`{}` is a struct, and the module has no type of this name: declare it with `#[repr(C)]` and \
                 `#[derive(KernelParam)]`, and bring it in, as in `use super::{};`",
                record.name,
                warpcall_signature::rust::camel_case(&record.name),
            ),
            is_opaque: false,
        })
    }

    fn of_name(&mut self, name: &str, parameter: &Parameter) -> Option<String> {
        let is_value = matches!(parameter.ty.as_ref()?.kind, TypeKind::Named(_));
        if is_value && !self.has_image {
            return None;
        }
        self.scope.type_named(name)
    }
}

/// Where the tokens of a declaration stand that nobody wrote.
#[derive(Clone, Copy)]
pub(super) struct Spans {
    /// The module's name.
    pub(super) module: Span,
    /// The path of the file that the kernels are read out of.
    pub(super) file: Span,
}

/// A type, so that it means the same whatever the module's body has.
pub(super) fn tokens(ty: &RustType, krate: &CratePath, spans: Spans) -> TokenStream {
    let span = spans.module;
    match ty {
        RustType::Primitive(name) => {
            let name = Ident::new(name, span);
            quote_spanned!(span=> ::core::primitive::#name)
        }
        RustType::Known { from, name } => {
            let name = Ident::new(name, span);
            let krate = krate.at(span);
            match *from {
                "warpcall" => quote_spanned!(span=> #krate::#name),
                "std::ffi" => quote_spanned!(span=> ::core::ffi::#name),
                // The crate `warpcall` has them from `half` and `float8`, which the user's may not depend on.
                _ => quote_spanned!(span=> #krate::__private::#name),
            }
        }
        RustType::Named(name) => {
            // A struct that does not fit, or is not there, is an error that leads to the file.
            let name = ident(name, spans.file);
            quote!(#name)
        }
        RustType::Pointer { is_const: true, to } => {
            let to = tokens(to, krate, spans);
            quote_spanned!(span=> *const #to)
        }
        RustType::Pointer { is_const: false, to } => {
            let to = tokens(to, krate, spans);
            quote_spanned!(span=> *mut #to)
        }
        RustType::Array { element, length } => {
            let element = tokens(element, krate, spans);
            let length = Literal::u64_unsuffixed(*length);
            quote_spanned!(span=> [#element; #length])
        }
    }
}

/// A name, which may be a keyword or have an `r#`.
pub(super) fn ident(name: &str, span: Span) -> Ident {
    let plain = name.trim_start_matches("r#");
    match identifier(plain) {
        Some(raw) if raw.starts_with("r#") => Ident::new_raw(plain, span),
        _ => Ident::new(plain, span),
    }
}
