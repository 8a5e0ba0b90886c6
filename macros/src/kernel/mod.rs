//! `#[kernel]`: parse -> declaration -> check -> model -> prove -> expand.
//!
//! There are two barriers: a declaration that could not be read at all is not checked, and one that is
//! refused is neither compared with the CUDA code nor expanded. In between, whatever was understood is
//! checked, so that all errors of a block show at once. A declaration that only the CUDA code contradicts
//! is expanded beside its errors.

mod attributes;
mod check;
mod declaration;
mod docs;
mod expand;
mod fallback;
mod instance;
mod marks;
mod model;
mod module;
mod names;
mod options;
mod parse;
mod parse_parameters;
mod passing;
mod proof;

use proc_macro2::TokenStream;

use crate::{report::Report, site::Site};

/// Expands `#[kernel(arguments)] item`.
pub(crate) fn kernel(arguments: TokenStream, item: &TokenStream, site: &Site) -> TokenStream {
    let mut report = Report::default();
    let options = options::read(arguments, &mut report);
    if module::is_module(item) {
        return module::expand(options, item, site, report);
    }
    let Some(block) = parse::item(item.clone(), options, &mut report) else {
        // The item was none of ours; its users should still find it.
        let errors = report.to_compile_errors();
        return quote::quote!(#errors #item);
    };
    match check::block(&block, site, &mut report) {
        Some(mut module) if report.is_empty() => {
            let contents = proof::read(&module, module.cpp_names(), site, &mut report);
            let proof = proof::of(&mut module, &contents, site, &mut report);
            let mut expansion = report.to_compile_errors();
            expansion.extend(expand::module(&module, &contents.headers, site));
            expansion.extend(proof);
            expansion
        }
        _ => {
            let mut expansion = report.to_compile_errors();
            expansion.extend(fallback::block(&block));
            expansion
        }
    }
}
