//! Files whose change has to expand the macro again. The compiler tracks what is included, and an unnamed
//! constant leaves nothing in the program.

use std::path::Path;

use proc_macro2::TokenStream;
use quote::quote;

use crate::site::Site;

/// Includes each of `files` in nothing.
pub(in crate::kernel) fn of<'a>(files: impl Iterator<Item = &'a str>, site: &Site) -> TokenStream {
    let each = files.map(|file| {
        let path = path(file, site);
        quote!(
            const _: &[::core::primitive::u8] = ::core::include_bytes!(#path);
        )
    });
    each.collect()
}

/// The path as it is also true on another machine, as far as possible.
pub(in crate::kernel) fn path(file: &str, site: &Site) -> TokenStream {
    let inside = |folder: &Option<std::path::PathBuf>| {
        let rest = Path::new(file).strip_prefix(folder.as_ref()?).ok()?;
        Some(format!("/{}", rest.display()))
    };
    if let Some(rest) = inside(&site.out_dir) {
        return quote!(::core::concat!(::core::env!("OUT_DIR"), #rest));
    }
    if let Some(rest) = inside(&site.manifest_dir) {
        return quote!(::core::concat!(::core::env!("CARGO_MANIFEST_DIR"), #rest));
    }
    quote!(#file)
}
