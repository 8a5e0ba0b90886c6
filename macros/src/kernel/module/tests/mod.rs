//! Tests of bound modules as functions from a CUDA file to an expansion.

mod images;
mod refusals;
mod sources;
mod structs;

use std::fs;

use proc_macro2::TokenStream;
use syn::{Item, ItemMod};
use tempfile::TempDir;

use crate::{site::Site, text};

/// A package with files, whose modules are bound.
struct Package {
    folder: TempDir,
}

impl Package {
    /// With these files.
    fn with(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().expect("it lies in the package")).expect("it is made");
            fs::write(path, text).expect("it is written");
        }
        Self { folder }
    }

    /// Expands `#[kernel(arguments)] item`.
    fn expand(&self, arguments: &str, item: &str) -> Expansion {
        let tokens = |text: &str| text.parse::<TokenStream>().expect("the test's text is tokens");
        let site = Site { manifest_dir: Some(self.folder.path().to_owned()), out_dir: None };
        let tokens = crate::kernel::kernel(tokens(arguments), &tokens(item), &site);
        Expansion::of(tokens)
    }
}

/// Expands `#[kernel(source = "k.cu")] pub mod k { body }`.
#[track_caller]
fn bound(source: &str, body: &str) -> Expansion {
    Package::with(&[("k.cu", source)])
        .expand(r#"source = "k.cu", crate = warpcall"#, &format!("pub mod k {{ {body} }}"))
}

/// Expands `#[kernel(image = "k.ptx")] pub mod k { body }`.
#[track_caller]
fn bound_image(entries: &str, body: &str) -> Expansion {
    Package::with(&[("k.ptx", &ptx(entries))])
        .expand(r#"image = "k.ptx", crate = warpcall"#, &format!("pub mod k {{ {body} }}"))
}

/// A PTX text with this body.
fn ptx(entries: &str) -> String {
    format!(".version 8.8\n.target sm_100\n.address_size 64\n{entries}")
}

/// What a module became.
struct Expansion {
    module: ItemMod,
    tokens: TokenStream,
}

impl Expansion {
    fn of(tokens: TokenStream) -> Self {
        let file: syn::File = syn::parse2(tokens.clone()).expect("an expansion is items");
        let mut modules = file.items.into_iter().filter_map(|item| match item {
            Item::Mod(module) => Some(module),
            _ => None,
        });
        let module = modules.next().unwrap_or_else(|| panic!("no module in {tokens}"));
        Self { module, tokens }
    }

    fn items(&self) -> &[Item] {
        self.module.content.as_ref().map_or(&[], |(_, items)| items)
    }

    /// The names of the functions and statics.
    fn names(&self) -> Vec<String> {
        let names = self.items().iter().filter_map(|item| match item {
            Item::Fn(item) => Some(item.sig.ident.to_string()),
            Item::Static(item) => Some(item.ident.to_string()),
            _ => None,
        });
        names.collect()
    }

    /// The kernels that are declared: each with its parameters, as its static has them.
    fn kernels(&self) -> Vec<String> {
        let items = self.items().iter().filter_map(|item| match item {
            Item::Static(item) => Some(text::of(&item.expr)),
            _ => None,
        });
        items.map(|text| described(&text)).collect()
    }

    /// The messages of all `compile_error!`s.
    fn messages(&self) -> Vec<String> {
        let file: syn::File = syn::parse2(self.tokens.clone()).expect("an expansion is items");
        let messages = file.items.iter().chain(self.items()).filter_map(|item| match item {
            Item::Macro(item)
                if item.mac.path.is_ident("compile_error")
                    || text::of(&item.mac.path).ends_with("compile_error") =>
            {
                Some(item.mac.parse_body::<syn::LitStr>().expect("it takes a string").value())
            }
            _ => None,
        });
        messages.collect()
    }

    /// The documentation of the module.
    fn docs(&self) -> String {
        docs(&self.module.attrs)
    }

    /// The documentation of a function, conditions left out.
    fn docs_of(&self, name: &str) -> String {
        let function = self.items().iter().find_map(|item| match item {
            Item::Fn(function) if function.sig.ident == name => Some(function),
            _ => None,
        });
        docs(&function.expect("it is there").attrs)
    }

    /// The text of the warning, if there is one.
    fn warning(&self) -> Option<String> {
        self.items().iter().find_map(|item| {
            let Item::Const(constant) = item else { return None };
            let syn::Expr::Block(block) = &*constant.expr else { return None };
            let syn::Stmt::Item(Item::Const(inner)) = block.block.stmts.first()? else { return None };
            let attribute = inner.attrs.iter().find(|attribute| attribute.path().is_ident("deprecated"))?;
            let syn::Meta::List(list) = &attribute.meta else { return None };
            let pair: syn::MetaNameValue = syn::parse2(list.tokens.clone()).ok()?;
            string(&pair.value)
        })
    }
}

/// `symbol(name: type, …)` of `Kernel::new(module, symbol, parameters)`.
fn described(text: &str) -> String {
    let mut expression: syn::Expr = syn::parse_str(text).expect("a static has an expression");
    while let syn::Expr::MethodCall(call) = expression {
        expression = *call.receiver;
    }
    let syn::Expr::Call(call) = expression else { panic!("no call: {text}") };
    let symbol = string(&call.args[1]).expect("a kernel has a symbol");
    let syn::Expr::Reference(list) = &call.args[2] else { panic!("no list: {text}") };
    let syn::Expr::Array(list) = &*list.expr else { panic!("no list: {text}") };
    let parameters: Vec<String> = list.elems.iter().map(parameter).collect();
    format!("{symbol}({})", parameters.join(", "))
}

fn parameter(expression: &syn::Expr) -> String {
    match expression {
        syn::Expr::Call(call) => {
            let words: Vec<String> = call.args.iter().filter_map(string).collect();
            match &words[..] {
                [name] => format!("{name}: TensorMap"),
                [name, ty] => format!("{name}: {ty}"),
                _ => panic!("no parameter: {words:?}"),
            }
        }
        syn::Expr::MethodCall(call) => parameter(&call.receiver),
        _ => panic!("no parameter"),
    }
}

fn docs(attributes: &[syn::Attribute]) -> String {
    let lines = attributes.iter().filter_map(|attribute| match &attribute.meta {
        syn::Meta::NameValue(pair) if pair.path.is_ident("doc") => string(&pair.value),
        syn::Meta::List(list) if list.path.is_ident("cfg_attr") => {
            let text = list.tokens.to_string();
            let rest = text.split_once("doc = ")?.1;
            Some(syn::parse_str::<syn::LitStr>(rest.trim()).ok()?.value())
        }
        _ => None,
    });
    let text = lines.collect::<Vec<String>>().join("\n");
    let lines: Vec<&str> = text.lines().map(|line| line.strip_prefix(' ').unwrap_or(line)).collect();
    lines.join("\n")
}

fn string(expression: &syn::Expr) -> Option<String> {
    match expression {
        syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) => Some(text.value()),
        _ => None,
    }
}
