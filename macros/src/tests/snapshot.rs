//! Committed expansions, which a person has read.

use std::{env, fs, path::Path};

use proc_macro2::TokenStream;

/// Compares an expansion with `tests/snapshots/name.rs`, or writes it there when the environment has
/// `UPDATE=1`.
#[track_caller]
pub(super) fn assert_snapshot(name: &str, expansion: TokenStream) {
    let mut file: syn::File = syn::parse2(expansion).expect("an expansion is items");
    leave_out_helpers(&mut file.items);
    let found = prettyplease::unparse(&file);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snapshots").join(name).with_extension("rs");
    if env::var_os("UPDATE").is_some() {
        fs::write(&path, &found).expect("the snapshot can be written");
        return;
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        found == expected,
        "the expansion is not the one in {}; it is:\n{found}\nif it is what it should be, run the test with UPDATE=1",
        path.display(),
    );
}

/// Empties the module that every assertion brings along: it stands in a file of its own.
fn leave_out_helpers(items: &mut [syn::Item]) {
    for item in items {
        if let syn::Item::Mod(syn::ItemMod { content: Some((_, items)), .. }) = item {
            leave_out_helpers(items);
        }
        let syn::Item::Const(constant) = item else { continue };
        let syn::Expr::Block(block) = &mut *constant.expr else { continue };
        for statement in &mut block.block.stmts {
            if let syn::Stmt::Item(syn::Item::Mod(module)) = statement
                && let Some((_, items)) = &mut module.content
            {
                items.clear();
            }
        }
    }
}
